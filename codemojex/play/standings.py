"""Who stands where in a game: best total, then the earlier guess that reached it, then player id.

Late guesses never count. A player without points is not placed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

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
class Standings:
    """One game's players, best first, then those without points."""

    places: tuple[Place, ...] = ()

    @property
    def placed(self) -> int:
        """Players with points."""
        return sum(place.rank is not None for place in self.places)

    def of(self, player_id: int) -> Place | None:
        """Where a player stands; None before their first guess."""
        return next((place for place in self.places if place.player_id == player_id), None)


async def standings(tx: AsyncConnection, game_ids: Collection[int]) -> dict[int, Standings]:
    """The standings of games, one statement for all; a game without guesses has empty ones."""
    each = (guesses.c.game_id, guesses.c.player_id)
    order = (func.coalesce(guesses.c.points, -1).desc(), guesses.c.ordinal)
    ranked = (
        select(
            *each,
            guesses.c.points,
            guesses.c.exact,
            guesses.c.misplaced,
            guesses.c.ordinal,
            func.row_number().over(partition_by=each, order_by=order).label("nth"),
            func.count().over(partition_by=each).label("guesses"),
        )
        .where(guesses.c.game_id.in_(game_ids), guesses.c.late.is_(False))
        .subquery()
    )
    query = (
        select(ranked, players.c.first_name, players.c.last_name)
        .join(players, players.c.id == ranked.c.player_id)
        .where(ranked.c.nth == 1)
        .order_by(
            ranked.c.game_id,
            func.coalesce(ranked.c.points, -1).desc(),
            ranked.c.ordinal,
            ranked.c.player_id,
        )
    )
    found = {game_id: Standings() for game_id in game_ids}
    for game_id, rows in groupby(await tx.execute(query), key=lambda row: row.game_id):
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
            for rank, row in enumerate(rows, 1)
        )
        found[game_id] = Standings(tuple(places))
    return found
