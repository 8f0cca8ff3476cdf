"""Hints: one symbol that is in the secret. Two a game and player; each costs 60 of their final best."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import exists, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.refusals import AlreadySolved, GameOver, NoHintsLeft, OutOfGuesses
from codemojex.game.secret import Dice
from codemojex.play.games import GameView
from codemojex.play.guesses import solved
from codemojex.play.locks import lock_game
from codemojex.play.players import Player
from codemojex.store.schema import games, guesses, hints

EACH: Final = 2


@dataclass(frozen=True, slots=True)
class Hint:
    """A symbol of the secret, for one player only.

    Attributes:
        number: nth hint of this player in this game.
        left: how many they may still ask for.
    """

    symbol: str
    number: int
    left: int


async def ask(tx: AsyncConnection, game: GameView, player: Player, now: datetime, dice: Dice) -> Hint:
    """Give ``player`` a symbol of the secret that they were not given before.

    Raises:
        GameOver, DayOver: the game takes no guesses any more, or none that would not be too late.
        NoHintsLeft: they have had both.
        OutOfGuesses, AlreadySolved: they have no use for one.
    """
    # Locked as for a guess: no hint is given, and none is paid, once the game is settled.
    held = await lock_game(tx, game.id, now)
    held.check_open()
    had = await given(tx, game.id, player.id)
    if len(had) >= EACH:
        raise NoHintsLeft(EACH)
    if await _guesses(tx, game.id, player.id) >= game.guess_limit:
        raise OutOfGuesses(game.guess_limit)
    if held.day is None and await _cracked(tx, game.id):
        raise GameOver
    if held.day is not None and await solved(tx, game.id, player.id):
        raise AlreadySolved
    symbol = await _draw(tx, game, had, dice)
    number = len(had) + 1
    values = {"game_id": game.id, "player_id": player.id, "number": number, "symbol": symbol, "asked_at": now}
    await tx.execute(insert(hints), values)
    return Hint(symbol, number, EACH - number)


async def given(tx: AsyncConnection, game_id: int, player_id: int) -> list[str]:
    """The symbols a player was given in a game, in order."""
    query = select(hints.c.symbol).where(hints.c.game_id == game_id, hints.c.player_id == player_id)
    return list((await tx.execute(query.order_by(hints.c.number))).scalars())


async def _cracked(tx: AsyncConnection, game_id: int) -> bool:
    """Whether somebody has cracked a game, scored or not; the database compares, the secret is not read."""
    crack = guesses.c.game_id == games.c.id, guesses.c.symbols == games.c.secret
    query = select(exists().where(games.c.id == game_id, *crack))
    return bool((await tx.execute(query)).scalar_one())


async def _guesses(tx: AsyncConnection, game_id: int, player_id: int) -> int:
    query = select(func.count()).where(guesses.c.game_id == game_id, guesses.c.player_id == player_id)
    return (await tx.execute(query)).scalar_one()


async def _draw(tx: AsyncConnection, game: GameView, had: Collection[str], dice: Dice) -> str:
    """One more symbol of the secret, in the keyboard's order before the dice fall: no position is in it.

    This reads the secret of an open game; it stays here.
    """
    secret = (await tx.execute(select(games.c.secret).where(games.c.id == game.id))).scalar_one()
    [symbol] = dice.sample([char for char in game.keyboard.chars if char in secret and char not in had], 1)
    return symbol
