"""Who stands where in a game: best total less hints, then the earlier guess that reached it, then player id.

Late guesses never count. A player without points, or who has paid them all for hints, is not placed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, case, func, or_, select
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
    """The standings of games, one statement for all; a game without guesses has empty ones.

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
    wanted = frozenset(untold)
    query = _query("players" in whose, bool(wanted))
    about = {**whose, "untold": wanted} if wanted else whose
    found = {}
    for game_id, group in groupby(await tx.execute(query, about), key=lambda row: row.game_id):
        rows = list(group)
        before = {row.id: max(row.earlier_best, row.told_best) for row in rows if row.id in wanted}
        found[game_id] = Standings(tuple(_places(row for row in rows if row.nth == 1)), before)
    return found


@cache
def _query(some_players: bool, untold: bool) -> AnySelect:
    """Each player's best guess, and those that are about to be told, game by game.

    Built once: that takes longer than running it.
    """
    which = listed(guesses.c.game_id, "games")
    if some_players:
        which &= listed(guesses.c.player_id, "players")
    each = (guesses.c.game_id, guesses.c.player_id)
    order = (func.coalesce(guesses.c.points, -1).desc(), guesses.c.ordinal)
    ranked = (
        select(
            *each,
            guesses.c.id,
            guesses.c.points,
            guesses.c.exact,
            guesses.c.misplaced,
            guesses.c.ordinal,
            func.row_number().over(partition_by=each, order_by=order).label("nth"),
            func.count().over(partition_by=each).label("guesses"),
            func.count(guesses.c.points).over(partition_by=each).label("scored"),
            *(_before() if untold else ()),
        )
        .where(which, guesses.c.late.is_(False))
        .subquery()
    )
    hinted = (
        select(func.count())
        .where(hints.c.game_id == ranked.c.game_id, hints.c.player_id == ranked.c.player_id)
        .scalar_subquery()
    )
    return (
        select(ranked, hinted.label("hints"), players.c.first_name, players.c.last_name)
        .join(players, players.c.id == ranked.c.player_id)
        .where(or_(ranked.c.nth == 1, listed(ranked.c.id, "untold")) if untold else ranked.c.nth == 1)
        .order_by(ranked.c.game_id)
    )


def _before() -> Sequence[ColumnElement[Any]]:
    """What `Standings.before` is made of. Scores come in any order: what was told already was had before too."""
    each = (guesses.c.game_id, guesses.c.player_id)
    earlier = func.max(func.coalesce(guesses.c.points, CRACKED)).over(
        partition_by=each, order_by=guesses.c.number, rows=(None, -1)
    )
    told = func.max(case((listed(guesses.c.id, "untold"), 0), else_=func.coalesce(guesses.c.points, 0)))
    return (
        func.coalesce(earlier, 0).label("earlier_best"),
        told.over(partition_by=each).label("told_best"),
    )


def _places(bests: Iterator[AnyRow]) -> Iterator[Place]:
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
