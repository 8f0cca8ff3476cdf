"""What waits in the database: for the queue, for a score, to be told. Read through the small indexes of what waits,
so it costs as much as there is of that, whatever the history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play.literals import IS_OPEN
from codemojex.play.outbox import WAITS
from codemojex.store.schema import games, guesses, notices


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits at one moment.

    Attributes:
        games_open: games that are being played.
        unqueued: guesses that are not known to be in the queue.
        unscored: guesses without a score, those of paused players among them.
        unscored_since: when the oldest of them was admitted; None where there is none.
        untold: notices that wait to be sent.
        untold_since: when the oldest of them was written; None where there is none.
    """

    games_open: int
    unqueued: int
    unscored: int
    unscored_since: datetime | None
    untold: int
    untold_since: datetime | None


async def backlog(tx: AsyncConnection) -> Backlog:
    """What waits now."""
    # The oldest by its time and not by its id: for the least id a planner may walk the whole history instead.
    unscored = select(func.count(), func.min(guesses.c.admitted_at)).where(guesses.c.scored_at.is_(None))
    untold = select(func.count(), func.min(notices.c.created_at)).where(WAITS)
    return Backlog(
        (await tx.execute(select(func.count()).where(games.c.state == IS_OPEN))).scalar_one(),
        (await tx.execute(select(func.count()).where(guesses.c.enqueued_at.is_(None)))).scalar_one(),
        *(await tx.execute(unscored)).one(),
        *(await tx.execute(untold)).one(),
    )
