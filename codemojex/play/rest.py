"""Whether everything has come to rest: nothing left to score, to settle or to tell."""

from __future__ import annotations

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import outbox
from codemojex.store.schema import guesses, notices


async def unfinished(tx: AsyncConnection) -> bool:
    """True while a guess has no answer or a notice waits.

    A guess that can never be told (its player blocked the bot) has a notice that says why.
    """
    given_up = exists().where(notices.c.guess_id == guesses.c.id, notices.c.failure.is_not(None))
    unscored = guesses.c.scored_at.is_(None)
    untold = guesses.c.scored_at.is_not(None) & guesses.c.told_at.is_(None) & ~given_up
    # One after the other: each has an index of its own, which one question about both would not use.
    for waiting in (unscored, untold):
        if (await tx.execute(select(guesses.c.id).where(waiting).limit(1))).first() is not None:
            return True
    return await outbox.count_waiting(tx) > 0
