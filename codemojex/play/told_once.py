"""What is said to somebody only once, like that edited messages do not count."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.store.schema import told_once
from codemojex.store.upsert import upsert

# What each person of a group is told once: `about` makes the subject.
OF_EACH = ("edited", "disguise")


async def first(tx: AsyncConnection, chat_id: int, subject: str, now: datetime) -> bool:
    """True the first time that ``chat_id`` is to be told about ``subject``, and False ever after.

    Args:
        subject: a word of at most 64 characters; with a person's id in it where each of a group is told once:
            `about` makes it.
    """
    values = {"chat_id": chat_id, "subject": subject, "told_at": now}
    return (await tx.execute(_tell(tx.dialect.name), values)).one_or_none() is not None


def about(subject: str, player_id: int) -> str:
    """``subject``, one of `OF_EACH`, as told to one person of a chat.

    Raises:
        ValueError: another subject; what is said of a person must be found when they ask to be forgotten.
    """
    if subject not in OF_EACH:
        raise ValueError(f"{subject!r} is told to nobody by themselves; add it to told_once.OF_EACH")
    return f"{subject}:{player_id}"


@cache
def _tell(dialect: str) -> Any:
    return upsert(dialect, told_once).on_conflict_do_nothing().returning(told_once.c.subject)
