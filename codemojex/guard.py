"""Keeps the embedded queue server running."""

from __future__ import annotations

import asyncio

import emq
from codemojex.beats import rest


class ServerGuard:
    """Starts the embedded server again when it has gone, or when the process that owned it has."""

    def __init__(self, server: emq.EmbeddedServer, every_s: float = 1.0) -> None:
        self._server = server
        self._every_s = every_s
        self._stop = asyncio.Event()

    async def run(self) -> None:
        """Look every second until stopped."""
        while not self._stop.is_set():
            await rest(self._stop, self._every_s)
            if not self._stop.is_set():
                await self._server.ensure()

    def stop(self) -> None:
        """Let `run` return."""
        self._stop.set()
