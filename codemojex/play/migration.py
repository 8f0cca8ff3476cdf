"""A group becomes a supergroup: Telegram gives its chat another id and says so in up to three ways, in any
order and more than once. Whatever the game knows of the chat moves in one transaction, and its game goes on.

Guesses keep the chat they came from: message ids start anew in the other one, and these must not be taken for
each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Table, bindparam, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import cards as cards_
from codemojex.play import rooms as rooms_
from codemojex.play import settlement
from codemojex.play.games import Cause
from codemojex.play.literals import IS_OPEN
from codemojex.play.minting import Mint
from codemojex.play.outbox import WAITS, NoticeRef
from codemojex.play.rooms import ChatRef, Room, as_room
from codemojex.store.schema import cards, chats, games, notices, rooms, seasons, told_once
from codemojex.store.upsert import upsert

_KIND = "supergroup"


@dataclass(frozen=True, slots=True)
class Moved:
    """A chat of which something has moved.

    Attributes:
        notices: what waits under its new id because of that.
    """

    notices: list[NoticeRef] = field(default_factory=list)


async def move_chat(
    tx: AsyncConnection, old: int, new: int, now: datetime, mint: Mint, tz: str = "UTC"
) -> Moved | None:
    """Move everything the game has under the chat id ``old`` to ``new``.

    Where a game is open under both, the old one goes on and the other is settled.

    Args:
        tz: DAILY_TZ, by which the seasons of a settled game count.

    Returns:
        None when there was nothing to move: it has moved before, or the bot never knew the chat.
    """
    if old == new:
        return None
    places = await _rooms(tx, old)
    moved = [await _move_settings(tx, old, new)]
    told: list[NoticeRef] = []
    for place in places:
        there = await rooms_.enter(tx, ChatRef(new, _KIND, place.title, place.thread_id), now)
        other = await _in_the_way(tx, place, there)
        settled = other and await settlement.settle(tx, other, now, mint, Cause.MOVED, tz)
        told += settled.notices if settled else []
        await _merge(tx, there, place)
    moved += [await _move_seasons(tx, old, new), await _move_told(tx, old, new)]
    told += await _move_notices(tx, old, new)
    shown = await _move_cards(tx, old, new)
    told += [ref for card in shown if (ref := await cards_.refresh(tx, mint, now, card)) is not None]
    return Moved(told) if places or told or any(moved) else None


async def _rooms(tx: AsyncConnection, chat_id: int) -> list[Room]:
    """The rooms of a chat, locked: whoever has entered one has left it before anything moves."""
    query = select(*rooms_.COLUMNS).where(rooms.c.chat_id == chat_id).order_by(rooms.c.id)
    return [as_room(row) for row in await tx.execute(query.with_for_update())]


async def _in_the_way(tx: AsyncConnection, place: Room, there: Room) -> int | None:
    """The open game of ``there``, where ``place`` has one too."""
    both = games.c.room_id.in_([place.id, there.id]), games.c.state == IS_OPEN
    found = await tx.execute(select(games.c.room_id, games.c.id).where(*both))
    open_ = {row.room_id: row.id for row in found}
    return open_[there.id] if len(open_) > 1 else None


async def _merge(tx: AsyncConnection, there: Room, place: Room) -> None:
    """Make the room ``there`` a part of ``place``, which takes its chat."""
    await tx.execute(update(games).where(games.c.room_id == there.id).values(room_id=place.id))
    await tx.execute(delete(rooms).where(rooms.c.id == there.id))
    await tx.execute(update(rooms).where(rooms.c.id == place.id).values(chat_id=there.chat_id))


async def _move_settings(tx: AsyncConnection, old: int, new: int) -> bool:
    """What was chosen under the old id holds: the new one has at best guessed a language.

    The old id is kept with where it has gone, for messages that were sent before and arrive after.
    """
    # Nothing is redirected from where everything is going.
    await tx.execute(update(chats).where(chats.c.id == new).values(moved_to=None))
    row = (await tx.execute(select(chats).where(chats.c.id == old))).one_or_none()
    if row is None or row.moved_to == new:
        return False
    values = {**row._mapping, "id": new, "kind": _KIND, "unreachable_at": None, "moved_to": None}
    await tx.execute(_take_settings(tx.dialect.name), values)
    await tx.execute(update(chats).where(chats.c.id == old).values(moved_to=new))
    return True


async def _move_seasons(tx: AsyncConnection, old: int, new: int) -> bool:
    await tx.execute(_take_seasons(tx.dialect.name), {"old": old, "new": new})
    return (await tx.execute(delete(seasons).where(seasons.c.scope == old))).rowcount > 0


async def _move_told(tx: AsyncConnection, old: int, new: int) -> bool:
    await tx.execute(_take_told(tx.dialect.name), {"old": old, "new": new})
    return (await tx.execute(delete(told_once).where(told_once.c.chat_id == old))).rowcount > 0


async def _move_notices(tx: AsyncConnection, old: int, new: int) -> list[NoticeRef]:
    """What waits is told under the new id, in reply to nothing: the message is not to be found there."""
    waits = notices.c.chat_id == old, WAITS
    moved = update(notices).where(*waits).values(chat_id=new, reply_to=None).returning(notices.c.id)
    return [NoticeRef(id, new) for id in sorted((await tx.execute(moved)).scalars())]


async def _move_cards(tx: AsyncConnection, old: int, new: int) -> list[int]:
    """Cards are sent anew, since no message under the new id shows them; those of open games."""
    moved = update(cards).where(cards.c.chat_id == old).values(chat_id=new, message_id=None, shown_at=None)
    ids = list((await tx.execute(moved.returning(cards.c.id))).scalars())
    query = select(cards.c.id).join(games, games.c.id == cards.c.game_id)
    shown = await tx.execute(query.where(cards.c.id.in_(ids), games.c.state == IS_OPEN).order_by(cards.c.id))
    return list(shown.scalars())


@cache
def _take_settings(dialect: str) -> Any:
    taken = upsert(dialect, chats)
    chosen = {
        name: func.coalesce(taken.excluded[name], chats.c[name]) for name in ("locale", "mode", "sees_all")
    }
    return taken.on_conflict_do_update(index_elements=["id"], set_=chosen)


@cache
def _take_seasons(dialect: str) -> Any:
    names = ("points", "wins", "games")
    taken = _copied(dialect, seasons, "scope")
    summed = {name: seasons.c[name] + taken.excluded[name] for name in names}
    return taken.on_conflict_do_update(index_elements=["scope", "period", "player_id"], set_=summed)


@cache
def _take_told(dialect: str) -> Any:
    return _copied(dialect, told_once, "chat_id").on_conflict_do_nothing()


def _copied(dialect: str, table: Table, key: str) -> Any:
    """An insert of the rows under the id ``old`` once more, under ``new``."""
    others = [column for column in table.c if column.name != key]
    moved = bindparam("new", type_=table.c[key].type)
    rows = select(moved, *others).where(table.c[key] == bindparam("old")).order_by(*table.primary_key.columns)
    return upsert(dialect, table).from_select([key, *(column.name for column in others)], rows)
