"""Telling of settled jobs: gathered while a flush is in flight, told in the next, never in anybody's way."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from .events import Event, Events

MOST_WAITING = 10_000
REST_S = 0.01
"""Between two askings whether anybody listens: each costs as much as settling twenty jobs."""

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Teller:
    """Publishes what a worker's jobs came to, if anybody listens.

    It never holds up a settlement: what does not fit into its bounded row any more is not told.

    Args:
        events: where to.
        on: whether to tell at all.
    """

    def __init__(self, events: Events, on: bool) -> None:
        self._events = events
        self._on = on
        self._waiting: deque[tuple[str, str, Mapping[str, str]]] = deque(maxlen=MOST_WAITING)
        self._given = asyncio.Event()

    def give(self, name: str, job: str, **fields: str) -> None:
        """Tell this soon."""
        if self._on:
            self._waiting.append((name, job, fields))
            self._given.set()

    def give_many(self, name: str, jobs: Iterable[str]) -> None:
        """Tell the same of many jobs soon."""
        if self._on:
            self._waiting.extend((name, job, _NOTHING) for job in jobs)
            self._given.set()

    async def run(self) -> None:
        """Tell until cancelled."""
        while True:
            await self._given.wait()
            await self.flush()
            await asyncio.sleep(REST_S)

    async def flush(self) -> None:
        """Tell what has gathered."""
        self._given.clear()
        some = list(self._waiting)
        self._waiting.clear()
        if some and await self._events.heard():
            await self._events.publish_many([Event(name, job, fields) for name, job, fields in some])

    async def finish(self, within_s: float) -> None:
        """Tell what is left, but do not wait long for it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self.flush()
