"""Telling of settled jobs: gathered while a flush is in flight, told in the next, never in anybody's way."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Mapping, Sequence
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
        self._waiting: deque[tuple[str, Sequence[str], Mapping[str, str]]] = deque()
        self._jobs = 0
        self._given = asyncio.Event()

    def give(self, name: str, job: str, **fields: str) -> None:
        """Tell this soon."""
        self._give(name, (job,), fields)

    def give_many(self, name: str, jobs: Sequence[str]) -> None:
        """Tell the same of many jobs soon."""
        self._give(name, jobs, _NOTHING)

    async def run(self) -> None:
        """Tell until cancelled."""
        while True:
            await self._given.wait()
            await self.flush()
            await asyncio.sleep(REST_S)

    async def flush(self) -> None:
        """Tell what has gathered."""
        self._given.clear()
        some, self._waiting, self._jobs = self._waiting, deque(), 0
        if some and await self._events.heard():
            await self._events.publish_many(
                [Event(name, job, fields) for name, jobs, fields in some for job in jobs]
            )

    def _give(self, name: str, jobs: Sequence[str], fields: Mapping[str, str]) -> None:
        if not self._on:
            return
        self._waiting.append((name, jobs, fields))
        self._jobs += len(jobs)
        while self._jobs > MOST_WAITING and len(self._waiting) > 1:
            _, lost, _ = self._waiting.popleft()
            self._jobs -= len(lost)
        self._given.set()

    async def finish(self, within_s: float) -> None:
        """Tell what is left, but do not wait long for it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self.flush()
