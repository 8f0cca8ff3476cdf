"""Every promise that a query can see, asked of the whole database at one moment.

The report names what does not hold, with ids to look at; nothing of a secret is in it. What only takes time
(a guess that waits for its score) becomes a violation once it has taken far longer than the sweep needs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play.audit.admission import NOT_QUEUED, admission
from codemojex.play.audit.aids import aids
from codemojex.play.audit.check import PATIENCE, Check
from codemojex.play.audit.company import company
from codemojex.play.audit.gathering import gathering
from codemojex.play.audit.rules import by_the_rules
from codemojex.play.audit.settling import NOT_SCORED, scoring, settlement
from codemojex.play.audit.telling import NOTICE_PATIENCE, telling
from codemojex.play.literals import IS_CLOSED, IS_OPEN
from codemojex.play.outbox import WAITS
from codemojex.store.schema import games, guesses, notices, players, poison, rooms, updates

__all__ = [
    "NOTICE_PATIENCE",
    "NOT_QUEUED",
    "NOT_SCORED",
    "PATIENCE",
    "SAMPLE",
    "AuditReport",
    "Violation",
    "audit",
    "broken",
    "checks",
    "violation",
]

SAMPLE = 5


@dataclass(frozen=True, slots=True)
class Violation:
    """A promise that does not hold.

    Attributes:
        name: stable, like ``won_by_a_later_crack``.
        promise: the sentence that is broken.
        count: rows that break it.
        samples: ids of at most five of them; which table's, the promise says.
    """

    name: str
    promise: str
    count: int
    samples: list[str]


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What there is, and which promises it breaks.

    Attributes:
        unasked: why the queue was not asked; None when it was.
        took_s: how long all of it took, seconds; None where nobody has measured it.
    """

    at: datetime
    counts: dict[str, int]
    violations: list[Violation]
    unasked: str | None = None
    took_s: float | None = None

    @property
    def holds(self) -> bool:
        """True when every promise holds."""
        return not self.violations

    def as_dict(self) -> dict[str, Any]:
        """Plain values for `json.dumps`."""
        return {**asdict(self), "at": self.at.isoformat(), "holds": self.holds}


async def audit(tx: AsyncConnection, now: datetime, paused: Collection[int] = ()) -> AuditReport:
    """Count and check everything; give it a snapshot (`Store.read`), or a busy system contradicts itself.

    Args:
        paused: players whose guesses wait because an operator wants it so.
    """
    await _take_time(tx)
    violations = []
    for check in checks(now, paused):
        total = (await tx.execute(select(func.count()).select_from(check.query.subquery()))).scalar_one()
        if total:
            ids = sorted((await tx.execute(check.query.limit(SAMPLE))).scalars())
            violations.append(Violation(check.name, check.promise, total, [str(id) for id in ids]))
    violations += [violation(*finding) for finding in await by_the_rules(tx)]
    counts = await _counts(tx)
    if paused:
        counts["waiting_paused"] = await _waiting(tx, paused)
    return AuditReport(now, counts, violations)


async def broken(tx: AsyncConnection, name: str, now: datetime, paused: Collection[int] = ()) -> list[Any]:
    """Ids of everything that breaks the promise ``name`` as of ``now``, in order."""
    [check] = [check for check in checks(now, paused) if check.name == name]
    return list((await tx.execute(check.query)).scalars())


def violation(name: str, promise: str, ids: Sequence[str]) -> Violation:
    """A promise that all of ``ids`` break."""
    return Violation(name, promise, len(ids), list(ids[:SAMPLE]))


def checks(now: datetime, paused: Collection[int] = ()) -> Iterator[Check]:
    """Every promise that one query can see, as of ``now``."""
    yield from admission(now)
    yield from scoring(now, paused)
    yield from settlement(now)
    yield from telling(now)
    yield from company(now)
    yield from aids(now)
    yield from gathering(now)


async def _take_time(tx: AsyncConnection) -> None:
    """Let this transaction think between its statements; PostgreSQL ends one that seems to have been left."""
    if tx.dialect.name == "postgresql":
        await tx.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))


async def _waiting(tx: AsyncConnection, players_: Collection[int]) -> int:
    """How many guesses of these players have no score."""
    query = select(func.count()).where(guesses.c.scored_at.is_(None), guesses.c.player_id.in_(players_))
    return (await tx.execute(query)).scalar_one()


async def _counts(tx: AsyncConnection) -> dict[str, int]:
    counted = {
        "players": select(func.count()).select_from(players),
        "rooms": select(func.count()).select_from(rooms),
        "games_open": select(func.count()).where(games.c.state == IS_OPEN),
        "games_closed": select(func.count()).where(games.c.state == IS_CLOSED),
        "admitted": select(func.count()).select_from(guesses),
        "queued": select(func.count()).where(guesses.c.enqueued_at.is_not(None)),
        "scored": select(func.count()).where(guesses.c.scored_at.is_not(None)),
        "told": select(func.count()).where(guesses.c.told_at.is_not(None)),
        "late": select(func.count()).where(guesses.c.late),
        "notices": select(func.count()).select_from(notices),
        "notices_waiting": select(func.count()).where(WAITS),
        "notices_failed": select(func.count()).where(
            notices.c.sent_at.is_(None), notices.c.failure.is_not(None)
        ),
        "updates": select(func.count()).select_from(updates),
        "poison": select(func.count()).select_from(poison),
    }
    return {name: (await tx.execute(query)).scalar_one() for name, query in counted.items()}
