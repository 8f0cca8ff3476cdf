"""What the sweep and the notifier should have put right, done for rows that the audit names.

Each is safe on a live system and changes nothing when it is done again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play.audit import PATIENCE
from codemojex.play.locks import lock_guesses
from codemojex.play.outbox import WAITS, NoticeRef
from codemojex.store.chunks import chunks
from codemojex.store.schema import guesses, notices


async def count_told(tx: AsyncConnection, ids: Sequence[str]) -> None:
    """Guesses count as told from when their notice was sent."""
    sent_at = (
        select(notices.c.sent_at)
        .where(notices.c.guess_id == guesses.c.id, notices.c.sent_at.is_not(None))
        .scalar_subquery()
    )
    for part in chunks(ids):
        these = guesses.c.id.in_(part) & guesses.c.told_at.is_(None)
        await lock_guesses(tx, these)
        await tx.execute(update(guesses).where(these).values(told_at=sent_at))


async def release(tx: AsyncConnection, ids: Sequence[str], now: datetime) -> None:
    """Sends that began in the future began long ago: whoever looks next gives them up."""
    for part in chunks(ids):
        these = notices.c.id.in_(part) & WAITS & (notices.c.sending_at > now + PATIENCE)
        await tx.execute(update(notices).where(these).values(sending_at=now - PATIENCE))


async def abandoned(tx: AsyncConnection, ids: Sequence[str], now: datetime, most_sends: int) -> list[str]:
    """Which of these notices were handed over for the last time, so long ago that no answer will come."""
    found: list[str] = []
    for part in chunks(ids):
        these = notices.c.id.in_(part) & WAITS & (notices.c.sends >= most_sends)
        query = select(notices.c.id).where(these, notices.c.sending_at < now - PATIENCE)
        found += (await tx.execute(query)).scalars()
    return found


async def waiting_refs(tx: AsyncConnection, ids: Sequence[str]) -> list[NoticeRef]:
    """Those of these notices that wait, with their chats."""
    found: list[NoticeRef] = []
    for part in chunks(ids):
        rows = await tx.execute(select(notices.c.id, notices.c.chat_id).where(notices.c.id.in_(part), WAITS))
        found += [NoticeRef(row.id, row.chat_id) for row in rows]
    return found
