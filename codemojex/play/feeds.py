"""The newest guesses of a game, as the board of a group shows them: no more than the game's mode tells."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import Mode
from codemojex.play.games import GameView
from codemojex.play.players import full_name
from codemojex.store.columns import AnyRow
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
    # A guess without a notice may be a crack that nobody knows of before the settlement.
    newest = select(func.max(guesses.c.ordinal)).where(guesses.c.game_id == game.id).scalar_subquery()
    query = (
        select(guesses, players.c.first_name, players.c.last_name)
        .join(players, players.c.id == guesses.c.player_id)
        .join(notices, notices.c.guess_id == guesses.c.id)
        .where(guesses.c.game_id == game.id)
        .where(or_(guesses.c.id.in_(carried), guesses.c.ordinal > newest - most))
        .order_by(guesses.c.ordinal.desc())
    )
    rows = list(await tx.execute(query))
    told = {row.id for row in rows if row.id in carried}
    others = [row.id for row in rows if row.id not in told]
    shown = told.union(others[: max(0, most - len(told))])
    return [_line(row, game) for row in reversed(rows) if row.id in shown]


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
