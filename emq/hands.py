"""The jobs in a worker's hands: handed to the handler, watched, and passed on to be settled."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, compress, repeat

from .claiming import MIXED_SLICE
from .handlers import HeldJob, Outcomes
from .lease import Lease, held_of
from .leases import LeaseKeeper
from .options import WorkerOptions
from .outcomes import DONE, Again, Dead, Outcome
from .settler import Ending, Settler
from .verdicts import Claim

LET_GO_WITHIN_S = 1.0

AHEAD_S = 0.02
"""How long a job may wait in hand for a handler, judging by the last calls."""

MOST_AHEAD = 2 * MIXED_SLICE
"""Jobs that wait in hand at most: two claims, so that the server makes one while the other is worked on."""

log = logging.getLogger("emq.worker")

Work = Callable[[Sequence[HeldJob]], Awaitable[Outcomes]]


@dataclass(eq=False, slots=True)
class _Call:
    """One call of the handler, with its jobs: about to begin, or under way."""

    jobs: list[HeldJob] = field(default_factory=list)
    task: asyncio.Task[Outcomes] | None = None
    begun_at: float = 0.0
    lost: int = 0

    def lose(self, lease: Lease) -> None:
        """Stop working once nothing that is worked on is ours any more."""
        self.lost += 1
        if self.lost == len(self.jobs) and self.task is not None:
            self.task.cancel()


class Hands:
    """Runs the handler, a bounded number of calls at once, each with at most ``per_call`` jobs.

    While handlers are quick, jobs are taken ahead, so that a handler need not wait for a claim: no more than are
    worked off in a moment, because another worker could have them.

    Args:
        work: runs the handler and answers an outcome for each job it was given.
        per_call: jobs in one call, at most.
        keeper: keeps the leases of what is in hand.
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
        self._waiting: deque[_Call] = deque()
        self._calls: set[_Call] = set()
        self._took_s = math.inf
        self.changed = asyncio.Event()
        self.claimed = 0
        self.lost = 0

    @property
    def room(self) -> int:
        """How many jobs may be claimed now: no more than can be worked on at once or in a moment, few unsettled."""
        ahead = self._ahead
        free = self._calls_at_once - len(self._calls) - len(self._waiting) + ahead
        # Quick handlers free one place after the other; a claim for each of them would cost more than their work.
        if free <= ahead // 2 or len(self._settler) >= 2 * (self._calls_at_once + ahead) * self._per_call:
            return 0
        most = max(self._options.batch, min(ahead * self._per_call, MIXED_SLICE))
        return min(free * self._per_call, most)

    @property
    def held(self) -> int:
        """How many jobs are in hand now, worked on or taken ahead."""
        return sum(len(call.jobs) for call in (*self._calls, *self._waiting))

    def take(self, claims: Sequence[Claim], leased_at: float) -> None:
        """Take what was claimed in hand; ``leased_at`` is ``time.monotonic()`` from before the claim."""
        self.claimed += len(claims)
        fit, limits = self._fit(claims)
        calls = [_Call() for _ in range(0, len(fit), self._per_call)]
        losers = chain.from_iterable(repeat(call.lose, self._per_call) for call in calls)
        ids, tokens = [claim.id for claim in fit], [claim.token for claim in fit]
        leases = self._keeper.track_many(zip(ids, tokens, losers, strict=False), leased_at)
        jobs = list(map(_held, fit, limits, leases))
        for at, call in enumerate(calls):
            call.jobs = jobs[at * self._per_call : (at + 1) * self._per_call]
        self._waiting += calls
        self._begin()

    async def idle(self) -> None:
        """Wait until nothing is worked on."""
        while self._calls or self._waiting:
            self.changed.clear()
            await self.changed.wait()

    async def let_go(self) -> int:
        """Stop working at once; what was in hand is not settled. Returns how many jobs that were."""
        left = [*self._calls, *self._waiting]
        self._waiting.clear()
        tasks = [call.task for call in left if call.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            _, deaf = await asyncio.wait(tasks, timeout=LET_GO_WITHIN_S)
            if deaf:
                log.error(
                    "%d handlers do not end although they were cancelled; left to themselves", len(deaf)
                )
        return sum(len(call.jobs) for call in left)

    @property
    def _ahead(self) -> int:
        """Calls that may wait for others to end: as many as end in a moment, and of no more jobs than two claims."""
        if self._took_s > AHEAD_S:
            return 0
        most = max(1, MOST_AHEAD // self._per_call)
        return min(int(self._calls_at_once * AHEAD_S / max(self._took_s, 1e-6)), most)

    def _begin(self) -> None:
        while self._waiting and len(self._calls) < self._calls_at_once:
            call = self._waiting.popleft()
            self._calls.add(call)
            call.begun_at = time.monotonic()
            call.task = asyncio.create_task(self._run(call), name=f"emq-{call.jobs[0].id}")
            # Not at the end of what it runs: one that is cancelled before it began runs nothing.
            call.task.add_done_callback(partial(self._note_end, call))

    def _fit(self, claims: Sequence[Claim]) -> tuple[Sequence[Claim], Sequence[int]]:
        """The claims that may be worked on, and how many attempts each has."""
        limit = self._options.max_attempts
        if not callable(limit) and max([claim.token for claim in claims], default=0) <= limit:
            return claims, [limit] * len(claims)
        fit = [(claim, most) for claim in claims if (most := self._attempts(claim)) is not None]
        return [claim for claim, _ in fit], [most for _, most in fit]

    def _attempts(self, claim: Claim) -> int | None:
        """How many it has; None when they are spent: then it is buried."""
        limit = self._options.attempts_of(claim)
        if claim.attempt <= limit:
            return limit
        reason = f"attempt {claim.attempt} of {limit}: its lease lapsed too often, so it may be killing its workers"
        self._settler.give([Ending(claim.id, claim.token, Dead(reason))])
        return None

    async def _run(self, call: _Call) -> Outcomes:
        held = list(compress(call.jobs, held_of([job.lease for job in call.jobs])))
        return await self._work(held) if held else {}

    def _note_end(self, call: _Call, task: asyncio.Task[Outcomes]) -> None:
        """Pass on what a call came to, however it ended."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.error("a worker's own fault; the jobs' leases will lapse", exc_info=error)
        self._calls.discard(call)
        # A slow call is believed at once, a quick one bit by bit.
        took_s = time.monotonic() - call.begun_at
        self._took_s = took_s if self._took_s == math.inf else max(took_s, 0.8 * self._took_s + 0.2 * took_s)
        try:
            self._pass_on(call.jobs, {} if task.cancelled() or error is not None else task.result())
            self._begin()
        finally:
            self.changed.set()

    def _pass_on(self, jobs: Sequence[HeldJob], outcomes: Outcomes) -> None:
        held_all = held_of([job.lease for job in jobs])
        if all(held_all) and list(outcomes.values()).count(DONE) == len(jobs):
            self._settler.give_done(jobs)
            return
        endings: list[Ending] = []
        left: list[Lease] = []
        for job, held in zip(jobs, held_all, strict=True):
            if held and job.id in outcomes:
                endings.append(self._ending(job, outcomes[job.id]))
            else:
                self.lost += not held
                left.append(job.lease)
        if endings:
            self._settler.give(endings)
        if left:
            self._keeper.untrack(*left)

    def _ending(self, job: HeldJob, outcome: Outcome) -> Ending:
        delay_ms = 0
        if isinstance(outcome, Again):
            delay_ms = self._options.delay_of(job.attempt) if outcome.delay_ms is None else outcome.delay_ms
        # Its lease is kept until the server has said what became of it: settling may take longer than a lease.
        return Ending(job.id, job.token, outcome, delay_ms, job.max_attempts, job.lease)


def _held(claim: Claim, max_attempts: int, lease: Lease) -> HeldJob:
    id, payload, token, group, uncounted = claim
    # A named tuple's own constructor takes twice as long, and there is one for each job.
    return tuple.__new__(HeldJob, (id, payload, token, token - uncounted, group, lease, max_attempts))
