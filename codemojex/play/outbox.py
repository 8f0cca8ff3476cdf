"""Notices: what players are to be told. A row here is the message; a job in the notify queue only wakes the
sender.

A notice waits until ``sent_at`` or ``failure`` is set. ``sends`` counts how often it was handed to
Telegram, and is raised before the handing over, so that a process that dies in between leaves a trace.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play.locks import lock_guesses
from codemojex.play.minting import Mint
from codemojex.store.chunks import chunks
from codemojex.store.columns import AnyRow
from codemojex.store.schema import guesses, notices
from codemojex.store.upsert import upsert

_WAITS = notices.c.sent_at.is_(None) & notices.c.failure.is_(None)


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
    written = set((await tx.execute(_write(tx.dialect.name), rows)).scalars())
    return [NoticeRef(row["id"], row["chat_id"]) for row in rows if row["id"] in written]


def dumped(data: Mapping[str, Any]) -> str:
    """``data`` as it is stored."""
    return json.dumps(data, ensure_ascii=False)


async def waiting(tx: AsyncConnection, chat_id: int, limit: int, *which: ColumnElement[bool]) -> list[Notice]:
    """What ``chat_id`` has not been told, oldest first, at most ``limit``; of ``which`` alone, if given."""
    query = select(notices).where(notices.c.chat_id == chat_id, _WAITS, *which).order_by(notices.c.id)
    return [_notice(row) for row in await tx.execute(query.limit(limit))]


async def waiting_each(
    tx: AsyncConnection, chat_ids: Collection[int], limit: int, most: int
) -> dict[int, list[Notice]]:
    """What each of these chats has not been told, as `waiting` says of one.

    Args:
        limit: notices of each chat.
        most: notices read in one go; where there are more, whoever is behind them is asked alone.
    """
    found: dict[int, list[Notice]] = {}
    here = notices.c.chat_id.in_(sorted(chat_ids)), _WAITS
    query = select(notices).where(*here).order_by(notices.c.chat_id, notices.c.id).limit(most)
    rows = [_notice(row) for row in await tx.execute(query)]
    for notice in rows:
        found.setdefault(notice.chat_id, []).append(notice)
    if len(rows) == most:
        behind = [id for id in chat_ids if id >= rows[-1].chat_id]
        found |= {id: await waiting(tx, id, limit) for id in behind}
    return {id: found.get(id, [])[:limit] for id in chat_ids}


async def chats_waiting(tx: AsyncConnection, limit: int, after: int | None = None) -> list[int]:
    """Chats with something to be told, in chat id order, at most ``limit``, those above ``after`` only."""
    query = select(notices.c.chat_id).where(_WAITS).distinct().order_by(notices.c.chat_id).limit(limit)
    if after is not None:
        query = query.where(notices.c.chat_id > after)
    return list((await tx.execute(query)).scalars())


async def count_waiting(tx: AsyncConnection) -> int:
    """How many notices wait, in all chats."""
    return (await tx.execute(select(func.count()).select_from(notices).where(_WAITS))).scalar_one()


async def sending(tx: AsyncConnection, seen: Iterable[Notice], now: datetime) -> list[Notice]:
    """Take notices for one send: ``sends`` goes up by one for each that is still as it was seen.

    Returns:
        The ones taken, as they are now, in the order given. A notice that is missing from the answer was
        taken, sent or dropped by somebody else meanwhile and must not be sent.
    """
    seen = list(seen)
    taken: set[str] = set()
    for sends in sorted({notice.sends for notice in seen}):
        for part in chunks(sorted(notice.id for notice in seen if notice.sends == sends)):
            which = notices.c.id.in_(part) & (notices.c.sends == sends) & _WAITS
            await _lock(tx, which)
            claim = update(notices).where(which).values(sends=sends + 1, sending_at=now)
            taken.update((await tx.execute(claim.returning(notices.c.id))).scalars())
    return [replace(notice, sends=notice.sends + 1, sending_at=now) for notice in seen if notice.id in taken]


async def sent(
    tx: AsyncConnection,
    ids: Sequence[str],
    message_id: int | None,
    now: datetime,
    failure: str | None = None,
) -> None:
    """Settle notices as told, and with them the guesses they tell.

    Args:
        ids: notices that went in one message.
        message_id: the message, None when Telegram's answer was lost.
        failure: what is known to have gone wrong although it counts as told, like ``answer lost``.
    """
    for part in chunks(ids):
        await tx.execute(
            update(notices)
            .where(notices.c.id.in_(part), notices.c.sent_at.is_(None))
            .values(sent_at=now, sending_at=None, message_id=message_id, failure=failure)
        )
        await _told(tx, part, now)


async def sent_all(tx: AsyncConnection, told: Mapping[str, int | None], now: datetime) -> None:
    """Settle many notices as told, and with them the guesses they tell.

    Args:
        told: notice id -> the message it went in; None where the answer does not say which.
    """
    for ids in chunks(sorted(told)):
        await _lock(tx, notices.c.id.in_(ids))
        await tx.execute(_SENT, [{"notice": id, "message": told[id], "now": now} for id in ids])
        await _told(tx, ids, now)


async def unsent(tx: AsyncConnection, ids: Sequence[str]) -> None:
    """Give a send back that surely did not leave: the notices wait as if it had not been tried."""
    for part in chunks(ids):
        await tx.execute(
            update(notices)
            .where(notices.c.id.in_(part), _WAITS, notices.c.sends > 0)
            .values(sends=notices.c.sends - 1, sending_at=None)
        )


async def failed(tx: AsyncConnection, ids: Sequence[str], failure: str, now: datetime) -> None:
    """Drop notices that can never be told; they wait no more and their guesses stay untold."""
    for part in chunks(ids):
        await tx.execute(
            update(notices)
            .where(notices.c.id.in_(part), _WAITS)
            .values(failure=failure, failed_at=now, sending_at=None)
        )


async def drop_chat(
    tx: AsyncConnection, chat_id: int, failure: str, now: datetime, written_by: datetime | None = None
) -> int:
    """Drop what waits for a chat that takes nothing from this bot; how many that was.

    Args:
        written_by: what was written later is kept; None drops everything.
    """
    here = notices.c.chat_id == chat_id
    if written_by is not None:
        here &= notices.c.created_at <= written_by
    values = {"failure": failure, "failed_at": now, "sending_at": None}
    return (await tx.execute(update(notices).where(here, _WAITS).values(values))).rowcount


async def _told(tx: AsyncConnection, ids: Sequence[str], now: datetime) -> None:
    """Count the guesses of these notices as told."""
    told = select(notices.c.guess_id).where(notices.c.id.in_(ids), notices.c.guess_id.is_not(None))
    untold = guesses.c.id.in_(told) & guesses.c.told_at.is_(None)
    await lock_guesses(tx, untold)
    await tx.execute(update(guesses).where(untold).values(told_at=now))


async def _lock(tx: AsyncConnection, which: ColumnElement[bool]) -> None:
    """Lock notices in the order of their ids, so that two senders never wait for each other in a ring."""
    if tx.dialect.name == "postgresql":
        query = select(notices.c.id).where(which).order_by(notices.c.id)
        await tx.execute(query.with_for_update(key_share=True))


_SENT = (
    update(notices)
    .where(notices.c.id == bindparam("notice"), notices.c.sent_at.is_(None))
    .values(sent_at=bindparam("now"), sending_at=None, message_id=bindparam("message"), failure=None)
)


@cache
def _write(dialect: str) -> Any:
    inserted = upsert(dialect, notices).on_conflict_do_nothing(index_elements=["guess_id"])
    return inserted.returning(notices.c.id)


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
