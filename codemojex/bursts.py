"""Admitted guesses on their way into the queue: gathered, flushed, re-sent until they have landed.

There is no timer. While one flush is in flight arrivals gather, and all of them go in the next:
a lone guess waits for nothing, a storm travels in large bursts. The rows in the database are the
outbox; what is held here is a bounded copy of their ids, and every loss of it is repaired by
reading the rows again.

A burst whose outcome is unknown goes again whole, with the same ids in the same order and before
anything newer. The queue answers `duplicate` for what had landed, so the burst converges.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

import structlog

import emq
from codemojex.play import sweep
from codemojex.play.payloads import GuessJob
from codemojex.store.engine import Store, StoreDown

log = structlog.get_logger(__name__)


class Enqueues(Protocol):
    """The one verb a burst needs; `GuessLanes` has it."""

    async def enqueue_many(self, jobs: Sequence[GuessJob], /) -> list[emq.Verdict]: ...


@dataclass(frozen=True, slots=True)
class BurstLimits:
    """How much a burst buffer holds and how hard it tries.

    Attributes:
        held: guesses kept in memory; beyond it the rows wait in the database.
        flush: guesses in one flush.
        first_wait_s, longest_wait_s: the pause after a failed flush, doubled up to the longest.
    """

    held: int = 10_000
    flush: int = 2_000
    first_wait_s: float = 0.05
    longest_wait_s: float = 2.0


@dataclass(slots=True)
class BurstCounts:
    """What a buffer has done since it started; every number only grows."""

    flushes: int = 0
    enqueued: int = 0
    duplicate: int = 0
    refused: int = 0
    resent: int = 0


@dataclass(slots=True)
class _Buffer:
    """Ids on their way: waiting, in the current burst, or landed but not yet marked in the database."""

    waiting: deque[GuessJob] = field(default_factory=deque)
    burst: list[GuessJob] = field(default_factory=list)
    landed: list[str] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    overflowed: bool = True  # rows of an earlier run may wait: read them first


class Bursts:
    """The buffer between admission and the queue."""

    def __init__(
        self,
        jobs: Enqueues,
        store: Store,
        limits: BurstLimits | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.counts = BurstCounts()
        self._jobs = jobs
        self._store = store
        self._limits = limits or BurstLimits()
        self._clock = clock
        self._buffer = _Buffer()
        self._arrived = asyncio.Event()
        self._landed = asyncio.Event()
        self._stopping = False
        self._failing_since: float | None = None
        self._arrived.set()

    def add(self, items: Sequence[GuessJob]) -> None:
        """Take guesses whose rows are committed. Never waits; what does not fit stays in its row."""
        fresh = [item for item in items if item.id not in self._buffer.ids]
        if self._buffer.overflowed or len(self._buffer.ids) + len(fresh) > self._limits.held:
            self._buffer.overflowed = True
        else:
            self._hold(fresh)
        self._arrived.set()

    def reread(self) -> None:
        """Look for rows that nobody added: a commit whose answer was lost may have left some."""
        self._buffer.overflowed = True
        self._arrived.set()

    def held(self) -> int:
        """How many guesses are in memory; never above the limit."""
        return len(self._buffer.ids)

    def failing_s(self) -> float:
        """For how many seconds the queue has not taken a burst; 0 while it takes them."""
        return 0.0 if self._failing_since is None else time.monotonic() - self._failing_since

    async def run(self) -> None:
        """Flush until told to stop; then flush what is held and return.

        May be run again after it failed; what was held then is read from its rows.
        """
        self._buffer = _Buffer()
        self._arrived.set()
        marking = asyncio.create_task(self._mark_landed(), name="bursts: mark landed")
        marking.add_done_callback(lambda _: self._arrived.set())
        try:
            while not (self._stopping and not self._buffer.waiting):
                await self._arrived.wait()
                self._arrived.clear()
                if marking.done():
                    await marking
                await self._refill()
                while self._buffer.waiting:
                    await self._flush_next()
                    await self._refill()
            while self._buffer.landed and not marking.done():
                await asyncio.wait([marking], timeout=0.02)
        finally:
            marking.cancel()
            await asyncio.gather(marking, return_exceptions=True)

    def stop(self) -> None:
        """Ask `run` to flush what it holds and to return. The rows keep what it cannot."""
        self._stopping = True
        self._arrived.set()

    def _hold(self, items: Sequence[GuessJob]) -> None:
        self._buffer.waiting.extend(items)
        self._buffer.ids.update(item.id for item in items)

    async def _refill(self) -> None:
        """Read back rows that did not fit, oldest first, once there is room for a flush of them."""
        buffer, limits = self._buffer, self._limits
        while buffer.overflowed and not self._stopping and len(buffer.ids) <= limits.held // 2:
            room = limits.held - len(buffer.ids)
            # Cleared before the read: a guess committed during it is added by its own caller.
            buffer.overflowed = False
            asked = room + len(buffer.ids)
            try:
                rows = await self._store.read(partial(sweep.unqueued, limit=asked))
            except StoreDown as error:
                buffer.overflowed = True
                log.warning("guesses wait in the database, which does not answer", error=str(error))
                await self._pause(limits.longest_wait_s)
                self._arrived.set()  # nobody else comes to ask for them
                return
            fresh = [row for row in rows if row.id not in buffer.ids]
            buffer.overflowed = buffer.overflowed or len(fresh) > room or len(rows) >= asked
            self._hold(fresh[:room])

    async def _flush_next(self) -> None:
        """Send one burst until each of its guesses has a verdict that stands."""
        buffer, limits = self._buffer, self._limits
        size = min(len(buffer.waiting), limits.flush)
        buffer.burst = [buffer.waiting.popleft() for _ in range(size)]
        wait_s = limits.first_wait_s
        said = False
        while buffer.burst:
            try:
                verdicts = await self._jobs.enqueue_many(buffer.burst)
            except (emq.NotSent, emq.Uncertain) as error:
                if not said:
                    log.warning("the queue does not answer; guesses are safe and go again", error=str(error))
                    said = True
            else:
                buffer.burst = self._settle(buffer.burst, verdicts)
            if not buffer.burst:
                break
            self._failing_since = self._failing_since or time.monotonic()
            if self._stopping:
                self._let_go([item.id for item in buffer.burst])
                break
            self.counts.resent += len(buffer.burst)
            await self._pause(wait_s * random.uniform(0.5, 1.0))  # jitter, not a secret
            wait_s = min(wait_s * 2, limits.longest_wait_s)
        if said and not self._stopping:
            log.info("the queue answers again")
        self._failing_since = None
        self.counts.flushes += 1
        buffer.burst = []

    def _settle(self, burst: Sequence[GuessJob], verdicts: Sequence[emq.Verdict]) -> list[GuessJob]:
        """Count each verdict; return what has to go again because the server may yet take it."""
        again: list[GuessJob] = []
        refused: list[str] = []
        for item, verdict in zip(burst, verdicts, strict=True):
            if verdict == emq.ENQUEUED:
                self.counts.enqueued += 1
                self._buffer.landed.append(item.id)
            elif verdict == emq.DUPLICATE:
                self.counts.duplicate += 1
                self._buffer.landed.append(item.id)
            elif isinstance(verdict, emq.Refused) and verdict.transient:
                again.append(item)
            else:
                # Nothing here can cure it; the row stays unqueued, where the sweep tries it again
                # and `codemojex audit` shows it.
                self.counts.refused += 1
                refused.append(item.id)
                log.error("the queue refuses a guess", guess=item.id, verdict=str(verdict))
        self._let_go(refused)
        self._landed.set()
        return again

    def _let_go(self, ids: Sequence[str]) -> None:
        self._buffer.ids.difference_update(ids)

    async def _mark_landed(self) -> None:
        """Write `enqueued_at` for what has landed, in batches that gather while one is written."""
        while True:
            await self._landed.wait()
            self._landed.clear()
            ids = self._buffer.landed
            while ids:
                part = ids[: self._limits.flush]
                try:
                    marked = partial(sweep.mark_enqueued, ids=part, now=self._clock())
                    # A mark that is lost costs a second enqueue, which the queue knows to be one.
                    await self._store.transact(marked, durable=False)
                except StoreDown:
                    # Unmarked rows are only sent once more, and the queue answers `duplicate`.
                    await asyncio.sleep(self._limits.longest_wait_s)
                    continue
                del ids[: len(part)]
                self._let_go(part)
            self._arrived.set()

    async def _pause(self, seconds: float) -> None:
        """Wait, but not through a stop."""
        if not self._stopping:
            await asyncio.sleep(seconds)
