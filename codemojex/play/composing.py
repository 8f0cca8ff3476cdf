"""What a composer shows: the game, the draft, the pins, and whether there is a guess left to compose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, exists, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.pins import NO_PINS
from codemojex.game.scoring import CRACKED
from codemojex.play import games
from codemojex.play.games import GameView
from codemojex.play.pins import pinned
from codemojex.store import schema
from codemojex.store.columns import AnySelect
from codemojex.store.schema import drafts, guesses, pins, rooms


@dataclass(frozen=True, slots=True)
class ComposerView:
    """A player's composer.

    Attributes:
        draft: the symbols chosen so far.
        version: how many guesses were composed before.
        pins: six slots.
        playing: the game takes guesses and this player has one left.
        code: of the room that friends have joined, if the game is played in one.
        day: of the daily, if it is that.
    """

    game: GameView
    draft: tuple[str, ...]
    version: int
    pins: tuple[str | None, ...]
    playing: bool
    code: str | None
    day: str | None


async def composer(tx: AsyncConnection, game_id: int, player_id: int) -> ComposerView:
    """The composer of a player as it stands.

    Raises:
        LookupError: there is no such game.
    """
    game = await games.game(tx, game_id)
    if game is None:
        raise LookupError(f"no game has the id {game_id}")
    row = (await tx.execute(_ABOUT, {"game": game_id, "player": player_id})).one()
    may_guess = row.used < game.guess_limit and row.best != CRACKED
    return ComposerView(
        game=game,
        draft=tuple(row.symbols or ()),
        version=row.version or 0,
        pins=await pinned(tx, game_id, player_id) if row.pins else NO_PINS,
        playing=game.open and may_guess,
        code=row.code,
        day=row.day,
    )


def _about() -> AnySelect:
    """The room of a game, and how far a player is in it."""
    game: Any = bindparam("game")
    player: Any = bindparam("player")
    mine = guesses.c.game_id == game, guesses.c.player_id == player
    pinning = exists().where(pins.c.game_id == game, pins.c.player_id == player)
    return (
        select(rooms.c.code, rooms.c.day, drafts.c.symbols, drafts.c.version)
        .add_columns(select(func.count()).where(*mine).scalar_subquery().label("used"))
        .add_columns(select(func.max(guesses.c.points)).where(*mine).scalar_subquery().label("best"))
        .add_columns(pinning.label("pins"))
        .select_from(schema.games)
        .join(rooms, rooms.c.id == schema.games.c.room_id)
        .outerjoin(drafts, (drafts.c.game_id == schema.games.c.id) & (drafts.c.player_id == player))
        .where(schema.games.c.id == game)
    )


_ABOUT = _about()
