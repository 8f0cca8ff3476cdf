"""Who stands where in a game: best total, then the earlier guess that reached it, then player id.

Late guesses never count. A player without points is not placed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from sqlalchemy import case, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.scoring import CRACKED
from codemojex.play.players import full_name
from codemojex.store.schema import guesses, players


@dataclass(frozen=True, slots=True)
class Place:
    """One player in one game; for the program's own use, since it holds totals.

    Attributes:
        rank: from 1; None without points.
        best: the best total so far, None before the first score.
        exact, misplaced: of the guess that reached it.
        guesses: admitted ones that count, scored or not.
    """

    player_id: int
    name: str
    rank: int | None
    best: int | None
    exact: int | None
    misplaced: int | None
    guesses: int


@dataclass(frozen=True, slots=True)
class Before:
    """What a player had before one of their guesses, as they have been told or are about to be.

    Attributes:
        best: their best total of the guesses before it and of those told already, in whatever order scores
            came; 600 while one before it has no score, since nobody knows yet.
        repeats: they had guessed exactly this before.
    """

    best: int
    repeats: bool


@dataclass(frozen=True, slots=True)
class Standings:
    """One game's players, best first, then those without points.

    Attributes:
        before: by guess id, for the guesses that were asked for.
    """

    places: tuple[Place, ...] = ()
    before: Mapping[str, Before] = field(default_factory=dict)

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
        untold: guesses that are about to be told to their players; `Standings.before` says what they had.
    """
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
            *(_before(untold) if untold else ()),
        )
        .where(guesses.c.game_id.in_(game_ids), guesses.c.late.is_(False))
        .subquery()
    )
    query = (
        select(ranked, players.c.first_name, players.c.last_name)
        .join(players, players.c.id == ranked.c.player_id)
        .where(or_(ranked.c.nth == 1, ranked.c.id.in_(untold)) if untold else ranked.c.nth == 1)
        .order_by(
            ranked.c.game_id,
            func.coalesce(ranked.c.points, -1).desc(),
            ranked.c.ordinal,
            ranked.c.player_id,
        )
    )
    found, wanted = {game_id: Standings() for game_id in game_ids}, frozenset(untold)
    for game_id, group in groupby(await tx.execute(query), key=lambda row: row.game_id):
        rows = list(group)
        places = (
            Place(
                player_id=row.player_id,
                name=full_name(row.first_name, row.last_name),
                rank=rank if row.points else None,
                best=row.points,
                exact=row.exact,
                misplaced=row.misplaced,
                guesses=row.guesses,
            )
            for rank, row in enumerate((row for row in rows if row.nth == 1), 1)
        )
        asked = (row for row in rows if row.id in wanted)
        before = {row.id: Before(max(row.earlier_best, row.told_best), row.said > 1) for row in asked}
        found[game_id] = Standings(tuple(places), before)
    return found


def _before(untold: Collection[str]) -> tuple[Any, ...]:
    """Columns of `Before`. Scores may come in any order: what was told already counts as had before too."""
    each = (guesses.c.game_id, guesses.c.player_id)
    earlier = func.max(func.coalesce(guesses.c.points, CRACKED)).over(
        partition_by=each, order_by=guesses.c.number, rows=(None, -1)
    )
    told = func.max(case((guesses.c.id.in_(untold), 0), else_=func.coalesce(guesses.c.points, 0)))
    said = func.row_number().over(partition_by=(*each, guesses.c.symbols), order_by=guesses.c.number)
    return (
        func.coalesce(earlier, 0).label("earlier_best"),
        told.over(partition_by=each).label("told_best"),
        said.label("said"),
    )
