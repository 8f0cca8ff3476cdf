"""The newest guesses of a game, as the board of a group shows them: no more than the game's mode tells."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import Mode
from codemojex.play.games import GameView
from codemojex.play.players import full_name
from codemojex.store.columns import AnyRow, AnySelect
from codemojex.store.lists import listed
from codemojex.store.schema import guesses, notices, players


@dataclass(frozen=True, slots=True)
class FeedLine:
    """One guess that was told, or is told with this.

    Attributes:
        name: as Telegram tells it, uncut; escape it.
        symbols: six emojis, one after another.
        total: None where the mode keeps it back.
        exact, misplaced: in a pegs game only.
        late: admitted after the winning guess; does not count.
        ordinal: nth of the game.
    """

    name: str
    player_id: int
    symbols: str
    total: int | None
    exact: int | None
    misplaced: int | None
    late: bool
    ordinal: int


async def feed(tx: AsyncConnection, game: GameView, carried: Collection[str], most: int) -> list[FeedLine]:
    """The guesses ``carried`` and the newest others, in the order of their admission.

    Args:
        most: lines in all; more only where there are more carried ones.
    """
    rows = list(await tx.execute(_NEWEST, {"game": game.id, "carried": carried, "most": most}))
    told = {row.id for row in rows if row.id in carried}
    others = [row.id for row in rows if row.id not in told]
    shown = told.union(others[: max(0, most - len(told))])
    return [_line(row, game) for row in reversed(rows) if row.id in shown]


async def told(tx: AsyncConnection, game: GameView, player_id: int) -> list[FeedLine]:
    """The guesses of one player that they were told of, in the order of their admission."""
    query = (
        select(guesses, players.c.first_name, players.c.last_name)
        .join(players, players.c.id == guesses.c.player_id)
        .where(guesses.c.game_id == game.id, guesses.c.player_id == player_id, guesses.c.told_at.is_not(None))
        .order_by(guesses.c.ordinal)
    )
    return [_line(row, game) for row in await tx.execute(query)]


def _newest() -> AnySelect:
    """Guesses that have a notice: one without may be a crack that nobody knows of before the settlement."""
    here = guesses.c.game_id == bindparam("game")
    last: Any = select(func.max(guesses.c.ordinal)).where(here).scalar_subquery()
    return (
        select(guesses, players.c.first_name, players.c.last_name)
        .join(players, players.c.id == guesses.c.player_id)
        .join(notices, notices.c.guess_id == guesses.c.id)
        .where(here)
        .where(or_(listed(guesses.c.id, "carried"), guesses.c.ordinal > last - bindparam("most")))
        .order_by(guesses.c.ordinal.desc())
    )


_NEWEST = _newest()


def _line(row: AnyRow, game: GameView) -> FeedLine:
    pegs = game.mode is Mode.PEGS
    return FeedLine(
        name=full_name(row.first_name, row.last_name),
        player_id=row.player_id,
        symbols=row.symbols,
        total=row.points if game.mode is Mode.CLASSIC or not game.open else None,
        exact=row.exact if pegs else None,
        misplaced=row.misplaced if pegs else None,
        late=row.late,
        ordinal=row.ordinal,
    )
