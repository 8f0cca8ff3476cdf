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
    query = select(guesses.c.id).where(guesses.c.told_at.is_(None), ~given_up).limit(1)
    return (await tx.execute(query)).first() is not None or await outbox.count_waiting(tx) > 0
