"""What one person has done in all their games."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import and_, case, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import streaks
from codemojex.play.literals import A_CRACK
from codemojex.store.schema import finishes, guesses


@dataclass(frozen=True, slots=True)
class StatsView:
    """A person's games that are over.

    Attributes:
        games: those in which they guessed.
        wins: how many they won, alone or among others.
        best: the most points of one game, hints paid; None before the first game ended.
        guesses: how many counted in them.
        cracks: games in which they found the code, first or not.
        average: points a game, rounded; None before the first game ended.
        streak, best_streak: days in a row of the puzzle of the day.
    """

    games: int
    wins: int
    best: int | None
    guesses: int
    cracks: int
    average: int | None
    streak: int
    best_streak: int


async def stats(tx: AsyncConnection, player_id: int, today: str) -> StatsView:
    """A person's numbers.

    Args:
        today: the local day; a streak that ended before yesterday is broken.
    """
    won = func.coalesce(func.sum(case((finishes.c.won, 1), else_=0)), 0)
    query = select(
        func.count().label("games"),
        won.label("wins"),
        func.max(finishes.c.points).label("best"),
        func.coalesce(func.sum(finishes.c.guesses), 0).label("guesses"),
        func.coalesce(func.sum(finishes.c.points), 0).label("points"),
    ).where(finishes.c.player_id == player_id)
    row = (await tx.execute(query)).one()
    streak = await streaks.of(tx, player_id, today)
    return StatsView(
        games=row.games,
        wins=row.wins,
        best=row.best,
        guesses=row.guesses,
        cracks=await _cracks(tx, player_id),
        average=round(row.points / row.games) if row.games else None,
        streak=streak.days,
        best_streak=streak.best,
    )


async def _cracks(tx: AsyncConnection, player_id: int) -> int:
    """Games they cracked; a guess after another's crack came too late and cracked nothing."""
    query = (
        select(func.count(guesses.c.game_id.distinct()))
        .join(
            finishes,
            and_(finishes.c.game_id == guesses.c.game_id, finishes.c.player_id == guesses.c.player_id),
        )
        .where(finishes.c.player_id == player_id)
        .where(guesses.c.points == A_CRACK, guesses.c.late.is_(False))
    )
    return (await tx.execute(query)).scalar_one()
