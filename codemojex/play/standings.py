"""Who stands where in a game: best total less hints, then the earlier guess that reached it, then player id.

Late guesses never count. A player without points, or who has paid them all for hints, is not placed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, FromClause, cast, func, not_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.scoring import CRACKED, net
from codemojex.play.players import full_name
from codemojex.store.columns import AnyRow, AnySelect
from codemojex.store.lists import listed
from codemojex.store.schema import guesses, hints, players


@dataclass(frozen=True, slots=True)
class Place:
    """One player in one game; for the program's own use, since it holds totals.

    Attributes:
        rank: from 1; None without points.
        best: the best total so far, hints not paid; None before the first score.
        exact, misplaced: of the guess that reached it.
        guesses: admitted ones that count, scored or not.
        scored: how many of them have their score.
        hints: how many they were given.
    """

    player_id: int
    name: str
    rank: int | None
    best: int | None
    exact: int | None
    misplaced: int | None
    guesses: int
    scored: int
    hints: int

    @property
    def net(self) -> int:
        """What the best total is worth with the hints paid: what they are ranked by."""
        return net(self.best, self.hints)


@dataclass(frozen=True, slots=True)
class Standings:
    """One game's players, best first, then those without points.

    Attributes:
        before: by guess id, for the guesses that were asked for: the best total its player had, of the guesses
            before it and of those told already, in whatever order scores came; 600 while one before it has no
            score, since nobody knows yet.
    """

    places: tuple[Place, ...] = ()
    before: Mapping[str, int] = field(default_factory=dict)

    @property
    def placed(self) -> int:
        """Players with points."""
        return sum(place.rank is not None for place in self.places)

    def of(self, player_id: int) -> Place | None:
        """Where a player stands; None before their first guess."""
        return next((place for place in self.places if place.player_id == player_id), None)


async def standings(
    tx: AsyncConnection, game_ids: Collection[int], untold: Collection[str] = ()
) -> dict[int, Standings]:
    """The standings of games, one statement or two for all; a game without guesses has empty ones.

    Args:
        untold: guesses that are about to be told to their players; `Standings.before` says what best they had.
    """
    found = {game_id: Standings() for game_id in game_ids}
    return found | await _read(tx, {"games": found.keys()}, untold)


async def among(
    tx: AsyncConnection, game_ids: Collection[int], player_ids: Collection[int], untold: Collection[str]
) -> dict[int, Standings]:
    """The same of some players only, where thousands play one game; ranks are those among them."""
    return await _read(tx, {"games": game_ids, "players": player_ids}, untold)


async def _read(
    tx: AsyncConnection, whose: Mapping[str, Collection[Any]], untold: Collection[str]
) -> dict[int, Standings]:
    rows = (await tx.execute(_query("players" in whose), whose)).all()
    wanted = list(untold)
    befores: dict[int, dict[str, int]] = {}
    if rows and wanted:
        for row in await tx.execute(_BEFORE, {"untold": wanted}):
            befores.setdefault(row.game_id, {})[row.id] = max(row.earlier_best, row.told_best)
    return {
        game_id: Standings(tuple(_places(group)), befores.get(game_id, {}))
        for game_id, group in groupby(rows, key=lambda row: row.game_id)
    }


# More than a game will ever have guesses: a best total and the place of the guess that reached it are one number.
_MANY = 2**32


@cache
def _query(some_players: bool) -> AnySelect:
    """Each player's best guess, game by game.

    The highest total, and of those that reached it the first, is the highest of one number made of both: each guess is
    looked at once, in the order of an index, where window functions sort and copy them all.
    """
    which = listed(guesses.c.game_id, "games")
    if some_players:
        which &= listed(guesses.c.player_id, "players")
    height = cast(func.coalesce(guesses.c.points, -1) + 1, BigInteger)
    place = cast(guesses.c.ordinal, BigInteger)
    each = (
        select(
            guesses.c.game_id,
            guesses.c.player_id,
            func.max(height * _MANY + (_MANY - 1 - place)).label("best"),
            func.count().label("guesses"),
            func.count(guesses.c.points).label("scored"),
        )
        .where(which, guesses.c.late.is_(False))
        .group_by(guesses.c.game_id, guesses.c.player_id)
        .subquery()
    )
    best = guesses.alias()
    hinted = (
        select(func.count())
        .where(hints.c.game_id == each.c.game_id, hints.c.player_id == each.c.player_id)
        .scalar_subquery()
    )
    return (
        select(each.c.game_id, each.c.player_id, each.c.guesses, each.c.scored)
        .add_columns(best.c.points, best.c.exact, best.c.misplaced, best.c.ordinal, hinted.label("hints"))
        .add_columns(players.c.first_name, players.c.last_name)
        .join(best, (best.c.game_id == each.c.game_id) & (best.c.ordinal == _MANY - 1 - each.c.best % _MANY))
        .join(players, players.c.id == each.c.player_id)
        .order_by(each.c.game_id)
    )


def _before() -> AnySelect:
    """What `Standings.before` is made of. Scores come in any order: what was told already was had before too."""
    asked, earlier, told = guesses.alias(), guesses.alias(), guesses.alias()
    had = select(func.max(func.coalesce(earlier.c.points, CRACKED))).where(
        *_same(earlier, asked), earlier.c.number < asked.c.number
    )
    was_told = select(func.max(func.coalesce(told.c.points, 0))).where(
        *_same(told, asked), not_(listed(told.c.id, "untold"))
    )
    return select(
        asked.c.game_id,
        asked.c.id,
        func.coalesce(had.scalar_subquery(), 0).label("earlier_best"),
        func.coalesce(was_told.scalar_subquery(), 0).label("told_best"),
    ).where(listed(asked.c.id, "untold"), asked.c.late.is_(False))


def _same(one: FromClause, other: FromClause) -> tuple[ColumnElement[bool], ...]:
    """Guesses of one player in one game that count."""
    return (
        one.c.game_id == other.c.game_id,
        one.c.player_id == other.c.player_id,
        one.c.late.is_(False),
    )


_BEFORE = _before()


def _places(bests: Iterable[AnyRow]) -> Iterator[Place]:
    """Each player's best guess to their place, best first."""
    for rank, row in enumerate(sorted(bests, key=_order), 1):
        yield Place(
            player_id=row.player_id,
            name=full_name(row.first_name, row.last_name),
            rank=rank if net(row.points, row.hints) else None,
            best=row.points,
            exact=row.exact,
            misplaced=row.misplaced,
            guesses=row.guesses,
            scored=row.scored,
            hints=row.hints,
        )


def _order(row: AnyRow) -> tuple[int, bool, int, int]:
    return -net(row.points, row.hints), row.points is None, row.ordinal, row.player_id
