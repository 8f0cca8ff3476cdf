"""Notices: what players are to be told. A row here is the message; a job in the notify queue only wakes the
sender.

A notice waits until ``sent_at`` or ``failure`` is set; `handover` has the steps to there.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, true
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play.minting import Mint
from codemojex.store.columns import AnyRow
from codemojex.store.lists import listed
from codemojex.store.rows import given
from codemojex.store.schema import notices
from codemojex.store.upsert import upsert

WAITS = notices.c.sent_at.is_(None) & notices.c.failure.is_(None)


@dataclass(frozen=True, slots=True)
class NoticeRef:
    """A notice that now exists, and the chat that waits for it."""

    id: str
    chat_id: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A notice before it is written.

    Attributes:
        kind: text, result, late, ended …; names the sentence, and so what ``data`` holds.
        thread_id: forum topic, 0 for none.
        guess_id: the guess this notice tells; a guess has one notice at most.
        reply_to: message id in the same chat.
    """

    chat_id: int
    kind: str
    data: Mapping[str, Any]
    thread_id: int = 0
    player_id: int | None = None
    game_id: int | None = None
    guess_id: str | None = None
    reply_to: int | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice as it lies in the outbox.

    Attributes:
        sends: how often it was handed to Telegram, this time not counted.
        sending_at: when it was last handed over; None when that send surely did not leave.
        card_id: the card it shows, of a notice of the kind ``card``.
    """

    id: str
    chat_id: int
    thread_id: int
    kind: str
    data: dict[str, Any]
    created_at: datetime
    player_id: int | None = None
    game_id: int | None = None
    guess_id: str | None = None
    reply_to: int | None = None
    sends: int = 0
    sending_at: datetime | None = None
    sent_at: datetime | None = None
    message_id: int | None = None
    failure: str | None = None
    failed_at: datetime | None = None
    card_id: int | None = None


async def write(
    tx: AsyncConnection,
    mint: Mint,
    now: datetime,
    chat_id: int,
    kind: str,
    data: Mapping[str, Any],
    *,
    thread_id: int = 0,
    player_id: int | None = None,
    game_id: int | None = None,
    reply_to: int | None = None,
) -> NoticeRef:
    """Put one notice into the outbox of ``chat_id``."""
    draft = Draft(chat_id, kind, data, thread_id, player_id, game_id, None, reply_to)
    return (await write_many(tx, mint, now, [draft]))[0]


async def write_many(
    tx: AsyncConnection, mint: Mint, now: datetime, drafts: Sequence[Draft]
) -> list[NoticeRef]:
    """Put notices into the outbox; within a chat they are told in the order given.

    Returns:
        The notices written. A guess that has its notice already gets no second one.
    """
    rows = [_row(draft, mint("JOB"), now) for draft in drafts]
    if not rows:
        return []
    written = set((await tx.execute(_write(tx.dialect.name), {"notices": rows})).scalars())
    return [NoticeRef(row["id"], row["chat_id"]) for row in rows if row["id"] in written]


def dumped(data: Mapping[str, Any]) -> str:
    """``data`` as it is stored."""
    return json.dumps(data, ensure_ascii=False)


async def waiting(tx: AsyncConnection, chat_id: int, limit: int, *which: ColumnElement[bool]) -> list[Notice]:
    """What ``chat_id`` has not been told, oldest first, at most ``limit``; of ``which`` alone, if given."""
    query = select(notices).where(notices.c.chat_id == chat_id, WAITS, *which).order_by(notices.c.id)
    return [_notice(row) for row in await tx.execute(query.limit(limit))]


async def waiting_each(tx: AsyncConnection, chat_ids: Collection[int], most: int) -> dict[int, list[Notice]]:
    """All that each of these chats has not been told, oldest first.

    Args:
        most: notices read; where there are more, whoever may have some of those is left out, to be asked alone.
    """
    about = {"chats": sorted(chat_ids), "most": most}
    rows = [_notice(row) for row in await tx.execute(_WAITING_EACH, about)]
    whole = [id for id in chat_ids if len(rows) < most or id < rows[-1].chat_id]
    found: dict[int, list[Notice]] = {id: [] for id in whole}
    for notice in rows:
        if notice.chat_id in found:
            found[notice.chat_id].append(notice)
    return found


async def chats_waiting(tx: AsyncConnection, limit: int, after: int | None = None) -> list[int]:
    """Chats with something to be told, in chat id order, at most ``limit``, those above ``after`` only."""
    query = select(notices.c.chat_id).where(WAITS).distinct().order_by(notices.c.chat_id).limit(limit)
    if after is not None:
        query = query.where(notices.c.chat_id > after)
    return list((await tx.execute(query)).scalars())


async def count_waiting(tx: AsyncConnection) -> int:
    """How many notices wait, in all chats."""
    return (await tx.execute(select(func.count()).select_from(notices).where(WAITS))).scalar_one()


_WAITING_EACH = (
    select(notices)
    .where(listed(notices.c.chat_id, "chats"), WAITS)
    .order_by(notices.c.chat_id, notices.c.id)
    .limit(bindparam("most"))
)


@cache
def _write(dialect: str) -> Any:
    row = given(dialect, "notices", **{name: notices.c[name].type for name in _WRITTEN})
    # SQLite would take ON for a part of what it selects from, were there no condition.
    these = select(*row.values()).where(true())
    inserted = upsert(dialect, notices).from_select(list(row), these)
    return inserted.on_conflict_do_nothing(index_elements=["guess_id"]).returning(notices.c.id)


_WRITTEN = (
    "id",
    "chat_id",
    "thread_id",
    "kind",
    "player_id",
    "game_id",
    "guess_id",
    "reply_to",
    "data",
    "created_at",
)


def _row(draft: Draft, id: str, now: datetime) -> dict[str, Any]:
    return {
        "id": id,
        "chat_id": draft.chat_id,
        "thread_id": draft.thread_id,
        "kind": draft.kind,
        "player_id": draft.player_id,
        "game_id": draft.game_id,
        "guess_id": draft.guess_id,
        "reply_to": draft.reply_to,
        "data": dumped(draft.data),
        "created_at": now,
    }


def _notice(row: AnyRow) -> Notice:
    values = dict(row._mapping)
    return Notice(**{**values, "data": json.loads(values["data"])})
