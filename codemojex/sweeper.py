"""The sweep: on a beat, find what a crash or a forgetful server left behind, and mend it.

Everything it does is safe to do twice and safe to do from several processes: jobs go again under
their own ids, a game is settled under its row's lock, a chat is only marked as having something to
be told.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

import structlog

import emq
from codemojex.beats import rest
from codemojex.guess_lanes import GuessLanes, in_queue
from codemojex.minting import mint
from codemojex.play import settlement, sweep
from codemojex.play.outbox import NoticeRef
from codemojex.play.payloads import GuessJob
from codemojex.store.engine import Store, StoreDown

log = structlog.get_logger(__name__)

_BATCH = 1_000
# Telegram repeats an unconfirmed update for a day; a mark older than this can never be asked for.
_UPDATES_KEPT = timedelta(hours=72)
_FORGET_EVERY = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class SweepPace:
    """How often to look, how long a guess may lie before it counts as lost, and by which zone a day is over."""

    every_s: float = 5.0
    after_s: float = 20.0
    tz: str = "UTC"


@dataclass(slots=True)
class SweepCounts:
    """What the sweep has mended since it started; every number only grows."""

    requeued: int = 0
    settled: int = 0
    noticed: int = 0


class Sweeper:
    """Runs the sweep until stopped.

    Attributes:
        last_good_at: when a pass last came to its end, monotonic seconds; None before the first.
    """

    def __init__(
        self,
        store: Store,
        lanes: GuessLanes,
        announce: Callable[[Sequence[NoticeRef]], None],
        pace: SweepPace,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.counts = SweepCounts()
        self.last_good_at: float | None = None
        self._store = store
        self._lanes = lanes
        self._announce = announce
        self._pace = pace
        self._clock = clock
        self._stop = asyncio.Event()
        self._forgot_at: datetime | None = None

    async def run(self) -> None:
        """Sweep at once, then on every beat, until `stop`; outages are waited out."""
        while not self._stop.is_set():
            try:
                await self.once()
            except (StoreDown, emq.NotSent, emq.Uncertain) as error:
                log.warning("the sweep waits for a server", error=str(error))
            await rest(self._stop, self._pace.every_s)

    def stop(self) -> None:
        """Let `run` return after the step in hand."""
        self._stop.set()

    async def once(self) -> None:
        """One pass over everything that can be left behind."""
        now = self._clock()
        # The queue last: while it does not answer, games end and players are told all the same.
        for step in (self._settle, self._tell, self._forget, self._requeue):
            if not self._stop.is_set():
                await step(now)
        self.last_good_at = time.monotonic()

    async def _tell(self, now: datetime) -> None:
        """Give scored guesses their notices where a crash left none.

        Looked for without the lock of a write: while Telegram takes nothing, very many guesses wait to be told.
        """
        if not await self._store.read(sweep.left_untold):
            return
        refs = await self._store.transact(lambda tx: sweep.untold(tx, _BATCH, now, mint))
        self.counts.noticed += len(refs)
        self._announce(refs)

    async def _forget(self, now: datetime) -> None:
        """Drop marks of updates that Telegram cannot repeat any more, and what was said to strangers."""
        if self._forgot_at is None or now - self._forgot_at > _FORGET_EVERY:
            await self._store.transact(lambda tx: sweep.forget_updates(tx, now - _UPDATES_KEPT), long=True)
            after: int | None = 0
            while after is not None and not self._stop.is_set():
                # A part at a time: on SQLite everybody else waits for a transaction to end.
                look = partial(sweep.forget_strangers, limit=_BATCH, after=after)
                after = (await self._store.transact(look, long=True)).upto
            self._forgot_at = now

    async def _requeue(self, now: datetime) -> None:
        """Send guesses again that should have been scored by now; `duplicate` says one only waits.

        Those of paused players are not due: they go again, if they were lost, once somebody resumes them.
        """
        cutoff = now - timedelta(seconds=self._pace.after_s)
        lost = await self._stuck(cutoff)
        paused = await self._lanes.paused() if lost else []
        lost = await self._stuck(cutoff, paused) if paused else lost
        while lost and not self._stop.is_set():
            await self._send(lost, now)
            lost = await self._stuck(cutoff, paused, lost[-1].id) if len(lost) == _BATCH else []

    async def _stuck(self, cutoff: datetime, paused: Collection[int] = (), after: str = "") -> list[GuessJob]:
        return await self._store.read(lambda tx: sweep.stuck(tx, cutoff, _BATCH, paused, after))

    async def _send(self, lost: Sequence[GuessJob], now: datetime) -> None:
        verdicts = await self._lanes.enqueue_many(lost)
        landed = in_queue(lost, verdicts)
        found = sum(verdict == emq.ENQUEUED for verdict in verdicts)
        if found:
            log.warning("guesses the queue had lost were sent again", guesses=found)
        self.counts.requeued += found
        # The stamp keeps a long backlog from being sent again on every beat.
        await self._store.transact(lambda tx: sweep.mark_enqueued(tx, landed, now))

    async def _settle(self, now: datetime) -> None:
        games = await self._store.read(lambda tx: sweep.unsettled(tx, now, self._pace.tz))
        for game_id in games:
            settled = await self._store.transact(
                lambda tx, game_id=game_id: settlement.settle(  # type: ignore[misc]
                    tx, game_id, now, mint, tz=self._pace.tz
                )
            )
            if settled is not None:
                self.counts.settled += 1
                self._announce(settled.notices)
