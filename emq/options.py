"""How a worker works, and what it did."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from .backoff import Backoff, exponential
from .errors import MalformedArgument
from .verdicts import Claim

MAX_ATTEMPTS = 20
SAFE_MS = 1_000
LONGEST_MS = 10**14
"""A delay as far as the wire carries one, some three thousand years."""

log = logging.getLogger("emq.worker")


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How a worker works.

    Attributes:
        lease_ms: the length of a lease, kept alive for as long as a handler runs.
        batch: the most jobs in one call of a batch handler, and in one claim, unless handlers are so quick that they
            would wait for claims: then jobs are taken ahead, as many as are worked off in 20 ms, 400 at most.
        concurrency: how many handler calls run at once; by default 1 for ``batch`` and 16 for ``each``.
        beat_ms: about how often lapsed leases are reaped, due jobs of which nobody was told are looked for, and how
            long an idle worker is parked at most.
        max_attempts: after this many attempts, lapsed leases included, a job is dead; a number for all, or a
            function that tells it of a claimed job (by its payload, its group ...). The row keeps no cap: EchoMQ
            has none there, and whoever works on a job decides.
        backoff: attempts so far -> milliseconds until the next.
        events: publish what jobs came to on the queue's events channel, when somebody listens.
        grace_ms: after ``stop()``, how long handlers may still run and jobs be settled.

    Raises:
        MalformedArgument: one of them cannot be; the sentence says which.
    """

    lease_ms: int = 30_000
    batch: int = 100
    concurrency: int | None = None
    beat_ms: int = 1_000
    max_attempts: int | Callable[[Claim], int] = MAX_ATTEMPTS
    backoff: Backoff = field(default_factory=lambda: exponential(1_000, 60_000))
    grace_ms: int = 8_000
    events: bool = True

    def __post_init__(self) -> None:
        for name in ("lease_ms", "batch", "concurrency", "beat_ms", "max_attempts", "grace_ms"):
            value = getattr(self, name)
            if name == "max_attempts" and callable(value):
                continue
            if value is not None and (type(value) is not int or value <= 0):
                raise MalformedArgument(f"{name} is {value!r:.40}: give a whole number above 0")
        if not callable(self.backoff):
            raise MalformedArgument(
                f"backoff is {self.backoff!r:.40}: give a function from attempts to ms, such as emq.fixed(ms)"
            )

    def delay_of(self, attempt: int) -> int:
        """Milliseconds until the attempt after ``attempt``; a backoff that fails is told to the log and means 1 s."""
        try:
            return min(max(0, round(self.backoff(attempt))), LONGEST_MS)
        except Exception:
            log.exception("the backoff failed for attempt %d; the next one is in %d ms", attempt, SAFE_MS)
            return SAFE_MS

    def attempts_of(self, claim: Claim) -> int:
        """How many attempts this job has; a function that fails is told to the log and means 20."""
        if not callable(self.max_attempts):
            return self.max_attempts
        try:
            most = self.max_attempts(claim)
            if type(most) is not int or most <= 0:
                raise ValueError(
                    f"max_attempts said {most!r:.40}: a whole number above 0 is what it must say"
                )
        except Exception:
            log.exception("max_attempts failed for %s; it has %d attempts", claim.id, MAX_ATTEMPTS)
            return MAX_ATTEMPTS
        return most


@dataclass(frozen=True, slots=True)
class LeaseStats:
    """What a lease keeper did since it was made.

    Attributes:
        tracked: leases that it keeps now.
        native, scripts: beats that the server answered, by the executor that ran them.
        failed: beats that it did not answer.
        extended: leases moved forward, counted each time.
        lost: leases lost while they were tracked.
    """

    tracked: int = 0
    native: int = 0
    scripts: int = 0
    failed: int = 0
    extended: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class WorkerStats:
    """What a worker did since it was made, and what it holds now.

    Attributes:
        held: jobs in its hands now.
        claimed_at: when a claim was last answered, with jobs or without, in seconds of ``time.monotonic()``;
            ``None`` before the first.
        delayed: jobs that were given back for a while, an attempt that does not count.
        lost: jobs whose lease was lost in its hands; nothing was settled for them.
        gone: jobs that had no row any more when they were settled.
        stale: jobs that were somebody else's when they were settled.
        refused: jobs that the server would not settle; their leases lapse.
        executor: what ran the last extension of leases, ``native`` or ``scripts``; all else runs as scripts.
    """

    claimed: int = 0
    completed: int = 0
    retried: int = 0
    delayed: int = 0
    dead: int = 0
    lost: int = 0
    gone: int = 0
    stale: int = 0
    refused: int = 0
    reaped: int = 0
    promoted: int = 0
    executor: str = "scripts"
    held: int = 0
    claimed_at: float | None = None
    leases: LeaseStats = field(default_factory=LeaseStats)
