"""What a check is, and the few shapes its query takes.

Where the tables themselves refuse a broken row (unique and foreign keys) there is a check all the same: a
restored or hand-mended database may have lost them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, exists, select

from codemojex.play.literals import IS_OPEN
from codemojex.play.rooms import RoomKind
from codemojex.store.columns import AnySelect
from codemojex.store.schema import games, guesses, notices, rooms

# Far longer than a sweep and its backoff take.
PATIENCE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Check:
    """One promise; ``query`` selects the ids that break it, in no order.

    Asked for one, SQLite would rather walk a whole table by id than the few rows of an index.
    """

    name: str
    promise: str
    query: AnySelect


def old(time: ColumnElement[datetime | None], now: datetime) -> ColumnElement[bool]:
    """So long ago that the sweep must have dealt with it."""
    return time < now - PATIENCE


def another(*same: ColumnElement[object]) -> ColumnElement[bool]:
    """Another guess has the same values in these columns."""
    other = guesses.alias("other")
    return exists().where(
        other.c.id != guesses.c.id, *(other.c[str(column.key)] == column for column in same)
    )


def another_open_game() -> ColumnElement[bool]:
    """Another game is open in the same room."""
    other = games.alias("other")
    return exists().where(
        other.c.room_id == games.c.room_id, other.c.state == IS_OPEN, other.c.id != games.c.id
    )


def of_a_day() -> ColumnElement[bool]:
    """The game is the puzzle of a day."""
    return exists().where(rooms.c.id == games.c.room_id, rooms.c.kind == RoomKind.DAILY)


def guesses_where(*conditions: ColumnElement[bool]) -> AnySelect:
    """Ids of guesses."""
    return select(guesses.c.id).where(*conditions)


def guesses_of_games_where(*conditions: ColumnElement[bool]) -> AnySelect:
    """Ids of guesses, by conditions on them and on their game."""
    return guesses_where(*conditions).join(games, games.c.id == guesses.c.game_id)


def games_where(*conditions: ColumnElement[bool]) -> AnySelect:
    """Ids of games."""
    return select(games.c.id).where(*conditions)


def notices_where(*conditions: ColumnElement[bool]) -> AnySelect:
    """Ids of notices."""
    return select(notices.c.id).where(*conditions)
