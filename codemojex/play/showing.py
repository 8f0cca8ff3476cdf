"""The sender's side of cards: what a card shows, who shows it now, and what became of that."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, delete, false, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play.cards import BELOW, Card, CardKind, as_card, put
from codemojex.play.outbox import WAITS, Notice, dumped
from codemojex.store.columns import TelegramId
from codemojex.store.lists import listed
from codemojex.store.schema import cards, notices

CARRIED = ("result", "late")  # kinds of notices that the edit of their game's board tells, too


async def of_ids(tx: AsyncConnection, ids: Collection[int]) -> dict[int, Card]:
    """Cards by id."""
    return {row.id: as_card(row) for row in await tx.execute(_OF_IDS, {"ids": ids})}


async def boards_in(tx: AsyncConnection, chat_ids: Collection[int]) -> list[Card]:
    """The boards of these chats for which, or for whose games, notices wait."""
    return [as_card(row) for row in await tx.execute(_BOARDS_IN, {"chats": chat_ids})]


_OF_IDS = select(cards).where(listed(cards.c.id, "ids"))
_WAITING_IN = select(notices.c.game_id).where(listed(notices.c.chat_id, "chats"), WAITS)
_BOARDS_IN = (
    select(cards)
    .where(cards.c.kind == CardKind.BOARD, listed(cards.c.chat_id, "chats"))
    .where(cards.c.game_id.in_(_WAITING_IN))
    .order_by(cards.c.chat_id, cards.c.id)
)


def shown_by(card: Card) -> ColumnElement[bool]:
    """Which notices a card shows: those that refresh it, and on a board the results of its game."""
    if card.kind is not CardKind.BOARD:
        return notices.c.card_id == card.id
    result = notices.c.kind.in_(CARRIED) & (notices.c.game_id == card.game_id)
    return or_(notices.c.card_id == card.id, result)


def shows(card: Card, notice: Notice) -> bool:
    """Whether a board shows a notice, as `shown_by` says it to the database."""
    return notice.card_id == card.id or (notice.kind in CARRIED and notice.game_id == card.game_id)


def apart_from(boards: Collection[Card]) -> ColumnElement[bool]:
    """Which notices none of these boards shows."""
    of_card = notices.c.card_id.in_([card.id for card in boards])
    of_game = notices.c.kind.in_(CARRIED) & notices.c.game_id.in_([card.game_id for card in boards])
    return func.coalesce(of_card, false()).is_(False) & func.coalesce(of_game, false()).is_(False)


async def standing_below(tx: AsyncConnection, card_ids: Collection[int]) -> set[int]:
    """Which of these cards are shown by a message sent below a result, after one that shows the whole game."""
    firsts = await tx.execute(_FIRSTS, {"cards": card_ids})
    return {row.card_id for row in firsts if row.data == dumped(BELOW)}


async def is_gone(tx: AsyncConnection, card: Card) -> bool:
    """True when a card was seen, and is not there any more.

    One that was only handed over, or not even that, is still owed: it shows the seal of its game.
    """
    if card.message_id is not None:
        return False
    return (await tx.execute(_SHOWN_ONCE, {"game": card.game_id, "card": card.id})).first() is not None


_OF_CARD = (notices.c.game_id == bindparam("game")) & (notices.c.card_id == bindparam("card"))
_FIRSTS = select(notices.c.card_id, notices.c.data).where(
    notices.c.id.in_(
        select(func.min(notices.c.id))
        .join(cards, (cards.c.id == notices.c.card_id) & (cards.c.message_id == notices.c.message_id))
        .where(listed(cards.c.id, "cards"))
        .group_by(cards.c.id)
    )
)
_SHOWN_ONCE = select(notices.c.id).where(_OF_CARD, notices.c.sent_at.is_not(None)).limit(1)


async def claim(tx: AsyncConnection, seen: Collection[Card], now: datetime) -> dict[int, Card]:
    """Show these cards now.

    Returns:
        The cards by id, as they are by then; without those that somebody else showed since they were read.
    """
    shown_at = {card.id: card.shown_at for card in seen}
    rows = list(await tx.execute(_LOCK, {"ids": list(shown_at)}))
    mine = {row.id: as_card(row) for row in rows if row.shown_at == shown_at[row.id]}
    await tx.execute(_CLAIM, {"ids": list(mine), "now": now})
    return {id: replace(card, shown_at=now) for id, card in mine.items()}


# By chat, as everybody locks them who locks more than one.
_LOCK = _OF_IDS.order_by(cards.c.chat_id, cards.c.id).with_for_update(key_share=True)
_CLAIM = update(cards).where(listed(cards.c.id, "ids")).values(shown_at=bindparam("now"))


async def shown(tx: AsyncConnection, these: Sequence[tuple[int, int, int | None]], now: datetime) -> None:
    """Note that cards are up to date.

    Args:
        these: card, chat and message; None where nobody knows which message. One that moved meanwhile is left alone.
    """
    if these:
        await tx.execute(
            _SHOWN, [{"card": id, "chat": chat, "number": number, "now": now} for id, chat, number in these]
        )


_SHOWN = (
    update(cards)
    .where(cards.c.id == bindparam("card"), cards.c.chat_id == bindparam("chat"))
    .values(
        shown_at=bindparam("now"),
        message_id=func.coalesce(bindparam("number", type_=TelegramId), cards.c.message_id),
    )
)


async def vanished(tx: AsyncConnection, card_id: int, message_id: int) -> None:
    """Note that the message of a card is gone: it is to be sent anew, without a rest."""
    there = (cards.c.id == card_id) & (cards.c.message_id == message_id)
    await tx.execute(update(cards).where(there).values(message_id=None, shown_at=None))


async def withdraw(tx: AsyncConnection, ids: Sequence[str]) -> None:
    """Take back notices of cards that have nothing to show any more."""
    await tx.execute(delete(notices).where(notices.c.id.in_(ids), notices.c.card_id.is_not(None)))


async def give_back(tx: AsyncConnection, ids: Sequence[str], sends: int) -> None:
    """Let notices of cards wait again whose send surely did not leave; a newer one that waits takes their place.

    Args:
        sends: how often each was handed over, that send counted.
    """
    row = notices.c
    theirs = row.id.in_(ids) & row.card_id.is_not(None) & (row.sends == sends) & row.sent_at.is_(None)
    taken = await tx.execute(delete(notices).where(theirs).returning(notices))
    for mapping in taken.mappings().all():
        again = {**mapping, "sends": sends - 1, "sending_at": None}
        await tx.execute(put(tx.dialect.name, anew=mapping["data"] != dumped({})), again)
