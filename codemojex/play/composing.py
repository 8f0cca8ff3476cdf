"""What a composer shows: the game, the draft, the pins, and whether there is a guess left to compose."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import exists, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.pins import NO_PINS
from codemojex.game.scoring import CRACKED
from codemojex.play.games import GameView
from codemojex.play.pins import pinned
from codemojex.store.columns import AnySelect
from codemojex.store.lists import listed
from codemojex.store.schema import cards, drafts, games, guesses, pins, rooms


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


async def composers(
    tx: AsyncConnection, card_ids: Collection[int], their_games: Mapping[int, GameView]
) -> dict[int, ComposerView]:
    """The composers that these cards show, by card.

    Args:
        their_games: by id.
    """
    found = {}
    for row in list(await tx.execute(_ABOUT, {"cards": card_ids})):
        game = their_games[row.game_id]
        may_guess = row.used < game.guess_limit and row.best != CRACKED
        found[row.id] = ComposerView(
            game=game,
            draft=tuple(row.symbols or ()),
            version=row.version or 0,
            pins=await pinned(tx, row.game_id, row.player_id) if row.pins else NO_PINS,
            playing=game.open and may_guess,
            code=row.code,
            day=row.day,
        )
    return found


def _about() -> AnySelect:
    """Of each card, the room of its game, and how far its player is in that."""
    game, player = cards.c.game_id, cards.c.player_id
    mine = guesses.c.game_id == game, guesses.c.player_id == player
    pinning = exists().where(pins.c.game_id == game, pins.c.player_id == player)
    return (
        select(cards.c.id, game, player, rooms.c.code, rooms.c.day, drafts.c.symbols, drafts.c.version)
        .add_columns(select(func.count()).where(*mine).scalar_subquery().label("used"))
        .add_columns(select(func.max(guesses.c.points)).where(*mine).scalar_subquery().label("best"))
        .add_columns(pinning.label("pins"))
        .select_from(cards)
        .join(games, games.c.id == game)
        .join(rooms, rooms.c.id == games.c.room_id)
        .outerjoin(drafts, (drafts.c.game_id == game) & (drafts.c.player_id == player))
        .where(listed(cards.c.id, "cards"))
    )


_ABOUT = _about()
