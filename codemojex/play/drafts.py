"""Drafts: guesses on their way to being six symbols, put together with buttons.

A draft's ``version`` says how many guesses were made of it. Buttons carry the version they were made for, so
a button of a guess that was submitted changes nothing, however late or often it is tapped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import CODE_LENGTH
from codemojex.game.pins import Slots, merge
from codemojex.game.refusals import GameOver, NotOnKeyboard, StaleDraft
from codemojex.play.games import GameView
from codemojex.play.locks import lock_player
from codemojex.play.pins import pinned
from codemojex.play.players import Player
from codemojex.store.columns import AnyRow
from codemojex.store.schema import drafts, guesses

Key = int | Literal["del", "clear"]

_VERSIONS: Final = 10_000  # of one draft; far more than a game has guesses


@dataclass(frozen=True, slots=True)
class DraftView:
    """A player's draft in a game.

    Attributes:
        symbols: those chosen so far, in order; they fill the positions without a pin.
        version: how many guesses were made of it.
    """

    game_id: int
    player_id: int
    id: int
    symbols: tuple[str, ...]
    version: int

    @property
    def message_id(self) -> int:
        """What stands for the message of the guess made of this version: below 0, where no message is."""
        return -(self.id * _VERSIONS + self.version)


async def tap(
    tx: AsyncConnection, game: GameView, player: Player, key: Key, version: int | None, now: datetime
) -> DraftView:
    """Add the keyboard's symbol number ``key`` (from 0), or take the last one or all of them away.

    A symbol that is in the draft or pinned already, or one too many, changes nothing.

    Args:
        version: the one the button was made for; None on buttons that several people share.

    Raises:
        GameOver: the game takes no guesses any more.
        NotOnKeyboard: there is no such key.
        StaleDraft: a guess was made of that version.
    """
    if not game.takes_guesses(now):
        raise GameOver
    draft = await _lock(tx, game, player, version, now)
    symbols = _tapped(draft.symbols, key, game, await pinned(tx, game.id, player.id))
    if symbols == draft.symbols:
        return draft
    changed = {"symbols": "".join(symbols), "changed_at": now}
    await tx.execute(update(drafts).where(drafts.c.id == draft.id).values(**changed))
    return replace(draft, symbols=symbols)


async def ready(
    tx: AsyncConnection, game: GameView, player: Player, version: int | None, now: datetime
) -> tuple[tuple[str, ...], DraftView]:
    """The guess that the draft makes with the player's pins. Submit it, then `bump` the draft.

    Raises:
        StaleDraft: a guess was made of that version already, or just this one of pins alone.
        Empty, NotSix, NotFilling, Repeated: it is no guess yet.
    """
    draft = await _lock(tx, game, player, version, now)
    six = merge(draft.symbols, await pinned(tx, game.id, player.id), game.keyboard)
    if version is None and not draft.symbols and await _made_last(tx, draft) == "".join(six):
        raise StaleDraft  # all six are pinned, and shared buttons do not tell a second tap by their version
    return six, draft


async def bump(tx: AsyncConnection, draft: DraftView) -> DraftView:
    """A guess was made of ``draft``: the next version of it, empty."""
    bumped = replace(draft, symbols=(), version=draft.version + 1)
    await tx.execute(update(drafts).where(drafts.c.id == draft.id).values(symbols="", version=bumped.version))
    return bumped


async def draft_of(tx: AsyncConnection, game_id: int, player_id: int) -> DraftView | None:
    """A player's draft in a game; None before their first tap."""
    query = select(drafts).where(drafts.c.game_id == game_id, drafts.c.player_id == player_id)
    row = (await tx.execute(query)).one_or_none()
    return None if row is None else _view(row)


async def _lock(
    tx: AsyncConnection, game: GameView, player: Player, version: int | None, now: datetime
) -> DraftView:
    """The draft, begun if there is none, and nobody else's until the transaction ends."""
    await lock_player(tx, player.id)
    draft = await draft_of(tx, game.id, player.id)
    if version not in (None, 0 if draft is None else draft.version):
        raise StaleDraft
    if draft is not None:
        return draft
    values = {"game_id": game.id, "player_id": player.id, "changed_at": now}
    return _view((await tx.execute(insert(drafts).values(**values).returning(drafts))).one())


async def _made_last(tx: AsyncConnection, draft: DraftView) -> str | None:
    """The symbols of the last guess that was made of a draft; None before the first."""
    last = replace(draft, version=draft.version - 1).message_id
    query = select(guesses.c.symbols).where(
        guesses.c.game_id == draft.game_id,
        guesses.c.player_id == draft.player_id,
        guesses.c.message_id == last,
    )
    return (await tx.execute(query)).scalar_one_or_none()


def _tapped(symbols: tuple[str, ...], key: Key, game: GameView, pins: Slots) -> tuple[str, ...]:
    if key == "clear":
        return ()
    if key == "del":
        return symbols[:-1]
    if not 0 <= key < len(game.keyboard.chars):
        raise NotOnKeyboard(key)
    symbol = game.keyboard.chars[key]
    full = len(symbols) + sum(pin is not None for pin in pins) >= CODE_LENGTH
    return symbols if full or symbol in symbols or symbol in pins else (*symbols, symbol)


def _view(row: AnyRow) -> DraftView:
    return DraftView(row.game_id, row.player_id, row.id, tuple(row.symbols), row.version)
