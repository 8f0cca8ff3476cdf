"""Games: opened in a room, one at a time, looked at without their secret until they are closed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import Any

from sqlalchemy import bindparam, case, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import DEFAULT_THEME, Keyboard, Level, Mode, keyboard, keyboard_of
from codemojex.game.parsing import check_guess
from codemojex.game.refusals import BadMinutes, BadOption, GameRunning, GuessRefused
from codemojex.game.secret import Dice, commitment, draw
from codemojex.play.limits import Limits
from codemojex.play.literals import IS_CLOSED, IS_OPEN
from codemojex.play.players import Player
from codemojex.play.rooms import Room, RoomKind
from codemojex.store.columns import AnyRow, AnySelect
from codemojex.store.engine import TryAgain
from codemojex.store.lists import listed
from codemojex.store.schema import games
from codemojex.store.upsert import upsert

LEAST_MINUTES, MOST_MINUTES = 1, 24 * 60
_MINUTES_TOGETHER = 15


class GameState(StrEnum):
    """Whether guesses are taken."""

    OPEN = "open"
    CLOSED = "closed"


class Cause(StrEnum):
    """Why a game ended; the word stands in ``games.closed_reason``."""

    CRACKED = "cracked"
    GAVE_UP = "gave_up"
    CLOCK = "clock"
    OUT_OF_GUESSES = "out_of_guesses"
    DAY_OVER = "day_over"  # the puzzle of a day that nobody has cracked
    MOVED = "moved"  # two chats became one, and the other one's game goes on


@dataclass(frozen=True, slots=True)
class GameOptions:
    """What a player chose.

    Attributes:
        minutes: how long the game may take, 1 to 1,440; None: no clock alone, 15 together. The puzzle of a
            day has no clock: it ends with the day.
        fixed_secret: local play only; None draws one.
    """

    level: Level = Level.NORMAL
    mode: Mode = Mode.CLASSIC
    theme: str = DEFAULT_THEME
    minutes: int | None = None
    fixed_secret: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class GameView:
    """A game as a player may see it.

    Attributes:
        guess_limit: guesses each.
        secret, nonce: None until the game is closed.
    """

    id: int
    room_id: int
    mode: Mode
    level: Level
    theme: str
    keyboard: Keyboard
    commitment: str
    guess_limit: int
    state: GameState
    opened_by: int
    opened_at: datetime
    closes_at: datetime | None
    closed_at: datetime | None = None
    closed_reason: Cause | None = None
    winner_id: int | None = None
    secret: tuple[str, ...] | None = None
    nonce: str | None = None

    @property
    def open(self) -> bool:
        """True until it is settled."""
        return self.state is GameState.OPEN

    def takes_guesses(self, now: datetime) -> bool:
        """True while it is open and its time is not up."""
        return self.open and (self.closes_at is None or now < self.closes_at)


async def open_game(
    tx: AsyncConnection,
    room: Room,
    player: Player,
    options: GameOptions,
    now: datetime,
    dice: Dice,
    nonce: str,
    limits: Limits,
) -> GameView:
    """Open a game in ``room``, with as many guesses each as ``limits`` give there.

    Raises:
        GameRunning: one is open there already.
        BadOption: an option cannot be had.
    """
    keys = keyboard(options.theme, options.level)
    secret = _secret(options, keys, dice)
    values = {
        "room_id": room.id,
        "mode": options.mode,
        "level": options.level,
        "theme": options.theme,
        "keyboard": "".join(keys.chars),
        "secret": "".join(secret),
        "nonce": nonce,
        "commitment": commitment(secret, nonce),
        "guess_limit": limits.of(room.kind),
        "state": GameState.OPEN,
        "opened_by": player.id,
        "opened_at": now,
        "closes_at": _closes_at(room, options, now),
    }
    row = (await tx.execute(_open(tx.dialect.name), values)).one_or_none()
    if row is not None:
        return _view(row)
    present = await running(tx, room)
    if present is None:
        raise TryAgain("the game that stood in the way has ended meanwhile")
    raise GameRunning(present.opened_at)


async def running(tx: AsyncConnection, room: Room) -> GameView | None:
    """The open game of ``room``, without its secret."""
    return await _one(tx, _RUNNING, {"room": room.id})


async def latest(tx: AsyncConnection, room: Room) -> GameView | None:
    """The last closed game of ``room``, with secret and nonce."""
    return await _one(tx, _LATEST, {"room": room.id})


async def game(tx: AsyncConnection, game_id: int) -> GameView | None:
    """One game; its secret only when it is closed."""
    return await _one(tx, _GAME, {"game": game_id})


async def of_ids(tx: AsyncConnection, game_ids: Collection[int]) -> dict[int, GameView]:
    """Games by id; the secrets only of those that are closed."""
    return {row.id: _view(row) for row in await tx.execute(_GAMES, {"games": game_ids})}


def _closes_at(room: Room, options: GameOptions, now: datetime) -> datetime | None:
    minutes = options.minutes
    if room.kind is RoomKind.DAILY:
        return None
    if minutes is None:
        return None if room.alone else now + timedelta(minutes=_MINUTES_TOGETHER)
    if not LEAST_MINUTES <= minutes <= MOST_MINUTES:
        raise BadMinutes(str(minutes), LEAST_MINUTES, MOST_MINUTES)
    return now + timedelta(minutes=minutes)


def _secret(options: GameOptions, keys: Keyboard, dice: Dice) -> tuple[str, ...]:
    if options.fixed_secret is None:
        return draw(keys, dice)
    try:
        return check_guess(options.fixed_secret, keys)
    except GuessRefused:
        raise BadOption("".join(options.fixed_secret)) from None


_OPEN_COLUMNS = (
    games.c.id,
    games.c.room_id,
    games.c.mode,
    games.c.level,
    games.c.theme,
    games.c.keyboard,
    games.c.commitment,
    games.c.guess_limit,
    games.c.state,
    games.c.opened_by,
    games.c.opened_at,
    games.c.closes_at,
    games.c.closed_at,
    games.c.closed_reason,
    games.c.winner_id,
)
# The database itself keeps an open game's secret back: what is not read cannot be shown or logged.
_COLUMNS = (
    *_OPEN_COLUMNS,
    case((games.c.state == IS_CLOSED, games.c.secret)).label("secret"),
    case((games.c.state == IS_CLOSED, games.c.nonce)).label("nonce"),
)


_QUERY = select(*_COLUMNS)
_IN_ROOM = _QUERY.where(games.c.room_id == bindparam("room"))
_RUNNING = _IN_ROOM.where(games.c.state == IS_OPEN)
_LATEST = _IN_ROOM.where(games.c.state == IS_CLOSED).order_by(games.c.id.desc()).limit(1)
_GAME = _QUERY.where(games.c.id == bindparam("game"))
_GAMES = _QUERY.where(listed(games.c.id, "games"))


@cache
def _open(dialect: str) -> Any:
    return upsert(dialect, games).on_conflict_do_nothing().returning(*_COLUMNS)


async def _one(tx: AsyncConnection, query: AnySelect, about: dict[str, int]) -> GameView | None:
    row = (await tx.execute(query, about)).one_or_none()
    return None if row is None else _view(row)


def _view(row: AnyRow) -> GameView:
    level = Level(row.level)
    return GameView(
        **{
            **row._mapping,
            "mode": Mode(row.mode),
            "level": level,
            "keyboard": keyboard_of(row.theme, level, row.keyboard),
            "state": GameState(row.state),
            "closed_reason": None if row.closed_reason is None else Cause(row.closed_reason),
            "secret": None if row.secret is None else tuple(row.secret),
        }
    )
