"""What waits for one chat, in piles that do not wait for each other: its letters, and each of its cards.

In a group the results of a game with a board lie on the board's pile; a pile is looked at from its oldest notice.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import outbox, showing
from codemojex.play.cards import Card
from codemojex.play.outbox import Notice

HEAD = 50  # notices of a pile looked at for one message

_AT_ONCE = 2_000  # notices read by one statement


@dataclass(frozen=True, slots=True)
class Pile:
    """Notices that go one after another.

    Attributes:
        card: the card that shows them; None: they are letters.
    """

    notices: Sequence[Notice]
    card: Card | None = None

    @property
    def full(self) -> bool:
        """True when there may be more of it."""
        return len(self.notices) == HEAD


async def piles(
    tx: AsyncConnection, chat_ids: Collection[int], boards: Mapping[int, Collection[Card]]
) -> dict[int, list[Pile]]:
    """The piles of each chat, the one with the oldest notice first; none of them is empty.

    Args:
        boards: by chat, those for which something waits.
    """
    found: dict[int, list[Pile]] = {}
    apart: list[tuple[int, Sequence[Notice]]] = []
    whole = await outbox.waiting_each(tx, chat_ids, _AT_ONCE)
    for chat_id in chat_ids:
        cards, waiting = boards.get(chat_id, ()), whole.get(chat_id)
        if waiting is None:
            found[chat_id], rest = await _heads(tx, chat_id, cards)
        else:
            found[chat_id], rest = _parted(waiting, cards)
        apart.append((chat_id, rest))
    for chat_id, own in await _sorted(tx, apart):
        found[chat_id] += own
    return {
        id: sorted((pile for pile in each if pile.notices), key=lambda pile: pile.notices[0].id)
        for id, each in found.items()
    }


def _parted(waiting: Sequence[Notice], boards: Collection[Card]) -> tuple[list[Pile], Sequence[Notice]]:
    """The piles of boards, and the head of what lies on none of them."""
    if not boards:
        return [], waiting[:HEAD]
    piles = [
        Pile([notice for notice in waiting if showing.shows(card, notice)][:HEAD], card) for card in boards
    ]
    rest = [notice for notice in waiting if not any(showing.shows(card, notice) for card in boards)]
    return piles, rest[:HEAD]


async def _heads(
    tx: AsyncConnection, chat_id: int, boards: Collection[Card]
) -> tuple[list[Pile], Sequence[Notice]]:
    """The same of a chat in which more waits than is read at once."""
    if not boards:
        return [], await outbox.waiting(tx, chat_id, HEAD)
    piles = [Pile(await outbox.waiting(tx, chat_id, HEAD, showing.shown_by(card)), card) for card in boards]
    return piles, await outbox.waiting(tx, chat_id, HEAD, showing.apart_from(boards))


async def _sorted(
    tx: AsyncConnection, apart: Sequence[tuple[int, Sequence[Notice]]]
) -> list[tuple[int, list[Pile]]]:
    """Letters, and refreshes of composers: a chat has few of those, so they need no look of their own."""
    ids = {notice.card_id for _, waiting in apart for notice in waiting if notice.card_id is not None}
    known = await showing.of_ids(tx, ids) if ids else {}
    return [(chat_id, _own(waiting, known)) for chat_id, waiting in apart]


def _own(waiting: Sequence[Notice], known: Mapping[int, Card]) -> list[Pile]:
    cards: dict[int, list[Notice]] = {}
    for notice in waiting:
        if notice.card_id is not None:
            cards.setdefault(notice.card_id, []).append(notice)
    if not cards:
        return [Pile(waiting)]
    letters = [notice for notice in waiting if notice.card_id is None]
    return [Pile(letters), *(Pile(each, known[id]) for id, each in cards.items() if id in known)]
