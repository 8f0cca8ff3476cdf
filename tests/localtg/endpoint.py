"""A webhook on loopback that a test steers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from aiohttp.web_request import BaseRequest


class Endpoint:
    """A webhook that answers as it is told, and remembers what it was asked."""

    def __init__(self) -> None:
        self.url = ""
        self.taken: list[dict[str, Any]] = []
        self.secrets: list[str | None] = []
        self.refusals: dict[str, list[int]] = {}
        """Text of a message -> the statuses its next tries get."""
        self.gate: asyncio.Event | None = None
        self.inside = 0
        self.most_inside = 0
        self._came = asyncio.Condition()

    async def answer(self, request: BaseRequest) -> web.Response:
        update = await request.json()
        self.secrets.append(request.headers.get("X-Telegram-Bot-Api-Secret-Token"))
        text = update.get("message", {}).get("text", "")
        if self.refusals.get(text):
            return web.Response(status=self.refusals[text].pop(0))
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        if self.gate is not None:
            await self.gate.wait()
        self.inside -= 1
        async with self._came:
            self.taken.append(update)
            self._came.notify_all()
        return web.Response()

    async def got(self, number: int) -> list[str]:
        """The texts taken, once there are so many."""
        async with self._came, asyncio.timeout(60):
            await self._came.wait_for(lambda: len(self.taken) >= number)
        return [update.get("message", {}).get("text", "") for update in self.taken]


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    made = Endpoint()
    runner = web.ServerRunner(web.Server(made.answer), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    yield made
    await runner.cleanup()
