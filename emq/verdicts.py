"""What a batch verb says about each item: verdicts of an enqueue, settlements of a completion."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple, TypeAlias

# Codes after which the very same command may succeed later: a server full, starting, failing over or busy.
_TRANSIENT = frozenset(
    [
        "OOM",
        "LOADING",
        "READONLY",
        "MASTERDOWN",
        "CLUSTERDOWN",
        "TRYAGAIN",
        "BUSY",
        "NOREPLICAS",
        "MISCONF",
        "MOVED",
        "ASK",
        "UNBLOCKED",
        "NOSCRIPT",
    ]
)


class Admission(Enum):
    """How an enqueue ended when the server did not refuse it; both mean that the job is in the queue."""

    ENQUEUED = "enqueued"
    DUPLICATE = "duplicate"

    def __str__(self) -> str:
        return self.value


class Settlement(Enum):
    """How a completion ended: done, the job had no row any more, or the token was no longer its fence."""

    COMPLETED = "completed"
    GONE = "gone"
    STALE = "stale"

    def __str__(self) -> str:
        return self.value


class Requeued(Enum):
    """How the requeue of one dead job ended."""

    REQUEUED = "requeued"
    GONE = "gone"
    NOT_DEAD = "not dead"

    def __str__(self) -> str:
        return self.value


class Claim(NamedTuple):
    """A job handed out under a lease.

    Attributes:
        id: the JOB id.
        payload: the bytes it was enqueued with.
        token: its fencing token, the number of this claim (1 for the first).
        group: the lane it belongs to, if any.
        uncounted: how many of its claims are no attempts, because they ended in a delay or before a requeue.
    """

    id: str
    payload: bytes
    token: int
    group: str | None = None
    uncounted: int = 0

    @property
    def attempt(self) -> int:
        """Which attempt this is, from 1; what ``max_attempts`` is compared with."""
        return self.token - self.uncounted


@dataclass(frozen=True, slots=True)
class Counts:
    """How many jobs of a queue are in each state, and what became of the others.

    Attributes:
        pending: that wait outside of lanes.
        dropped: members that claims, promotions and reaps found without a row, and took out.
        in_lanes: that wait in lanes; only ``Admin.counts`` counts them.
    """

    pending: int
    active: int
    scheduled: int
    dead: int
    completed: int = 0
    failed: int = 0
    dropped: int = 0
    in_lanes: int = 0

    @property
    def waiting(self) -> int:
        """That can be claimed now, or once their lane lets them."""
        return self.pending + self.in_lanes


@dataclass(frozen=True, slots=True)
class Refused:
    """This item was refused and changed nothing; the others of its batch are not touched by that.

    Attributes:
        code: ``kind`` for an id that is not a well-formed JOB id, else the server's code (``OOM`` ...).
        message: a sentence, or the server's own words.
    """

    code: str
    message: str = ""

    @property
    def transient(self) -> bool:
        """Whether sending the same item again may succeed; ``False`` means that it never will by itself."""
        return self.code in _TRANSIENT

    def __str__(self) -> str:
        return f"refused:{self.code}"


ENQUEUED: Final = Admission.ENQUEUED
"""The job's row was written and the job waits."""

DUPLICATE: Final = Admission.DUPLICATE
"""The row already existed, in whatever state; nothing was written."""

Verdict: TypeAlias = Admission | Refused
