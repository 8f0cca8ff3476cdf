"""Season boards: what everybody has gathered today, this week, this month and ever, in all and in each group.

The sums are kept with each game that ends, so a board is read from its index alone. Periods are those of the
local date on which the game was closed.

A game that was given up brings nobody points: one good guess and `/giveup`, over and over, would beat everybody who
plays to the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import cache
from itertools import product
from typing import Any

from sqlalchemy import func, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play.days import local_day
from codemojex.play.games import Cause
from codemojex.play.players import full_name
from codemojex.play.rooms import RoomKind
from codemojex.play.standings import Standings
from codemojex.store.columns import AnyRow
from codemojex.store.lists import listed
from codemojex.store.schema import finishes, games, players, rooms, seasons
from codemojex.store.upsert import upsert

EVERYBODY = 0
FIRST = 10
# Ranks are told up to here: whoever comes after so many is not counted for.
RANKED = 10_000


class Period(StrEnum):
    """How far back a board looks; the words after ``/top``."""

    TODAY = "today"
    WEEK = "week"
    MONTH = "month"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class SeasonRow:
    """One player on a season board.

    Attributes:
        rank: from 1, by points, then player id; `RANKED` + 1 stands for every rank from there on.
        name: as Telegram tells it, uncut; escape it.
        points: what their games brought, hints paid.
    """

    rank: int
    player_id: int
    name: str
    points: int
    wins: int
    games: int


@dataclass(frozen=True, slots=True)
class SeasonView:
    """A season board.

    Attributes:
        rows: the first ten.
        mine: the row of whoever looks, when they come after these; None also without points.
    """

    rows: tuple[SeasonRow, ...]
    mine: SeasonRow | None = None


def period_key(period: Period, day: str) -> str:
    """How the period that holds ``day`` is stored: 2026-11-30, 2026-W49 (ISO week), 2026-11, all."""
    if period is Period.TODAY:
        return day
    if period is Period.WEEK:
        year, week, _ = date.fromisoformat(day).isocalendar()
        return f"{year}-W{week:02}"
    return day[:7] if period is Period.MONTH else Period.ALL


async def record(tx: AsyncConnection, tables: Mapping[int, Standings], tz: str) -> None:
    """Write down how each player ended the games that this transaction has closed, and add it to the boards.

    Somebody who was forgotten gets neither.

    Args:
        tables: by game, its standings with every guess scored.
        tz: DAILY_TZ, a name of the tz database.
    """
    ended: list[dict[str, Any]] = []
    sums: dict[tuple[int, str, int], dict[str, Any]] = {}
    for game in await tx.execute(_ENDED, {"games": tables.keys()}):
        theirs = _finishes(game, tables[game.id])
        ended += theirs
        _gather(sums, game, theirs, local_day(game.closed_at, tz))
    if ended:
        await tx.execute(_FINISH, ended)
        # In one order for all transactions, so that none waits for another's rows.
        await tx.execute(_add(tx.dialect.name), [sums[key] for key in sorted(sums)])


async def top(
    tx: AsyncConnection, scope: int, period: Period, at: datetime, tz: str, viewer_id: int | None = None
) -> SeasonView:
    """The board of ``scope``, `EVERYBODY` or the id of a group's chat, in the period that holds ``at``."""
    here = seasons.c.scope == scope, seasons.c.period == period_key(period, local_day(at, tz))
    query = (
        _ROWS.where(*here, seasons.c.points > 0)
        .order_by(seasons.c.points.desc(), seasons.c.player_id)
        .limit(FIRST)
    )
    first = tuple(_row(row, rank) for rank, row in enumerate(await tx.execute(query), 1))
    if viewer_id is None or len(first) < FIRST or any(row.player_id == viewer_id for row in first):
        return SeasonView(first)
    mine = (await tx.execute(_ROWS.where(*here, seasons.c.player_id == viewer_id))).one_or_none()
    if mine is None or not mine.points:
        return SeasonView(first)
    more = seasons.c.points > mine.points
    as_many = (seasons.c.points == mine.points) & (seasons.c.player_id < viewer_id)
    before = 0
    for ahead in (more, as_many):
        found = select(literal(1)).select_from(seasons).where(*here, ahead).limit(RANKED - before)
        before += (await tx.execute(select(func.count()).select_from(found.subquery()))).scalar_one()
    return SeasonView(first, _row(mine, before + 1))


_ROWS = select(seasons, players.c.first_name, players.c.last_name).join(
    players, players.c.id == seasons.c.player_id
)


def _row(row: AnyRow, rank: int) -> SeasonRow:
    name = full_name(row.first_name, row.last_name)
    return SeasonRow(rank, row.player_id, name, row.points, row.wins, row.games)


def _finishes(game: AnyRow, table: Standings) -> list[dict[str, Any]]:
    brings = game.closed_reason != Cause.GAVE_UP
    return [
        {
            "game_id": game.id,
            "player_id": place.player_id,
            "points": place.net if brings else 0,
            "rank": place.rank if brings else None,
            "guesses": place.guesses,
            "hints": place.hints,
            "won": place.player_id == game.winner_id,
            "closed_at": game.closed_at,
        }
        for place in table.places
        if place.player_id > 0
    ]


def _gather(
    sums: dict[tuple[int, str, int], dict[str, Any]], game: AnyRow, ended: list[dict[str, Any]], day: str
) -> None:
    """Add a game to what each board gets, by scope, period and player."""
    scopes = [game.chat_id] if game.kind in (RoomKind.GROUP, RoomKind.TOPIC) else []
    periods = [period_key(period, day) for period in Period]
    for scope, key, finish in product([*scopes, EVERYBODY], periods, ended):
        here = (scope, key, finish["player_id"])
        nothing = {"scope": scope, "period": key, "player_id": here[2], "points": 0, "wins": 0, "games": 0}
        sum_ = sums.setdefault(here, nothing)
        sum_["points"] += finish["points"]
        sum_["wins"] += int(finish["won"])
        sum_["games"] += 1


_ENDED = (
    select(games.c.id, games.c.winner_id, games.c.closed_at, games.c.closed_reason)
    .add_columns(rooms.c.kind, rooms.c.chat_id)
    .join(rooms, rooms.c.id == games.c.room_id)
    .where(listed(games.c.id, "games"))
)
_FINISH = finishes.insert()


@cache
def _add(dialect: str) -> Any:
    added = upsert(dialect, seasons)
    summed = {name: seasons.c[name] + added.excluded[name] for name in ("points", "wins", "games")}
    return added.on_conflict_do_update(index_elements=["scope", "period", "player_id"], set_=summed)
