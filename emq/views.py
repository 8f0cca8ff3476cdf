"""What an operator sees of a queue: states, ages, rates, dead letters. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from .ids import is_valid, parse


class State(StrEnum):
    """Where a job is, by the set that holds it; a job that waits in a lane is pending as well."""

    PENDING = "pending"
    ACTIVE = "active"
    SCHEDULED = "scheduled"
    DEAD = "dead"
    AWAITING_CHILDREN = "awaiting_children"
    UNKNOWN = "unknown"
    """It has a row and is in no set."""
    ABSENT = "absent"
    """It has no row: it was completed, or never was."""


@dataclass(frozen=True, slots=True)
class Ages:
    """How old the oldest job of each state is, milliseconds since its id was minted; ``None`` without one.

    Of jobs in flight and scheduled ones the first thousand are looked at, in the order of lease and due time;
    of lanes the first thousand of the rota.

    Attributes:
        overdue: how long ago the first scheduled job was due; ``None`` when none is due.
        lapsed: how long ago the first lease in flight lapsed; ``None`` when all hold.
    """

    pending: int | None
    in_lanes: int | None
    active: int | None
    scheduled: int | None
    dead: int | None
    overdue: int | None
    lapsed: int | None


@dataclass(frozen=True, slots=True)
class Throughput:
    """Jobs a second, between two looks at the counters."""

    completed: float
    failed: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Failure:
    """One line of a job's history.

    Attributes:
        at_ms: when it failed, unix milliseconds by the server's clock.
        token: the claim that failed.
        reason: the first 200 bytes of what it said.
    """

    at_ms: int
    token: int
    reason: str


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A job that was set aside.

    Attributes:
        id: the JOB id.
        payload: the bytes it was enqueued with.
        group: the lane it came from, if any.
        reason: what its last failure said.
        claims: how often it was claimed.
        stalled: how many of its leases lapsed.
        minted_ms: when its id was minted, unix milliseconds.
        died_ms: when it died; ``None`` for a job that a foreign client buried.
        history: its last failures, oldest first, at most ten.
    """

    id: str
    payload: bytes
    group: str | None
    reason: str
    claims: int
    stalled: int
    minted_ms: int
    died_ms: int | None
    history: tuple[Failure, ...]


def dead_letter(id: str, row: Mapping[str, bytes]) -> DeadLetter:
    """A dead letter of its row."""
    group = _text(row.get("group", b""))
    return DeadLetter(
        id=id,
        payload=row.get("payload", b""),
        group=group or None,
        reason=_text(row.get("last_error", b"")),
        claims=_number(row.get("attempts")) or 0,
        stalled=_number(row.get("stalled")) or 0,
        minted_ms=parse(id).unix_ms if is_valid(id) else 0,
        died_ms=_number(row.get("dead_at")),
        history=history(row.get("history", b"")),
    )


def history(lines: bytes) -> tuple[Failure, ...]:
    """The failures that a row remembers."""
    found = []
    for line in _text(lines).split("\n"):
        at, _, rest = line.partition(" ")
        token, _, reason = rest.partition(" ")
        if at.isdigit() and token.isdigit():
            found.append(Failure(int(at), int(token), reason))
    return tuple(found)


def _text(value: bytes) -> str:
    return value.decode(errors="replace")


def _number(value: bytes | None) -> int | None:
    return int(value) if value is not None and value.isdigit() else None
