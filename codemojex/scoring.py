"""The scoring worker: claimed guesses in, results committed, jobs completed.

A batch is scored in one transaction that only touches guesses without a score, so a job that comes
back (its worker died after the commit, its lease lapsed, the burst was sent twice after it had
finished) finds the score in the database, changes nothing and is completed. The secret never enters
a job: a payload names the game, the row knows the rest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

import emq
from codemojex.minting import mint
from codemojex.play import outbox, scores, settlement
from codemojex.rehiring import Rehired
from codemojex.store.chunks import chunks
from codemojex.store.engine import Store, StoreDown

log = structlog.get_logger(__name__)

_FIRST_WAIT_S = 0.1
_LONGEST_WAIT_S = 3.0
_SETTLED_AT_ONCE = 25  # games: their rows stay locked until the last of them is settled

Announce = Callable[[Sequence[outbox.NoticeRef]], None]


class _LeaseWent(Exception):  # it asks for another try
    """A lease ended inside the transaction; it is rolled back and tried without that job."""


@dataclass(slots=True)
class ScoreCounts:
    """What this worker has done since it started; every number only grows."""

    scored: int = 0
    already: int = 0
    missing: int = 0
    settled: int = 0


class ScoreWorker:
    """Claims guesses in batches, players in turn, and scores them under leases it keeps alive."""

    def __init__(
        self,
        conn: emq.Connector,
        queue: str,
        store: Store,
        announce: Announce,
        options: emq.WorkerOptions,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        tz: str = "UTC",
    ) -> None:
        self.counts = ScoreCounts()
        self._store = store
        self._announce = announce
        self._clock = clock
        self._tz = tz
        self._hired = Rehired(partial(emq.Worker, conn, queue, batch=self._score, options=options))

    @property
    def worker(self) -> emq.Worker:
        """The queue worker underneath, for its counters."""
        return self._hired.worker

    async def run(self) -> None:
        """Score until `stop`; an outage of the queue or the database is waited out."""
        await self._hired.run()

    def stop(self) -> None:
        """Claim no more; `run` returns when the batch in hand is settled."""
        self._hired.stop()

    async def _score(self, jobs: Sequence[emq.HeldJob]) -> Mapping[str, emq.Outcome] | None:
        wait_s = _FIRST_WAIT_S
        while True:
            held = [job for job in jobs if job.lease.held]
            try:
                # Nobody is told before another transaction has noted that, and its commit waits for this one, too. A
                # score that a crash takes back is worked out again: the sweep finds the guess.
                batch = await self._store.transact(
                    lambda tx, held=held: self._write(tx, held),  # type: ignore[misc]
                    durable=False,
                )
                for games in chunks(sorted(batch.to_settle), _SETTLED_AT_ONCE):
                    await self._settle(games)
                break
            except _LeaseWent:
                continue
            except StoreDown as error:
                # Failing the jobs would spend their attempts on somebody else's outage.
                log.warning("scores wait: the database does not answer", error=str(error))
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, _LONGEST_WAIT_S)
        self._count(batch)
        self._announce(batch.notices)
        return {id: emq.Dead("no guess has this id") for id in batch.missing}

    async def _write(self, tx: AsyncConnection, held: Sequence[emq.HeldJob]) -> scores.ScoredBatch:
        batch = await scores.score(tx, [job.id for job in held], self._clock(), mint)
        if not all(job.lease.held for job in held):
            # Another worker may hold it by now: what a lapsed lease computed is not written.
            raise _LeaseWent
        return batch

    async def _settle(self, game_ids: Sequence[int]) -> None:
        settled = await self._store.transact(
            lambda tx: settlement.settle_all(tx, game_ids, self._clock(), mint, tz=self._tz)
        )
        self.counts.settled += len(settled.causes)
        self._announce(settled.notices)

    def _count(self, batch: scores.ScoredBatch) -> None:
        self.counts.scored += len(batch.scored)
        self.counts.already += len(batch.already)
        self.counts.missing += len(batch.missing)
        if batch.missing:
            log.error("jobs without a guess were set aside", jobs=batch.missing)
