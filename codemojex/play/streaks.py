"""Streaks: how many days in a row somebody has finished the puzzle of the day, by cracking it or with every
guess used.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.scoring import CRACKED
from codemojex.play.days import day_before
from codemojex.play.rooms import RoomKind
from codemojex.store.schema import games, guesses, players, rooms


@dataclass(frozen=True, slots=True)
class Streak:
    """Days in a row.

    Attributes:
        days: of the run that goes on; 0 when it was broken.
        best: the longest ever.
    """

    days: int
    best: int


async def finished(tx: AsyncConnection, player_id: int, day: str) -> Streak:
    """Note that a player finished ``day``; the same day again changes nothing.

    Called in the transaction that scores the finishing guess, and for several players in the order of their
    ids, since each one's row stays locked until it ends.
    """
    query = (
        select(players.c.streak, players.c.best_streak, players.c.streak_day)
        .where(players.c.id == player_id)
        .with_for_update(key_share=True)
    )
    row = (await tx.execute(query)).one()
    last = row.streak_day
    if last == day:
        return Streak(row.streak, row.best_streak)
    if last is None or last < day:
        days = row.streak + 1 if last == day_before(day) else 1
        streak, last = Streak(days, max(row.best_streak, days)), day
    else:
        # The score of an earlier day came after a later one's: only the guesses know the runs.
        counted = await _from_guesses(tx, player_id, last)
        streak = Streak(counted.days, max(row.best_streak, counted.best))
    changed = {"streak": streak.days, "best_streak": streak.best, "streak_day": last}
    await tx.execute(update(players).where(players.c.id == player_id).values(**changed))
    return streak


async def of(tx: AsyncConnection, player_id: int, today: str) -> Streak:
    """A player's streak as of ``today``: one they finished yesterday goes on, an older one is broken."""
    query = select(players.c.streak, players.c.best_streak, players.c.streak_day)
    row = (await tx.execute(query.where(players.c.id == player_id))).one_or_none()
    if row is None:
        return Streak(0, 0)
    alive = row.streak_day is not None and row.streak_day >= day_before(today)
    return Streak(row.streak if alive else 0, row.best_streak)


async def _from_guesses(tx: AsyncConnection, player_id: int, last: str) -> Streak:
    """The run up to ``last`` and the longest one, counted from the player's guesses."""
    used = func.count(guesses.c.scored_at) >= games.c.guess_limit
    query = (
        select(rooms.c.day)
        .join(games, games.c.room_id == rooms.c.id)
        .join(guesses, and_(guesses.c.game_id == games.c.id, guesses.c.player_id == player_id))
        .where(rooms.c.kind == RoomKind.DAILY, rooms.c.day <= last)
        .group_by(rooms.c.day, games.c.guess_limit)
        .having(or_(func.max(guesses.c.points) == CRACKED, used))
        .order_by(rooms.c.day)
    )
    run, longest, before = 0, 0, None
    for day in (await tx.execute(query)).scalars():
        run = run + 1 if before == day_before(day) else 1
        longest, before = max(longest, run), day
    return Streak(run, longest)
