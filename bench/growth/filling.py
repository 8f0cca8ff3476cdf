"""A database with a past: people, their games that are over, their guesses with scores. Made inside the database.

One player for each hundred guesses; each has played ten private games of ten guesses. Everything is as the system
itself leaves it, so the audit of a filled database is clean.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    String,
    case,
    cast,
    func,
    insert,
    literal,
    null,
    select,
    text,
)
from sqlalchemy import Table as SqlTable
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import DEFAULT_THEME, Level, Mode, keyboard
from codemojex.game.scoring import score
from codemojex.game.secret import commitment
from codemojex.play.days import local_day
from codemojex.play.games import Cause, GameState
from codemojex.play.rooms import RoomKind
from codemojex.play.seasons import EVERYBODY, Period, period_key
from codemojex.store import schema
from codemojex.store.columns import UtcDateTime
from codemojex.store.engine import Store

Sql: TypeAlias = ColumnElement[Any]

GUESSES_EACH = 10  # of a game
GAMES_EACH = 10  # of a player
FIRST_PLAYER = 6_000_000_000

_SECRET, _NONCE = "🍎🍌🍇🍓🍒🍍", "00112233445566778899aabbccddeeff"
_GUESSED = ("🥝🍑🍋🍉🍈🍐", "🍍🍒🍓🍇🍌🍎", "🍌🍎🍇🍓🍒🍍")
_PLAYED = datetime.now(UTC) - timedelta(hours=2)
# Rows that the database numbers are counted down from here: it goes on above its highest (SQLite), or far below.
_TOP = 1_000_000_000
# As long as the data of a result.
_SAID = (
    '{"name": "Player", "player_id": 6000000000, "symbols": ["🍍", "🍒", "🍓", "🍇", "🍌", "🍎"], "total": 240, '
    '"percent": 40, "exact": null, "misplaced": null, "best": 240, "rank": 1, "number": 1, "limit": 10, "hints": 0}'
)


async def fill(store: Store, before: int, after: int) -> None:
    """Grow a database from ``before`` such guesses to ``after``, both multiples of a hundred."""

    async def everything(tx: AsyncConnection) -> None:
        await _people(tx, before // 100, after // 100)
        await _games(tx, before // GUESSES_EACH, after // GUESSES_EACH)
        await _guesses(tx, before, after)
        await _seasons(tx, before // 100, after // 100)
        if store.kind == "PostgreSQL":
            await tx.execute(text("ANALYZE"))  # as it does by itself within minutes

    await store.transact(everything, long=True)


def somebody(place: int) -> int:
    """The id of one of these people, by their place from 0."""
    return FIRST_PLAYER + place


async def _people(tx: AsyncConnection, first: int, end: int) -> None:
    n = _numbers(first, end)
    name = "Player " + cast(n, String)
    who = {"id": n + FIRST_PLAYER, "first_name": name, "language": literal("en")}
    await _insert(tx, schema.players, **who, created_at=_at(_PLAYED), seen_at=_at(_PLAYED))
    room = {
        "id": _TOP - n,
        "kind": literal(RoomKind.PRIVATE.value),
        "chat_id": n + FIRST_PLAYER,
        "title": name,
    }
    await _insert(tx, schema.rooms, **room, created_at=_at(_PLAYED))


async def _games(tx: AsyncConnection, first: int, end: int) -> None:
    n = _numbers(first, end)
    game, player, closed_at = _TOP - n, n // GAMES_EACH + FIRST_PLAYER, _at(_PLAYED + timedelta(minutes=10))
    chosen = {
        "mode": Mode.CLASSIC.value,
        "level": Level.NORMAL.value,
        "theme": DEFAULT_THEME,
        "keyboard": "".join(keyboard().chars),
        "secret": _SECRET,
        "nonce": _NONCE,
        "commitment": commitment(_SECRET, _NONCE),
        "state": GameState.CLOSED.value,
        "closed_reason": Cause.OUT_OF_GUESSES.value,
    }
    await _insert(
        tx,
        schema.games,
        **{name: literal(value) for name, value in chosen.items()},
        id=game,
        room_id=_TOP - n // GAMES_EACH,
        guess_limit=literal(GUESSES_EACH),
        opened_by=player,
        opened_at=_at(_PLAYED),
        closed_at=closed_at,
    )
    points = _by_game(n, "total")
    await _insert(
        tx,
        schema.finishes,
        game_id=game,
        player_id=player,
        points=points,
        rank=case((points > 0, 1), else_=null()),
        guesses=literal(GUESSES_EACH),
        hints=literal(0),
        won=literal(False),
        closed_at=closed_at,
    )
    card = {"id": game, "kind": literal("composer"), "chat_id": player, "game_id": game, "player_id": player}
    await _insert(tx, schema.cards, **card, message_id=game, shown_at=closed_at)


async def _guesses(tx: AsyncConnection, first: int, end: int) -> None:
    n = _numbers(first, end)
    of_game = n // GUESSES_EACH
    game, player, number = _TOP - of_game, n // 100 + FIRST_PLAYER, n % GUESSES_EACH + 1
    then, scored = _at(_PLAYED), _at(_PLAYED + timedelta(seconds=1))
    mark = {"update_id": n + _TOP, "kind": literal("message"), "chat_id": player, "message_id": n + 1}
    await _insert(tx, schema.updates, **mark, outcome=literal("handled"), seen_at=then)
    await _insert(
        tx,
        schema.guesses,
        id=_job(n),
        game_id=game,
        player_id=player,
        chat_id=player,
        message_id=n + 1,
        update_id=n + _TOP,
        ordinal=number,
        number=number,
        symbols=case(*((of_game % 3 == kind, six) for kind, six in enumerate(_GUESSED))),
        points=_by_game(of_game, "total"),
        exact=_by_game(of_game, "exact"),
        misplaced=_by_game(of_game, "misplaced"),
        admitted_at=then,
        enqueued_at=then,
        scored_at=scored,
        told_at=case((~_blocked(n), scored), else_=null()),
        dropped_at=case((_blocked(n), scored), else_=null()),
    )
    await _insert(
        tx,
        schema.notices,
        id=_job(n + _TOP),
        chat_id=player,
        kind=literal("result"),
        player_id=player,
        game_id=game,
        guess_id=_job(n),
        reply_to=n + 1,
        data=literal(_SAID),
        created_at=scored,
        sends=literal(1),
        sent_at=case((~_blocked(n), scored), else_=null()),
        message_id=case((~_blocked(n), n + _TOP), else_=null()),
        failure=case((_blocked(n), "blocked"), else_=null()),
        failed_at=case((_blocked(n), scored), else_=null()),
    )


async def _seasons(tx: AsyncConnection, first: int, end: int) -> None:
    sums = schema.finishes
    theirs = sums.c.player_id.between(first + FIRST_PLAYER, end - 1 + FIRST_PLAYER)
    for key in sorted(period_key(period, local_day(_PLAYED, "UTC")) for period in Period):
        row = (literal(EVERYBODY, BigInteger), literal(key), sums.c.player_id, func.sum(sums.c.points))
        counted = select(*row, literal(0), func.count()).where(theirs).group_by(sums.c.player_id)
        names = ["scope", "period", "player_id", "points", "wins", "games"]
        await tx.execute(insert(schema.seasons).from_select(names, counted))


async def _insert(tx: AsyncConnection, table: SqlTable, **columns: Sql) -> None:
    await tx.execute(insert(table).from_select(list(columns), select(*columns.values())))


def _numbers(first: int, end: int) -> Sql:
    """A column of numbers, from ``first`` up to ``end``."""
    series = select(literal(first, BigInteger).label("n")).cte("series", recursive=True)
    return series.union_all(select(series.c.n + 1).where(series.c.n < end - 1)).c.n


def _blocked(guess: Sql) -> Sql:
    """Its player has blocked the bot: one in ten."""
    return guess // 100 % 10 == 9


def _job(number: Sql) -> Sql:
    """A JOB id with such digits."""
    digits = cast(number, String)
    return "JOB" + func.substr("00000000000" + digits, func.length(digits) + 1)


def _by_game(game: Sql, part: str) -> Sql:
    """A part of the score that every guess of a game has."""
    parts = [getattr(score(_SECRET, six), part) for six in _GUESSED]
    return case(*((game % 3 == kind, value) for kind, value in enumerate(parts)))


def _at(time: datetime) -> Sql:
    return literal(time, UtcDateTime)
