"""While the queue is away: players learn, once, that a guess they wait for is not lost."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import exists, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import outbox, told_once
from codemojex.play.minting import Mint
from codemojex.play.outbox import Draft, NoticeRef
from codemojex.store.schema import guesses
from codemojex.store.schema import told_once as told

_SUBJECT = "safe:"


async def reassure(
    tx: AsyncConnection, mint: Mint, now: datetime, older_than: datetime, limit: int
) -> list[NoticeRef]:
    """Write a ``safe`` notice for chats with guesses that the queue has not taken for a while.

    A chat is told once for the oldest guess that waits there, whoever asks and however often: so once in an
    outage.

    Args:
        older_than: guesses admitted later may still be on their way.
        limit: chats at most; the others come with the next call.
    """
    waiting = (
        select(guesses.c.chat_id, guesses.c.thread_id)
        .add_columns(func.min(guesses.c.id).label("oldest"), func.count().label("guesses"))
        .where(guesses.c.enqueued_at.is_(None), guesses.c.scored_at.is_(None))
        .where(guesses.c.admitted_at < older_than)
        .group_by(guesses.c.chat_id, guesses.c.thread_id)
        .subquery()
    )
    knows = exists().where(told.c.chat_id == waiting.c.chat_id, told.c.subject == _SUBJECT + waiting.c.oldest)
    drafts = []
    for row in await tx.execute(select(waiting).where(~knows).order_by(waiting.c.oldest).limit(limit)):
        if await told_once.first(tx, row.chat_id, f"{_SUBJECT}{row.oldest}", now):
            drafts.append(Draft(row.chat_id, "safe", {"guesses": row.guesses}, thread_id=row.thread_id))
    return await outbox.write_many(tx, mint, now, drafts)
