"""How a worker works, and what it did."""

from __future__ import annotations

from dataclasses import dataclass, field

from .backoff import Backoff, exponential


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How a worker works.

    Attributes:
        lease_ms: the length of a lease, kept alive for as long as a handler runs.
        batch: the most jobs in one claim, and in one call of a batch handler.
        concurrency: how many handler calls run at once; by default 1 for ``batch`` and 16 for ``each``.
        beat_ms: about how often lapsed leases are reaped and due jobs promoted, and how long an idle worker
            is parked at most.
        max_attempts: after this many attempts, lapsed leases included, a job is dead.
        backoff: attempts so far -> milliseconds until the next.
        grace_ms: after ``stop()``, how long handlers may still run and jobs be settled.
    """

    lease_ms: int = 30_000
    batch: int = 100
    concurrency: int | None = None
    beat_ms: int = 1_000
    max_attempts: int = 20
    backoff: Backoff = field(default_factory=lambda: exponential(1_000, 60_000))
    grace_ms: int = 8_000

    def __post_init__(self) -> None:
        for name in ("lease_ms", "batch", "concurrency", "beat_ms", "max_attempts", "grace_ms"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value <= 0):
                raise ValueError(f"{name} is {value!r}: give a whole number above 0")


@dataclass(frozen=True, slots=True)
class WorkerStats:
    """What a worker did since it was made.

    Attributes:
        lost: jobs whose lease was lost in its hands; nothing was settled for them.
        gone: jobs that had no row any more when they were settled.
        stale: jobs that were somebody else's when they were settled.
        refused: jobs that the server would not settle; their leases lapse.
        executor: what runs the transitions.
    """

    claimed: int = 0
    completed: int = 0
    retried: int = 0
    dead: int = 0
    lost: int = 0
    gone: int = 0
    stale: int = 0
    refused: int = 0
    reaped: int = 0
    promoted: int = 0
    executor: str = "scripts"
