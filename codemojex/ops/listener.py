"""The operator's side door: /live, /ready and /metrics over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Iterable
from typing import Any

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

from codemojex.listening import listen
from codemojex.logs import redacted, secrets_of
from codemojex.ops import readiness
from codemojex.ops.exposition import Exposition
from codemojex.ops.lookout import Lookout
from codemojex.ops.watched import Watched
from codemojex.settings import Settings

log = structlog.get_logger(__name__)

_INSIDE = 32
_STOP_S = 1.0
_UNSTORED = {"Cache-Control": "no-store"}


@contextlib.asynccontextmanager
async def listening(
    settings: Settings, address: tuple[str, int], stopping: asyncio.Event
) -> AsyncIterator[Listener]:
    """Answer on ``address``, which OPS_LISTEN names, from now on.

    Args:
        stopping: set when the process is told to stop.

    Raises:
        BadSettings: nothing can listen there.
    """
    listener = Listener(stopping, secrets_of(settings))
    runner = web.AppRunner(listener.app(), access_log=None, shutdown_timeout=_STOP_S)
    await runner.setup()
    try:
        await listen(runner, *address, "OPS_LISTEN")
        host, port = runner.addresses[0][:2]
        shown = f"[{host}]" if ":" in host else host
        log.info("answering operators", address=f"http://{shown}:{port}")
        yield listener
    finally:
        await runner.cleanup()


class Listener:
    """Answers operators, from before the first connection of the process to after its last.

    Args:
        stopping: set when the process is told to stop.
        secrets: what no answer may carry.
    """

    def __init__(self, stopping: asyncio.Event, secrets: Iterable[str] = ()) -> None:
        self._stopping = stopping
        self._secrets = tuple(secrets)
        self._lookout: Lookout | None = None
        self._exposition = Exposition()
        self._inside = 0

    def app(self) -> web.Application:
        """What is to be served."""
        app = web.Application(middlewares=[self._bounded])
        app.router.add_get("/live", self._live)
        app.router.add_get("/ready", self._ready)
        app.router.add_get("/metrics", self._metrics)
        return app

    @contextlib.asynccontextmanager
    async def watch(self, watched: Watched) -> AsyncIterator[None]:
        """Tell of these parts, which run now, as long as the block lasts."""
        self._lookout = Lookout(watched)
        try:
            yield
        finally:
            lookout, self._lookout = self._lookout, None
            await lookout.close()

    @web.middleware
    async def _bounded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Whoever asks faster than is answered gets 503, so that askers never pile up."""
        if self._inside >= _INSIDE:
            raise web.HTTPServiceUnavailable(text="too many at once")
        self._inside += 1
        try:
            response: web.StreamResponse = await handler(request)
            return response
        finally:
            self._inside -= 1

    async def _live(self, _: web.Request) -> web.Response:
        """200 as long as the event loop turns."""
        return self._json({"live": True}, 200)

    async def _ready(self, _: web.Request) -> web.Response:
        """200 when every part does its work, else 503; either way how each of them is."""
        states = [] if self._lookout is None else await self._lookout.states()
        state = self._state()
        ready = state == "running" and readiness.ready(states)
        now = time.monotonic()
        parts = {part.name: part.as_dict(now) for part in states}
        return self._json({"ready": ready, "state": state, "parts": parts}, 200 if ready else 503)

    async def _metrics(self, request: web.Request) -> web.Response:
        figures = [] if self._lookout is None else await self._lookout.figures()
        body, kind = self._exposition.write(figures, request.headers.get("Accept", ""))
        return web.Response(body=body, headers={"Content-Type": kind, **_UNSTORED})

    def _state(self) -> str:
        if self._stopping.is_set():
            return "stopping"
        return "starting" if self._lookout is None else "running"

    def _json(self, told: dict[str, Any], status: int) -> web.Response:
        text = redacted(json.dumps(told, ensure_ascii=False, indent=1), self._secrets)
        return web.Response(
            text=text + "\n", status=status, content_type="application/json", headers=_UNSTORED
        )
