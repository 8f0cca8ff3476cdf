"""What time it is for everybody who shares a database: its server's time, not that of each machine."""

from __future__ import annotations

import asyncio
import contextlib
import time
from datetime import UTC, datetime, timedelta
from typing import Self

import structlog
from sqlalchemy import func, select

from codemojex.beats import rest
from codemojex.store.engine import Store, StoreDown

log = structlog.get_logger(__name__)

_EVERY_S = 10.0
_OFF_S = 2.0  # between two looks, a clock that is steered does not wander so far


def machine_time() -> datetime:
    """What this machine believes, aware UTC."""
    return datetime.now(UTC)


class SharedClock:
    """Tells the time of the database's server, so that a machine whose clock is wrong ends no game too early.

    A SQLite file has no server; whoever opens it sits on the same machine, and its clock serves.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen: tuple[datetime, float] | None = None
        self._warned = False
        self._stop = asyncio.Event()

    @classmethod
    async def of(cls, store: Store) -> Self:
        """A clock that has looked.

        Raises:
            StoreDown: the server does not answer.
        """
        clock = cls(store)
        await clock.look()
        return clock

    def __call__(self) -> datetime:
        """Now, aware UTC."""
        if self._seen is None:
            return machine_time()
        told, at = self._seen
        return told + timedelta(seconds=time.monotonic() - at)

    async def look(self) -> None:
        """Ask the server what time it is.

        Raises:
            StoreDown: it does not answer; what it said before goes on to hold.
        """
        if self._store.kind == "SQLite":
            return
        asked = time.monotonic()
        told = await self._store.read(lambda tx: tx.scalar(select(func.clock_timestamp())))
        answered = time.monotonic()
        if told is None:
            return
        self._seen = (told, (asked + answered) / 2)
        self._compare()

    async def run(self) -> None:
        """Look on a beat until `stop`."""
        while not self._stop.is_set():
            await rest(self._stop, _EVERY_S)
            with contextlib.suppress(StoreDown):
                await self.look()

    def stop(self) -> None:
        """Let `run` return."""
        self._stop.set()

    def _compare(self) -> None:
        """Say once that this machine's clock is off; the game does not mind, its logs do."""
        off_s = (machine_time() - self()).total_seconds()
        wrong = abs(off_s) > _OFF_S
        if wrong and not self._warned:
            log.warning("this machine's clock is off; the database's counts", seconds=round(off_s, 1))
        self._warned = wrong
