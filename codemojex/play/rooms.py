"""Rooms: where a game is played. A private chat, a group, or one topic of a forum."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.store.schema import rooms
from codemojex.store.upsert import upsert


class RoomKind(StrEnum):
    """Who can be in a room."""

    PRIVATE = "private"
    GROUP = "group"
    TOPIC = "topic"


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
    """A place where at most one game is open."""

    id: int
    kind: RoomKind
    chat_id: int
    thread_id: int
    title: str

    @property
    def alone(self) -> bool:
        """True where one person plays."""
        return self.kind is RoomKind.PRIVATE


async def enter(tx: AsyncConnection, chat: ChatRef, now: datetime) -> Room:
    """The room of ``chat``, created when it is new, under its present title."""
    title, thread_id = chat.title or "", chat.thread_id or 0
    kind = RoomKind.PRIVATE if chat.type == "private" else RoomKind.TOPIC if thread_id else RoomKind.GROUP
    values = {"kind": kind, "chat_id": chat.id, "thread_id": thread_id, "title": title, "created_at": now}
    entered = await tx.execute(_enter(tx.dialect.name), values)
    return Room(entered.scalar_one(), kind, chat.id, thread_id, title)


@cache
def _enter(dialect: str) -> Any:
    """Write a room down, or its new title; its id."""
    entered = upsert(dialect, rooms)
    changed = {"title": entered.excluded.title}
    here = ["chat_id", "thread_id"]
    return entered.on_conflict_do_update(index_elements=here, set_=changed).returning(rooms.c.id)
