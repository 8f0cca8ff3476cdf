"""Pins of a player in a game, see `game.pins`. They end with it."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import CODE_LENGTH
from codemojex.game.pins import Slots, check_position, placed
from codemojex.game.refusals import GameOver
from codemojex.play.games import GameView
from codemojex.play.locks import lock_player
from codemojex.play.players import Player
from codemojex.store.schema import pins
from codemojex.store.upsert import upsert


async def pin(
    tx: AsyncConnection, game: GameView, player: Player, position: int, text: str, now: datetime
) -> Slots:
    """Keep the symbol in ``text`` at ``position``; all six slots as they are then.

    Raises:
        GameOver: the game takes no guesses any more.
        BadPosition, NotOneSymbol, NotOnKeyboard, PinTaken: it cannot be pinned there.
    """
    if not game.takes_guesses(now):
        raise GameOver
    await lock_player(tx, player.id)
    slots = placed(await pinned(tx, game.id, player.id), position, text, game.keyboard)
    values = {"game_id": game.id, "player_id": player.id, "position": position, "pinned_at": now}
    await tx.execute(_keep(tx.dialect.name), {**values, "symbol": slots[position - 1]})
    return slots


async def unpin(tx: AsyncConnection, game: GameView, player: Player, position: int | None = None) -> Slots:
    """Let go of the pin at ``position``, or of all; the slots that are left. Where there is none, it is fine.

    Raises:
        BadPosition: no code has this position.
    """
    theirs = (pins.c.game_id == game.id) & (pins.c.player_id == player.id)
    if position is not None:
        check_position(position)
        theirs &= pins.c.position == position
    await tx.execute(delete(pins).where(theirs))
    return await pinned(tx, game.id, player.id)


async def pinned(tx: AsyncConnection, game_id: int, player_id: int) -> Slots:
    """A player's six slots; None where nothing is pinned."""
    found = await tx.execute(_PINNED, {"game": game_id, "player": player_id})
    kept = {row.position: row.symbol for row in found}
    return tuple(kept.get(position) for position in range(1, CODE_LENGTH + 1))


_PINNED = select(pins.c.position, pins.c.symbol).where(
    pins.c.game_id == bindparam("game"), pins.c.player_id == bindparam("player")
)


@cache
def _keep(dialect: str) -> Any:
    kept = upsert(dialect, pins)
    changed = {name: kept.excluded[name] for name in ("symbol", "pinned_at")}
    here = ["game_id", "player_id", "position"]
    return kept.on_conflict_do_update(index_elements=here, set_=changed)
