"""Rooms: where a game is played. A private chat, a group, one topic of a forum, a circle of friends who each
play in their own chat, or the puzzle of a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any

from sqlalchemy import bindparam, null, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.store.columns import AnyRow
from codemojex.store.schema import chats, players, rooms
from codemojex.store.upsert import upsert


class RoomKind(StrEnum):
    """Who can be in a room."""

    PRIVATE = "private"
    GROUP = "group"
    TOPIC = "topic"
    LINK = "link"  # joined by a code, see `members`
    DAILY = "daily"  # everybody's, see `daily`


@dataclass(frozen=True, slots=True)
class ChatRef:
    """A chat as Telegram describes it.

    Attributes:
        type: Telegram's word: private, group, supergroup.
        thread_id: the forum topic; None or 0 for none.
    """

    id: int
    type: str
    title: str | None = None
    thread_id: int | None = None


@dataclass(frozen=True, slots=True)
class Room:
    """A place where at most one game is open.

    Attributes:
        chat_id: None where the players sit in chats of their own: link and daily.
        code: of a link room, what friends join it by.
        day: of a daily room, its local date, YYYY-MM-DD.
    """

    id: int
    kind: RoomKind
    chat_id: int | None
    thread_id: int
    title: str
    code: str | None = None
    day: str | None = None

    @property
    def alone(self) -> bool:
        """True where one person plays."""
        return self.kind is RoomKind.PRIVATE


async def enter(tx: AsyncConnection, chat: ChatRef, now: datetime) -> Room:
    """The room of ``chat``, created when it is new, under its present title. A group is noted as a chat, too.

    A message from before a group became a supergroup enters the supergroup's room: its game goes on there.
    """
    title, thread_id, chat_id = chat.title or "", chat.thread_id or 0, chat.id
    kind = RoomKind.PRIVATE if chat.type == "private" else RoomKind.TOPIC if thread_id else RoomKind.GROUP
    if kind is not RoomKind.PRIVATE:
        chat_id = await met(tx, chat, now)
    values = {"kind": kind, "chat_id": chat_id, "thread_id": thread_id, "title": title, "created_at": now}
    entered = await tx.execute(_enter(tx.dialect.name), values)
    return Room(entered.scalar_one(), kind, chat_id, thread_id, title)


async def met(tx: AsyncConnection, group: ChatRef, now: datetime) -> int:
    """Note a group the bot is in, under its present title; it is reachable again.

    Returns:
        Its id: another one when it has become a supergroup since.
    """
    told = {"kind": group.type, "title": group.title or ""}
    known = (await tx.execute(_KNOWN, {"chat": group.id})).one_or_none()
    if known is not None and known.moved_to is not None:
        return int(known.moved_to)
    # Most messages change nothing about their group, and then nothing is written.
    if (
        known is None
        or known.unreachable_at is not None
        or told != {"kind": known.kind, "title": known.title}
    ):
        await tx.execute(_meet(tx.dialect.name), {"id": group.id, "created_at": now, **told})
    return group.id


async def is_in(tx: AsyncConnection, chat_id: int) -> bool:
    """Whether the bot is in a group, as far as it was told."""
    known = (await tx.execute(_KNOWN, {"chat": chat_id})).one_or_none()
    return known is not None and known.unreachable_at is None and known.moved_to is None


async def sees(tx: AsyncConnection, chat_id: int, everything: bool) -> None:
    """Note whether the bot is shown every message of a group. An unknown id is fine."""
    await tx.execute(update(chats).where(chats.c.id == chat_id).values(sees_all=everything))


async def sees_all(tx: AsyncConnection, chat_id: int) -> bool:
    """Whether the bot is shown every message of a group, as far as it was told."""
    return bool((await tx.execute(_SEES_ALL, {"chat": chat_id})).scalar_one_or_none())


async def unreachable(tx: AsyncConnection, chat_id: int, now: datetime) -> None:
    """Note that the bot is not in the group any more; kept until it is met again. An unknown id is fine."""
    gone = chats.c.id == chat_id, chats.c.unreachable_at.is_(None)
    await tx.execute(update(chats).where(*gone).values(unreachable_at=now))


async def met_in_private(tx: AsyncConnection, person_id: int) -> bool:
    """Whether somebody has written to the bot in private, and not blocked it since: it may write to them."""
    # Telegram gives a private chat the id of the person in it.
    query = (
        select(rooms.c.id)
        .join(players, players.c.id == rooms.c.chat_id)
        .where(players.c.id == person_id, players.c.unreachable_at.is_(None))
        .where(rooms.c.kind == RoomKind.PRIVATE)
    )
    return (await tx.execute(query)).first() is not None


async def room(tx: AsyncConnection, room_id: int) -> Room | None:
    """One room."""
    row = (await tx.execute(select(*COLUMNS).where(rooms.c.id == room_id))).one_or_none()
    return None if row is None else as_room(row)


COLUMNS = (
    rooms.c.id,
    rooms.c.kind,
    rooms.c.chat_id,
    rooms.c.thread_id,
    rooms.c.title,
    rooms.c.code,
    rooms.c.day,
)


def as_room(row: AnyRow) -> Room:
    """A row of `COLUMNS`."""
    return Room(row.id, RoomKind(row.kind), row.chat_id, row.thread_id, row.title, row.code, row.day)


@cache
def _enter(dialect: str) -> Any:
    """Write a room down, or its new title; its id."""
    entered = upsert(dialect, rooms)
    changed = {"title": entered.excluded.title}
    here = ["chat_id", "thread_id"]
    return entered.on_conflict_do_update(index_elements=here, set_=changed).returning(rooms.c.id)


@cache
def _meet(dialect: str) -> Any:
    """Write a group down, or what has changed about it."""
    found = upsert(dialect, chats)
    changed = {"kind": found.excluded.kind, "title": found.excluded.title, "unreachable_at": null()}
    return found.on_conflict_do_update(index_elements=["id"], set_=changed)


_SEES_ALL = select(chats.c.sees_all).where(chats.c.id == bindparam("chat"))
_KNOWN = select(chats.c.kind, chats.c.title, chats.c.unreachable_at, chats.c.moved_to).where(
    chats.c.id == bindparam("chat")
)
