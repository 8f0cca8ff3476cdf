"""Whether everything has come to rest: nothing left to score, to settle or to tell."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import outbox
from codemojex.store.schema import guesses


async def unfinished(tx: AsyncConnection) -> bool:
    """True while a guess has no answer or a notice waits.

    A guess that can never be told (its player blocked the bot) is marked as dropped.
    """
    unscored = guesses.c.scored_at.is_(None)
    untold = guesses.c.scored_at.is_not(None) & guesses.c.told_at.is_(None) & guesses.c.dropped_at.is_(None)
    # One after the other: each has an index of its own, which one question about both would not use.
    for waiting in (unscored, untold):
        if (await tx.execute(select(guesses.c.id).where(waiting).limit(1))).first() is not None:
            return True
    return await outbox.count_waiting(tx) > 0
