"""The puzzle of the day: one game for everybody, opened by the first who asks, over when the day is.

The day is the local date of a message's own time in DAILY_TZ, however late the message arrives. Nobody's
crack ends it for the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import and_, bindparam, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import THEMES, Level, Mode
from codemojex.game.refusals import DayOver
from codemojex.game.scoring import CRACKED
from codemojex.game.secret import Dice
from codemojex.play import games as games_
from codemojex.play import members, streaks
from codemojex.play.days import day_end, local_day
from codemojex.play.games import GameOptions, GameState, GameView
from codemojex.play.limits import Limits
from codemojex.play.literals import IS_OPEN
from codemojex.play.players import Player
from codemojex.play.rooms import COLUMNS, Room, RoomKind, as_room
from codemojex.store.columns import AnyRow
from codemojex.store.lists import listed
from codemojex.store.schema import games, guesses, players, rooms
from codemojex.store.upsert import upsert

__all__ = [
    "GRACE",
    "SharedDaily",
    "begin",
    "busy",
    "close_due",
    "end",
    "local_day",
    "over",
    "shared",
    "today",
    "where",
]

# A message sent before midnight may be on its way for a while.
GRACE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class SharedDaily:
    """How somebody did on a day, without a symbol of it.

    Attributes:
        limit: guesses each.
        guesses: of each guess, how many symbols were exactly right and how many right but misplaced.
        cracked: by the last of them.
        streak, best_streak: days in a row up to this day, and the most ever; 0 in a row when a later day
            was finished since, which has its own.
    """

    day: str
    limit: int
    guesses: tuple[tuple[int, int], ...]
    cracked: bool
    streak: int
    best_streak: int


async def today(
    tx: AsyncConnection, at: datetime, tz: str, now: datetime, dice: Dice, nonce: str, opener: Player
) -> GameView:
    """The game of the day ``at`` falls on, opened if nobody has asked for it yet.

    Args:
        at: the time of the message that asks, aware.
        tz: DAILY_TZ, a name of the tz database.

    Raises:
        DayOver: the message took so long that its day is over.
    """
    day = local_day(at, tz)
    room = await room_of(tx, day)
    if room is None:
        if day_end(day, tz) + GRACE <= now:
            raise DayOver(day)
        room = await _found(tx, day, now)
    game = await games_.running(tx, room)
    if game is not None:
        return game
    if await games_.latest(tx, room) is not None:
        raise DayOver(day)
    options = GameOptions(Level.NORMAL, Mode.PEGS, theme_of(day))
    return await games_.open_game(tx, room, opener, options, now, dice, nonce, Limits())


def theme_of(day: str) -> str:
    """The theme of a day: each in its turn."""
    return sorted(THEMES)[date.fromisoformat(day).toordinal() % len(THEMES)]


async def room_of(tx: AsyncConnection, day: str) -> Room | None:
    """The room of a day, None before anybody has asked for its puzzle."""
    row = (await tx.execute(_ROOM_OF, {"day": day})).one_or_none()
    return None if row is None else as_room(row)


async def begin(tx: AsyncConnection, player: Player, day: str) -> None:
    """Have the plain guesses of ``player`` go to the puzzle of ``day``, see `where`."""
    await tx.execute(_TURN, {"player": player.id, "day": day})


async def end(tx: AsyncConnection, player_id: int) -> None:
    """Have a player's plain guesses go where they went before `begin`."""
    await tx.execute(_TURN, {"player": player_id, "day": None})


async def begun(tx: AsyncConnection, player_id: int) -> str | None:
    """The day whose puzzle a player has begun and not left; None for none."""
    return (await tx.execute(_BEGUN, {"player": player_id})).scalar_one_or_none()


async def busy(tx: AsyncConnection, player_ids: Iterable[int], day: str) -> set[int]:
    """Who of these people has begun the puzzle of ``day`` and is not through with it."""
    begun = await tx.execute(_BUSY, {"players": sorted(player_ids), "day": day})
    return {id for id in begun.scalars() if not await finished(tx, id, day)}


async def where(tx: AsyncConnection, player_id: int, private_room: Room, at: datetime, tz: str) -> Room:
    """The room that a plain guess of a private chat goes to.

    The puzzle of the day that they have begun, while it takes their guesses; else the link room they have
    joined; else their own.

    Args:
        at: the time of the message, aware: yesterday's puzzle takes nothing sent today.

    Raises:
        DayOver: it was meant for the puzzle of a day that was closed before it arrived.
    """
    day = local_day(at, tz)
    progress = await _progress(tx, player_id, day) if await begun(tx, player_id) == day else None
    if progress is not None and not _done(progress):
        if progress.state != GameState.OPEN:
            raise DayOver(day)
        return as_room(progress)
    return await members.joined(tx, player_id) or private_room


async def over(tx: AsyncConnection, player_id: int, at: datetime, tz: str) -> str | None:
    """The day that went by before a player was through with its puzzle, for a message of ``at``; None for none."""
    day = await begun(tx, player_id)
    if day is None or day >= local_day(at, tz) or await finished(tx, player_id, day):
        return None
    return day


async def finished(tx: AsyncConnection, player_id: int, day: str) -> bool:
    """Whether a player has cracked the puzzle of ``day`` or used every guess."""
    progress = await _progress(tx, player_id, day)
    return progress is not None and _done(progress)


async def shared(tx: AsyncConnection, player_id: int, day: str) -> SharedDaily | None:
    """How a player did on ``day``; None until they have finished and every guess of theirs has its score."""
    progress = await _progress(tx, player_id, day)
    if progress is None or not _done(progress):
        return None
    mine = (
        select(guesses.c.points, guesses.c.exact, guesses.c.misplaced)
        .where(guesses.c.game_id == progress.game_id, guesses.c.player_id == player_id)
        .order_by(guesses.c.number)
    )
    pegs = []
    for guess in await tx.execute(mine):
        if guess.points is None:
            return None
        pegs.append((guess.exact, guess.misplaced))
        if guess.points == CRACKED:
            break
    last = (await tx.execute(select(players.c.streak_day).where(players.c.id == player_id))).scalar_one()
    streak = await streaks.of(tx, player_id, day)
    run = streak.days if last == day else 0
    return SharedDaily(day, progress.guess_limit, tuple(pegs), progress.best == CRACKED, run, streak.best)


async def close_due(tx: AsyncConnection, now: datetime, tz: str) -> list[int]:
    """Open games of days that have been over for as long as a message may be on its way."""
    query = (
        select(games.c.id)
        .join(rooms, rooms.c.id == games.c.room_id)
        .where(rooms.c.day < local_day(now - GRACE, tz), games.c.state == IS_OPEN)
    )
    return sorted((await tx.execute(query)).scalars())


async def _found(tx: AsyncConnection, day: str, now: datetime) -> Room:
    """Make the room of a day, or wait for whoever is making it: the row is locked until they are done."""
    values = {"kind": RoomKind.DAILY, "title": day, "day": day, "created_at": now}
    id = (await tx.execute(_make(tx.dialect.name), values)).scalar_one()
    return Room(id, RoomKind.DAILY, None, 0, day, day=day)


async def _progress(tx: AsyncConnection, player_id: int, day: str) -> AnyRow | None:
    """The game of a day and how far a player is in it; None when there is none."""
    return (await tx.execute(_PROGRESS, {"player": player_id, "day": day})).one_or_none()


def _done(progress: AnyRow) -> bool:
    return bool(progress.best == CRACKED or progress.used >= progress.guess_limit)


# Built once: that takes longer than running them.
_ROOM_OF = select(*COLUMNS).where(rooms.c.day == bindparam("day"))
_TURN = update(players).where(players.c.id == bindparam("player")).values(daily=bindparam("day"))
_BEGUN = select(players.c.daily).where(players.c.id == bindparam("player"))
_BUSY = select(players.c.id).where(listed(players.c.id, "players"), players.c.daily == bindparam("day"))
_PROGRESS = (
    select(*COLUMNS, games.c.id.label("game_id"), games.c.state, games.c.guess_limit)
    .add_columns(func.count(guesses.c.id).label("used"), func.max(guesses.c.points).label("best"))
    .join(games, games.c.room_id == rooms.c.id)
    .outerjoin(guesses, and_(guesses.c.game_id == games.c.id, guesses.c.player_id == bindparam("player")))
    .where(rooms.c.day == bindparam("day"))
    .group_by(rooms.c.id, games.c.id)
)


@cache
def _make(dialect: str) -> Any:
    made = upsert(dialect, rooms)
    again = {"title": made.excluded.title}
    return made.on_conflict_do_update(index_elements=["day"], set_=again).returning(rooms.c.id)
