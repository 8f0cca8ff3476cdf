"""Cards: messages that are kept up to date by editing them.

A row of `cards` says which message shows a card; what it shows is read from the database when it is sent. So
one waiting notice a card is enough, however much changes meanwhile. Whoever changes what a card shows asks
for a refresh in the same transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, delete, or_, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play.minting import Mint
from codemojex.play.outbox import NoticeRef, dumped
from codemojex.store.columns import AnyRow
from codemojex.store.lists import listed
from codemojex.store.schema import cards, notices
from codemojex.store.upsert import upsert

KIND = "card"  # of a notice that shows one
# In the data of such a notice: as a new message, whatever message shows the card now.
ANEW = {"anew": True}
BELOW = {"below": True}  # the same, below a result: the game's rules and its seal stand further up

# Word for word the condition of uq_notices_card_waiting, or the databases do not see that it is meant.
_WAITING = "card_id IS NOT NULL AND sent_at IS NULL AND failure IS NULL AND sends = 0"


class CardKind(StrEnum):
    """What a card shows."""

    BOARD = "board"  # a game in a group, with buttons that everybody there shares
    COMPOSER = "composer"  # a game in a private chat, with the buttons of its one player


@dataclass(frozen=True, slots=True)
class Card:
    """A card as it lies in the database.

    Attributes:
        player_id: whose buttons; None on a board.
        message_id: the message that shows it; None before the first and when that message is gone.
        shown_at: when it was last sent or edited.
    """

    id: int
    kind: CardKind
    chat_id: int
    thread_id: int
    game_id: int
    player_id: int | None
    message_id: int | None
    shown_at: datetime | None


async def board_card(tx: AsyncConnection, game_id: int, chat_id: int, thread_id: int = 0) -> int:
    """The id of the board of a game in a group, created when there is none; nothing is sent yet."""
    return (await _make(tx, CardKind.BOARD, chat_id, thread_id, game_id, None)).id


async def composer_card(tx: AsyncConnection, game_id: int, player_id: int) -> int:
    """The id of a player's composer of a game, created when there is none; nothing is sent yet."""
    # Telegram gives a private chat the id of the person in it.
    return (await _make(tx, CardKind.COMPOSER, player_id, 0, game_id, player_id)).id


async def deal(
    tx: AsyncConnection, mint: Mint, now: datetime, game_id: int, player_id: int, *, fresh: bool = False
) -> NoticeRef | None:
    """Have a player's composer of a game sent as the newest message of their own chat.

    Args:
        fresh: the game was opened by this transaction, so nothing of it waits.
    """
    card = await _make(tx, CardKind.COMPOSER, player_id, 0, game_id, player_id)
    refs = await (_notify if fresh else _repost)(tx, mint, now, [card], ANEW)
    return refs[0] if refs else None


async def redraw(
    tx: AsyncConnection, mint: Mint, now: datetime, game_id: int, player_id: int
) -> NoticeRef | None:
    """Have a player's composer of a game brought up to date, where it is."""
    refs = await _notify(
        tx, mint, now, [await _make(tx, CardKind.COMPOSER, player_id, 0, game_id, player_id)]
    )
    return refs[0] if refs else None


async def refresh(tx: AsyncConnection, mint: Mint, now: datetime, card_id: int) -> NoticeRef | None:
    """Have a card brought up to date; None when that waits to be done already, or there is no such card."""
    refs = await _notify(tx, mint, now, await _the(tx, card_id))
    return refs[0] if refs else None


async def repost(tx: AsyncConnection, mint: Mint, now: datetime, card_id: int) -> NoticeRef | None:
    """Have a card sent as a new message, below everything that waits for its chat by now."""
    refs = await _repost(tx, mint, now, await _the(tx, card_id))
    return refs[0] if refs else None


async def refresh_boards(
    tx: AsyncConnection, mint: Mint, now: datetime, game_ids: Collection[int]
) -> list[NoticeRef]:
    """Have the boards of these games brought up to date; a game without one is passed over."""
    if not game_ids:
        return []
    boards = [as_card(row) for row in await tx.execute(_BOARDS_OF, {"games": game_ids})]
    return await _notify(tx, mint, now, boards)


async def repost_composers(
    tx: AsyncConnection, mint: Mint, now: datetime, players: Collection[tuple[int, int]]
) -> list[NoticeRef]:
    """Have composers sent again, below the results written before; for (game id, player id) that have one."""
    if not players:
        return []
    # By the chat, which is the player's, since that is what the index knows.
    theirs = or_(*(and_(cards.c.game_id == game, cards.c.chat_id == player) for game, player in players))
    composers = await found(tx, (cards.c.kind == CardKind.COMPOSER) & theirs)
    return await _repost(tx, mint, now, composers, BELOW)


async def retire(
    tx: AsyncConnection, mint: Mint, now: datetime, game_ids: Collection[int]
) -> list[NoticeRef]:
    """Games have ended: have their cards shown once more, without buttons.

    A repost that waits becomes an edit; a card that nobody has seen yet is still sent, because it shows the seal
    that everybody may hold against the secret. Buttons go without this, too, at a refresh of the composer of
    somebody who has no guess left.
    """
    these = [as_card(row) for row in await tx.execute(_OF_GAMES, {"games": game_ids})]
    await _withdraw(tx, [card for card in these if card.shown_at is not None])
    return await _notify(tx, mint, now, these)


async def _make(
    tx: AsyncConnection, kind: CardKind, chat_id: int, thread_id: int, game_id: int, player_id: int | None
) -> Card:
    values = {"kind": kind, "chat_id": chat_id, "thread_id": thread_id, "game_id": game_id}
    created = await tx.execute(_create(tx.dialect.name), {**values, "player_id": player_id})
    return as_card(created.one())


async def found(tx: AsyncConnection, condition: ColumnElement[bool]) -> list[Card]:
    """The cards a condition on `cards` finds, by chat: in that order notifiers lock, and so does whoever
    asks them for something, or they would wait for each other in a ring.
    """
    query = select(cards).where(condition).order_by(cards.c.chat_id, cards.c.id)
    return [as_card(row) for row in await tx.execute(query)]


async def _the(tx: AsyncConnection, card_id: int) -> list[Card]:
    return [as_card(row) for row in await tx.execute(_BY_ID, {"card": card_id})]


def as_card(row: AnyRow) -> Card:
    """A row of `cards`."""
    return Card(**{**row._mapping, "kind": CardKind(row.kind)})


async def _notify(
    tx: AsyncConnection, mint: Mint, now: datetime, these: Sequence[Card], data: dict[str, Any] | None = None
) -> list[NoticeRef]:
    """Write a notice for each card that has none waiting; those written.

    One that waits is locked until this transaction ends: whoever sends it reads what this one has changed.
    """
    rows = [_notice(card, mint("JOB"), now, data or {}) for card in these]
    if not rows:
        return []
    waiting = set((await tx.execute(put(tx.dialect.name, anew=data is not None), rows)).scalars())
    return [NoticeRef(row["id"], row["chat_id"]) for row in rows if row["id"] in waiting]


async def _repost(
    tx: AsyncConnection, mint: Mint, now: datetime, these: Sequence[Card], data: dict[str, Any] = ANEW
) -> list[NoticeRef]:
    await _withdraw(tx, these)
    return await _notify(tx, mint, now, these, data)


async def _withdraw(tx: AsyncConnection, these: Sequence[Card]) -> None:
    """Take back what waits for these cards and was never handed over."""
    ids = [card.id for card in these]
    if ids:
        await tx.execute(_WITHDRAW, {"cards": ids})


def _notice(card: Card, id: str, now: datetime, data: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": id,
        "chat_id": card.chat_id,
        "thread_id": card.thread_id,
        "kind": KIND,
        "player_id": card.player_id,
        "game_id": card.game_id,
        "card_id": card.id,
        "data": dumped(data),
        "created_at": now,
    }


_BY_ID = select(cards).where(cards.c.id == bindparam("card"))
_BOARDS_OF = (
    select(cards)
    .where(listed(cards.c.game_id, "games"), cards.c.kind == CardKind.BOARD)
    .order_by(cards.c.chat_id, cards.c.id)
)
_OF_GAMES = select(cards).where(listed(cards.c.game_id, "games")).order_by(cards.c.chat_id, cards.c.id)
_WITHDRAW = delete(notices).where(listed(notices.c.card_id, "cards"), text(_WAITING))


@cache
def _create(dialect: str) -> Any:
    made = upsert(dialect, cards)
    same = {"kind": made.excluded.kind}
    here = ["kind", "chat_id", "thread_id", "game_id"]
    return made.on_conflict_do_update(index_elements=here, set_=same).returning(cards)


@cache
def put(dialect: str, *, anew: bool = False) -> Any:
    """Write a notice of a card, or lock the one that waits; with ``anew`` that one becomes such a one, too."""
    put = upsert(dialect, notices)
    changed = {"data": put.excluded.data} if anew else {"card_id": put.excluded.card_id}
    waiting = put.on_conflict_do_update(index_elements=["card_id"], index_where=text(_WAITING), set_=changed)
    return waiting.returning(notices.c.id)
