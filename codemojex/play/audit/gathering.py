"""What players have gathered: promises about how games ended for them, and about the season boards.

Somebody who was forgotten has an id below 0: their ends are nobody's, and on no board.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, case, exists, func, or_, select

from codemojex.game.scoring import HINT_COST
from codemojex.play.audit.check import Check, games_where
from codemojex.play.games import Cause
from codemojex.play.literals import IS_CLOSED
from codemojex.play.rooms import RoomKind
from codemojex.play.seasons import EVERYBODY, Period
from codemojex.store.columns import AnySelect
from codemojex.store.schema import finishes, games, guesses, hints, rooms, seasons

# How long the names of days, weeks and months are: 2026-11-30, 2026-W49, 2026-11.
_SPANS = (10, 8, 7)

_counted = (
    (guesses.c.game_id == finishes.c.game_id)
    & (guesses.c.player_id == finishes.c.player_id)
    & guesses.c.late.is_(False)
)


def gathering(_now: datetime) -> Iterator[Check]:
    """A finish is written with the game's end, and added to the boards with it: nothing here takes time."""
    yield Check(
        "finish_missing",
        "Everybody who has guessed in a game that is closed has finished it.",
        _without_a_finish(),
    )
    yield Check(
        "finish_wrong",
        "A finish says what the guesses, the hints and the winner of its closed game say.",
        select(finishes.c.game_id).join(games, games.c.id == finishes.c.game_id).where(_differs()).distinct(),
    )
    yield Check(
        "season_not_the_sum",
        "The points, wins and games of all time are the sums of the games that are over.",
        _seasons(or_(*(seasons.c[name] != _gathered(name) for name in ("points", "wins", "games")))),
    )
    yield Check(
        "season_missing",
        "Every game that is over counts on everybody's board, and one in a group on the group's.",
        _without_a_season(),
    )
    yield Check(
        "season_not_its_parts",
        "The days, the weeks and the months of a board each add up to all time.",
        _apart(),
    )


def _without_a_finish() -> AnySelect:
    finished = exists().where(
        finishes.c.game_id == guesses.c.game_id, finishes.c.player_id == guesses.c.player_id
    )
    theirs = exists().where(
        guesses.c.game_id == games.c.id, guesses.c.player_id > 0, guesses.c.late.is_(False), ~finished
    )
    return games_where(games.c.state == IS_CLOSED, theirs)


def _differs() -> ColumnElement[bool]:
    best = select(func.coalesce(func.max(guesses.c.points), 0)).where(_counted).scalar_subquery()
    number = select(func.count()).select_from(guesses).where(_counted).scalar_subquery()
    worth = best - HINT_COST * finishes.c.hints
    # Games given up before they brought nothing keep what they brought.
    brought = (games.c.closed_reason == Cause.GAVE_UP) & (finishes.c.points == 0)
    asked = hints.c.game_id == finishes.c.game_id, hints.c.player_id == finishes.c.player_id
    won = func.coalesce(games.c.winner_id == finishes.c.player_id, False)
    return or_(
        games.c.state != IS_CLOSED,
        (finishes.c.points != case((worth > 0, worth), else_=0)) & ~brought,
        finishes.c.guesses != number,
        finishes.c.hints != select(func.count()).select_from(hints).where(*asked).scalar_subquery(),
        finishes.c.won != won,
        (finishes.c.points > 0) != finishes.c.rank.is_not(None),
    )


def _seasons(broken: ColumnElement[bool]) -> AnySelect:
    """Ids of players with a broken row on a board of all time."""
    query = select(seasons.c.player_id).where(seasons.c.period == Period.ALL, broken)
    return query.distinct()


def _gathered(name: str) -> Any:
    """What the finishes that count on a row of `seasons` come to."""
    value = {"points": finishes.c.points, "wins": case((finishes.c.won, 1), else_=0), "games": 1}[name]
    return (
        select(func.coalesce(func.sum(value), 0))
        .select_from(finishes)
        .join(games, games.c.id == finishes.c.game_id)
        .join(rooms, rooms.c.id == games.c.room_id)
        .where(finishes.c.player_id == seasons.c.player_id)
        .where(or_(seasons.c.scope == EVERYBODY, seasons.c.scope == _group()))
        .correlate(seasons)
        .scalar_subquery()
    )


def _group() -> ColumnElement[Any]:
    """The group whose board a game counts on; null where there is none."""
    return case((rooms.c.kind.in_([RoomKind.GROUP, RoomKind.TOPIC]), rooms.c.chat_id))


def _without_a_season() -> AnySelect:
    """Ids of players with a finish that no board has."""

    def on_board(scope: Any) -> ColumnElement[bool]:
        return exists().where(
            seasons.c.scope == scope,
            seasons.c.period == Period.ALL,
            seasons.c.player_id == finishes.c.player_id,
        )

    query = (
        select(finishes.c.player_id)
        .join(games, games.c.id == finishes.c.game_id)
        .join(rooms, rooms.c.id == games.c.room_id)
        .where(finishes.c.player_id > 0)
        .where(or_(~on_board(EVERYBODY), _group().is_not(None) & ~on_board(_group())))
    )
    return query.distinct()


def _apart() -> AnySelect:
    """Ids of players whose points of all time are not the sum of their days, weeks or months on some board.

    One pass over the boards: asked of each row by itself, a planner may walk the board for every player on it.
    """

    def points(rows: ColumnElement[bool]) -> ColumnElement[Any]:
        return func.sum(case((rows, seasons.c.points), else_=0))

    of_all = seasons.c.period == Period.ALL
    parts = [points(func.length(seasons.c.period) == length) for length in _SPANS]
    query = select(seasons.c.player_id).group_by(seasons.c.scope, seasons.c.player_id)
    has_all, differ = (
        func.sum(case((of_all, 1), else_=0)) > 0,
        or_(*(points(of_all) != part for part in parts)),
    )
    return query.having(has_all & differ).distinct()
