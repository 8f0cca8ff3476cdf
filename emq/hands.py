"""The jobs in a worker's hands: handed to the handler, watched, and passed on to be settled."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from .handlers import HeldJob, Outcomes
from .lease import Lease
from .leases import LeaseKeeper
from .options import WorkerOptions
from .outcomes import Again, Dead, Outcome
from .settler import Ending, Settler
from .verdicts import Claim

LET_GO_WITHIN_S = 1.0

log = logging.getLogger("emq.worker")

Work = Callable[[Sequence[HeldJob]], Awaitable[Outcomes]]


@dataclass(eq=False, slots=True)
class _Call:
    """One call of the handler, with its jobs."""

    jobs: list[HeldJob] = field(default_factory=list)
    task: asyncio.Task[Outcomes] | None = None
    lost: int = 0

    def lose(self, lease: Lease) -> None:
        """Stop working once nothing that is worked on is ours any more."""
        self.lost += 1
        if self.lost == len(self.jobs) and self.task is not None:
            self.task.cancel()


class Hands:
    """Runs the handler, a bounded number of calls at once, each with at most ``per_call`` jobs.

    Args:
        work: runs the handler and answers an outcome for each job it was given.
        per_call: jobs in one call, at most.
        keeper: keeps the leases of what is worked on.
        settler: takes the jobs that ended.
        options: the worker's.
    """

    def __init__(
        self, work: Work, per_call: int, keeper: LeaseKeeper, settler: Settler, options: WorkerOptions
    ) -> None:
        self._work = work
        self._per_call = per_call
        self._keeper = keeper
        self._settler = settler
        self._options = options
        self._calls_at_once = options.concurrency or 1
        self._calls: set[_Call] = set()
        self.changed = asyncio.Event()
        self.claimed = 0
        self.lost = 0

    @property
    def room(self) -> int:
        """How many jobs may be claimed now: no more than can be worked on at once, few of them unsettled."""
        free = self._calls_at_once - len(self._calls)
        if free <= 0 or len(self._settler) >= 2 * self._calls_at_once * self._per_call:
            return 0
        return min(free if self._per_call == 1 else self._per_call, self._options.batch)

    @property
    def held(self) -> int:
        """How many jobs are worked on now."""
        return sum(len(call.jobs) for call in self._calls)

    def take(self, claims: Sequence[Claim], leased_at: float) -> None:
        """Begin to work on what was claimed; ``leased_at`` is ``time.monotonic()`` from before the claim."""
        self.claimed += len(claims)
        fit = [(claim, most) for claim in claims if (most := self._attempts(claim)) is not None]
        for at in range(0, len(fit), self._per_call):
            call = _Call()
            for claim, most in fit[at : at + self._per_call]:
                lease = self._keeper.track(claim.id, claim.token, leased_at, call.lose)
                call.jobs.append(_held(claim, lease, most))
            self._calls.add(call)
            call.task = asyncio.create_task(self._run(call), name=f"emq-{call.jobs[0].id}")
            # Not at the end of what it runs: one that is cancelled before it began runs nothing.
            call.task.add_done_callback(partial(self._note_end, call))

    async def idle(self) -> None:
        """Wait until nothing is worked on."""
        while self._calls:
            self.changed.clear()
            await self.changed.wait()

    async def let_go(self) -> int:
        """Stop working at once; what was worked on is not settled. Returns how many jobs that were."""
        calls = list(self._calls)
        tasks = [call.task for call in calls if call.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            _, deaf = await asyncio.wait(tasks, timeout=LET_GO_WITHIN_S)
            if deaf:
                log.error(
                    "%d handlers do not end although they were cancelled; left to themselves", len(deaf)
                )
        return sum(len(call.jobs) for call in calls)

    def _attempts(self, claim: Claim) -> int | None:
        """How many it has; None when they are spent: then it is buried."""
        limit = self._options.attempts_of(claim)
        if claim.attempt <= limit:
            return limit
        reason = f"attempt {claim.attempt} of {limit}: its lease lapsed too often, so it may be killing its workers"
        self._settler.give(Ending(claim.id, claim.token, Dead(reason)))
        return None

    async def _run(self, call: _Call) -> Outcomes:
        held = [job for job in call.jobs if job.lease.held]
        return await self._work(held) if held else {}

    def _note_end(self, call: _Call, task: asyncio.Task[Outcomes]) -> None:
        """Pass on what a call came to, however it ended."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.error("a worker's own fault; the jobs' leases will lapse", exc_info=error)
        self._calls.discard(call)
        try:
            self._pass_on(call.jobs, {} if task.cancelled() or error is not None else task.result())
        finally:
            self.changed.set()

    def _pass_on(self, jobs: Sequence[HeldJob], outcomes: Outcomes) -> None:
        for job in jobs:
            if job.lease.held and job.id in outcomes:
                self._settler.give(self._ending(job, outcomes[job.id]))
            else:
                self.lost += not job.lease.held
                self._keeper.untrack(job.lease)

    def _ending(self, job: HeldJob, outcome: Outcome) -> Ending:
        delay_ms = 0
        if isinstance(outcome, Again):
            delay_ms = self._options.delay_of(job.attempt) if outcome.delay_ms is None else outcome.delay_ms
        # Its lease is kept until the server has said what became of it: settling may take longer than a lease.
        settled = partial(self._keeper.untrack, job.lease)
        return Ending(job.id, job.token, outcome, delay_ms, job.max_attempts, settled=settled)


def _held(claim: Claim, lease: Lease, max_attempts: int) -> HeldJob:
    return HeldJob(claim.id, claim.payload, claim.token, claim.attempt, claim.group, lease, max_attempts)
