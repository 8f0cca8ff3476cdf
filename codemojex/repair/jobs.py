"""Repairs of the queue: jobs that it has lost, set aside, or that nobody moves on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import emq
from codemojex.guess_lanes import GuessLanes, in_queue
from codemojex.play import sweep
from codemojex.reconciling import ASTRAY, LAPSED, LOST, NO_GUESS, OVERDUE, SET_ASIDE, compare
from codemojex.repair.steps import Deed, Steps
from codemojex.settings import Settings
from codemojex.store.chunks import chunks
from codemojex.store.engine import Store

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class JobRepairs:
    """Puts the queue right as of ``now``; the database says what should be in it."""

    store: Store
    queue: emq.Connector
    settings: Settings
    now: datetime

    async def run(self, steps: Steps) -> None:
        """Take every step that has something to do."""
        queues = self.settings.guess_queue, self.settings.notify_queue
        paused = await self._lanes.paused()
        differs = await compare(self.store, self.queue, queues, self.now, paused)
        deeds: dict[str, tuple[str, Deed]] = {
            LOST: ("send it again under its id", self._send),
            ASTRAY: ("send it again under its id", self._resend),
            SET_ASIDE: ("let its job wait again", self._requeue),
            NO_GUESS: ("remove the dead job", self._remove),
            LAPSED: ("let jobs wait again whose lease has lapsed", self._reap),
            OVERDUE: ("let jobs be claimed that are due", self._promote),
        }
        for line, (deed, do) in deeds.items():
            await steps.take(line, deed, differs.found.get(line, []), do)
        await steps.take("not_queued_in_time", "note that the queue has it", differs.unmarked, self._mark)

    @property
    def _lanes(self) -> GuessLanes:
        return GuessLanes(self.queue, self.settings.guess_queue)

    async def _send(self, ids: Sequence[str]) -> None:
        for job_ids in chunks(ids, _BATCH):
            jobs = await self.store.read(lambda tx, part=job_ids: sweep.jobs_of(tx, part))  # type: ignore[misc]
            await self._mark(in_queue(jobs, await self._lanes.enqueue_many(jobs)))

    async def _resend(self, ids: Sequence[str]) -> None:
        await self._remove(ids)
        await self._send(ids)

    async def _requeue(self, ids: Sequence[str]) -> None:
        await emq.DeadLetters(self.queue, self.settings.guess_queue).requeue_many(ids)

    async def _remove(self, ids: Sequence[str]) -> None:
        admin = emq.Admin(self.queue, self.settings.guess_queue)
        for id in ids:
            try:
                await admin.remove(id)
            except emq.Gone:
                continue

    async def _reap(self, queues: Sequence[str]) -> None:
        for queue in queues:
            while await emq.Jobs(self.queue, queue).reap(_BATCH) == _BATCH:
                pass

    async def _promote(self, queues: Sequence[str]) -> None:
        for queue in queues:
            while await emq.Jobs(self.queue, queue).promote(_BATCH) == _BATCH:
                pass

    async def _mark(self, ids: Sequence[str]) -> None:
        await self.store.transact(lambda tx: sweep.mark_enqueued(tx, ids, self.now))
