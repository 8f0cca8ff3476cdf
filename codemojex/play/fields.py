"""Where the guesses of a volley go: rooms, and the games that run there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import literal, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import Keyboard, Level, keyboard_of
from codemojex.play.literals import IS_OPEN
from codemojex.play.rooms import ChatRef
from codemojex.store.columns import AnyRow, AnySelect
from codemojex.store.lists import listed
from codemojex.store.schema import chats, games, rooms


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A room, and the game that runs there.

    Attributes:
        keyboard: None where none runs.
    """

    row: AnyRow
    keyboard: Keyboard | None

    def is_ordinary(self, chat: ChatRef) -> bool:
        """The chat is what it was called, and where it was; the day's puzzle is in nobody's chat."""
        row = self.row
        if row.title != (chat.title or ""):
            return False
        if chat.type == "private":
            return True
        met = row.chat_kind == chat.type and row.chat_title == row.title
        return met and row.moved_to is None and row.unreachable_at is None


async def fields(tx: AsyncConnection, chat_ids: Iterable[int], days: Iterable[str]) -> dict[int | str, Field]:
    """The rooms of these chats, by chat, and the puzzles of these days, by day; with the games that run there."""
    found = list(await tx.execute(_FIELDS, {"chats": sorted(chat_ids)}))
    if days := sorted(days):
        found += await tx.execute(_DAYS, {"days": days})
    return {row.day or row.chat_id: Field(row, _keys(row)) for row in found}


def _keys(row: AnyRow) -> Keyboard | None:
    return None if row.game_id is None else keyboard_of(row.theme, Level(row.level), row.keyboard)


def _fields() -> AnySelect:
    return (
        select(rooms.c.chat_id, rooms.c.day, rooms.c.title)
        .add_columns(games.c.id.label("game_id"), games.c.theme, games.c.level, games.c.keyboard)
        .add_columns(games.c.guess_limit, chats.c.kind.label("chat_kind"), chats.c.title.label("chat_title"))
        .add_columns(chats.c.moved_to, chats.c.unreachable_at)
        .select_from(rooms)
        .outerjoin(games, (games.c.room_id == rooms.c.id) & (games.c.state == IS_OPEN))
        .outerjoin(chats, chats.c.id == rooms.c.chat_id)
    )


_FIELDS = _fields().where(listed(rooms.c.chat_id, "chats"), rooms.c.thread_id == literal(0))
_DAYS = _fields().where(listed(rooms.c.day, "days"))
