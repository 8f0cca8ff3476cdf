"""The order in which rows are locked, so that no two transactions wait for each other.

First whoever acts, then a game, then guesses in the order of their ids. Whoever writes guesses locks all it
will write here, in one statement: an UPDATE alone would lock them in whatever order the database happens to
find them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Text, bindparam, cast, func, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.refusals import DayOver, GameOver
from codemojex.play.literals import IS_OPEN
from codemojex.store.columns import TelegramId
from codemojex.store.lists import listed
from codemojex.store.schema import games, guesses, players, rooms


@dataclass(frozen=True, slots=True)
class Held:
    """A game whose row is locked until the transaction ends.

    Attributes:
        open: it takes guesses.
        day: of the puzzle of a day, YYYY-MM-DD; None of any other game.
    """

    open: bool
    day: str | None

    def check_open(self) -> None:
        """Refuse where no guess is taken any more.

        Raises:
            DayOver, GameOver: it is closed, or its time is up.
        """
        if not self.open:
            raise GameOver if self.day is None else DayOver(self.day)


async def lock_game(tx: AsyncConnection, game_id: int, now: datetime) -> Held:
    """Lock a game's row; what it is like at ``now``."""
    row = (await tx.execute(_GAME, {"game": game_id})).one()
    return Held(row.open and (row.closes_at is None or now < row.closes_at), row.day)


async def lock_guesses(tx: AsyncConnection, condition: ColumnElement[bool]) -> None:
    """Lock the guesses that ``condition`` finds. A SQLite transaction holds the whole file anyway."""
    if tx.dialect.name == "postgresql":
        query = select(guesses.c.id).where(condition).order_by(guesses.c.id)
        await tx.execute(query.with_for_update(key_share=True))


async def lock_guess_ids(tx: AsyncConnection, ids: Collection[str]) -> None:
    """Lock these guesses, as `lock_guesses` does."""
    if tx.dialect.name == "postgresql":
        await tx.execute(_GUESSES, {"ids": ids})


async def lock_player(tx: AsyncConnection, player_id: int) -> None:
    """Lock a player's row: what they do twice at once, in two processes, happens one after the other."""
    await tx.execute(_PLAYER, {"player": player_id})


async def lock_finishers(tx: AsyncConnection, player_ids: Collection[int]) -> None:
    """Have scores of these players that are written at the same time seen one after the other.

    Two workers that each score one of a player's last two guesses would else both find the other one missing.
    This is no lock on a row: only scoring takes it, so it waits for nobody who talks to the bot.
    """
    if tx.dialect.name == "postgresql":
        await tx.execute(_FINISHERS, {"players": sorted(player_ids)})


# The statements of the busiest path are built once: on SQLite building one takes longer than running it.
_GAME = (
    select((games.c.state == IS_OPEN).label("open"), games.c.closes_at, rooms.c.day)
    .join(rooms, rooms.c.id == games.c.room_id)
    .where(games.c.id == bindparam("game"))
    .with_for_update(of=games, key_share=True)
)

_GUESSES = (
    select(guesses.c.id)
    .where(listed(guesses.c.id, "ids"))
    .order_by(guesses.c.id)
    .with_for_update(key_share=True)
)

_PLAYER = select(players.c.id).where(players.c.id == bindparam("player")).with_for_update(key_share=True)

# A set-returning function gives its rows in the order of the array, so everybody locks in one order.
_IDS = func.unnest(cast(bindparam("players"), ARRAY(TelegramId))).column_valued("id")
_FINISHERS = select(cast(func.pg_advisory_xact_lock(_IDS), Text))
