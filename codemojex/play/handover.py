"""Notices on their way to Telegram: handed over, told, given back, dropped.

``sends`` counts how often a notice was handed over, and is raised before that, so that a process that dies in between
leaves a trace. Several senders may be at it: each step changes only what is still as it was seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, bindparam, case, literal_column, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play.locks import lock_guess_ids
from codemojex.play.outbox import WAITS, Notice
from codemojex.store.chunks import chunks
from codemojex.store.columns import JobId, TelegramId
from codemojex.store.lists import listed
from codemojex.store.rows import given
from codemojex.store.schema import guesses, notices

# A reply is of no person and no game, so nothing would find it by whom it names: its words end with their use.
_KEPT = case(
    (notices.c.player_id.is_(None) & notices.c.game_id.is_(None), literal_column("'{}'")),
    else_=notices.c.data,
)


async def sending(
    tx: AsyncConnection, seen: Iterable[Notice], now: datetime, *, of_cards: bool = False
) -> list[Notice]:
    """Take notices for one send: ``sends`` goes up by one for each that is still as it was seen.

    Args:
        of_cards: they refresh cards, and are locked by chat as by those who ask for a refresh.

    Returns:
        The ones taken, as they are now, in the order given. A notice that is missing from the answer was
        taken, sent or dropped by somebody else meanwhile and must not be sent.
    """
    seen = list(seen)
    taken: set[str] = set()
    for sends in sorted({notice.sends for notice in seen}):
        for part in chunks(sorted(notice.id for notice in seen if notice.sends == sends)):
            await _lock(tx, part, of_cards=of_cards)
            about = {"ids": part, "seen": sends, "next": sends + 1, "now": now}
            claimed = await tx.execute(_CLAIM, about)
            taken.update(claimed.scalars())
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
            .values(sent_at=now, sending_at=None, message_id=message_id, failure=failure, data=_KEPT)
        )
        await _told(tx, part, now)


async def sent_all(tx: AsyncConnection, told: Mapping[str, int | None], now: datetime) -> None:
    """Settle many notices as told, and with them the guesses they tell.

    Args:
        told: notice id -> the message it went in; None where the answer does not say which.
    """
    for ids in chunks(sorted(told)):
        await _lock(tx, ids)
        these = [{"notice": id, "message": told[id]} for id in ids]
        await tx.execute(_sent(tx.dialect.name), {"told": these, "now": now})
        await _told(tx, ids, now)


async def unsent(tx: AsyncConnection, ids: Sequence[str]) -> None:
    """Give a send back that surely did not leave: the notices wait as if it had not been tried."""
    for part in chunks(ids):
        await tx.execute(
            update(notices)
            .where(notices.c.id.in_(part), WAITS, notices.c.sends > 0)
            .values(sends=notices.c.sends - 1, sending_at=None)
        )


async def failed(tx: AsyncConnection, ids: Sequence[str], failure: str, now: datetime) -> None:
    """Drop notices that can never be told; they wait no more, and their guesses stay untold."""
    for part in chunks(ids):
        await _drop(tx, notices.c.id.in_(part), failure, now)


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
    return await _drop(tx, here, failure, now)


async def _drop(tx: AsyncConnection, which: ColumnElement[bool], failure: str, now: datetime) -> int:
    """Drop those of ``which`` that wait; how many.

    Their guesses are marked, or the sweep would look at them for ever.
    """
    values = {"failure": failure, "failed_at": now, "sending_at": None, "data": _KEPT}
    dropped = update(notices).where(which, WAITS).values(values).returning(notices.c.guess_id)
    guess_ids = list((await tx.execute(dropped)).scalars())
    for part in chunks(sorted(id for id in guess_ids if id is not None)):
        await lock_guess_ids(tx, part)
        await tx.execute(_DROPPED, {"ids": part, "now": now})
    return len(guess_ids)


async def _told(tx: AsyncConnection, ids: Sequence[str], now: datetime) -> None:
    """Count the guesses of these notices as told."""
    if tx.dialect.name == "postgresql":
        await tx.execute(_LOCK_UNTOLD, {"ids": ids})
    await tx.execute(_TOLD, {"ids": ids, "now": now})


async def _lock(tx: AsyncConnection, ids: Sequence[str], *, of_cards: bool = False) -> None:
    """Lock notices in the order of their ids, so that two senders never wait for each other in a ring."""
    if tx.dialect.name == "postgresql":
        await tx.execute(_LOCK_OF_CARDS if of_cards else _LOCK, {"ids": ids})


_THESE = listed(notices.c.id, "ids")
_LOCK = select(notices.c.id).where(_THESE).order_by(notices.c.id).with_for_update(key_share=True)
_LOCK_OF_CARDS = _LOCK.order_by(None).order_by(notices.c.chat_id, notices.c.card_id, notices.c.id)
_CLAIM = (
    update(notices)
    .where(_THESE, notices.c.sends == bindparam("seen"), WAITS)
    .values(sends=bindparam("next"), sending_at=bindparam("now"))
    .returning(notices.c.id)
)
_UNTOLD = (
    guesses.c.id.in_(select(notices.c.guess_id).where(_THESE, notices.c.guess_id.is_not(None))),
    guesses.c.told_at.is_(None),
)
_LOCK_UNTOLD = select(guesses.c.id).where(*_UNTOLD).order_by(guesses.c.id).with_for_update(key_share=True)
_TOLD = update(guesses).where(*_UNTOLD).values(told_at=bindparam("now"))
_DROPPED = (
    update(guesses)
    .where(listed(guesses.c.id, "ids"), guesses.c.told_at.is_(None))
    .values(dropped_at=bindparam("now"))
)


@cache
def _sent(dialect: str) -> Any:
    row = given(dialect, "told", notice=JobId, message=TelegramId())
    told = {"sent_at": bindparam("now"), "sending_at": None, "message_id": row["message"], "failure": None}
    return (
        update(notices)
        .where(notices.c.id == row["notice"], notices.c.sent_at.is_(None))
        .values(**told, data=_KEPT)
    )
