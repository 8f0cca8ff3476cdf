"""One look at what waits for a chat: which message goes now, marked as being sent, and when to look again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.notices import faces
from codemojex.notices.letters import compose
from codemojex.notices.outgoing import Outgoing
from codemojex.notices.piles import Pile
from codemojex.notices.settling import ANSWER_LOST, MOST_SENDS
from codemojex.play import handover, showing
from codemojex.play.cards import Card, CardKind
from codemojex.play.outbox import Notice
from codemojex.store.engine import TryAgain
from codemojex.texts import Texts

log = structlog.get_logger(__name__)

UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for others.

    Attributes:
        abandoned: age at which a send without an outcome belongs to nobody any more.
        board_rest: how long a board is left alone after it was shown.
    """

    abandoned: timedelta
    board_rest: timedelta

    def in_flight(self, notice: Notice, now: datetime) -> bool:
        """True while whoever took the notice may still be sending it."""
        return notice.sending_at is not None and now - notice.sending_at < self.abandoned

    def rest(self, card: Card) -> timedelta:
        """How long a card is left alone; a composer answers its player's taps at once."""
        return self.board_rest if card.kind is CardKind.BOARD else timedelta(0)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A card that is to be shown.

    Attributes:
        refreshes, results: what it tells; equally often handed over before.
        waiting: how many notices of it wait in all.
    """

    card: Card
    refreshes: Sequence[Notice]
    results: Sequence[Notice]
    waiting: int
    full: bool


@dataclass(slots=True)
class Look:
    """A look at one chat within a transaction, and what came of it.

    Attributes:
        sees_all: the bot is shown every message of the chat.
        wanted: the card to be shown next: `draw` does that, for many looks at once.
        message: None when there is nothing to send now.
        letters: notices of ``message`` that are not yet marked as being sent; `mark` does that, for many looks at once.
        more: whether another look may find more at once.
        waits: how long until what cannot go yet may go.
    """

    tx: AsyncConnection
    texts: Texts
    now: datetime
    patience: Patience
    sees_all: bool = False
    wanted: Wanted | None = None
    message: Outgoing | None = None
    letters: list[Notice] = field(default_factory=list)
    more: bool = False
    waits: list[timedelta] = field(default_factory=list)
    _left: list[Pile] = field(default_factory=list)

    @property
    def wait_s(self) -> float | None:
        """Seconds after which to look again though nobody wakes the chat."""
        return min(self.waits).total_seconds() if self.waits else None

    async def take(self, found: Sequence[Pile]) -> None:
        """Take the message of the first pile that has one to send now, as far as that is no card."""
        self._left = list(found)
        await self._go_on()

    async def show(self, card: Card, sights: Mapping[int, faces.Sight]) -> None:
        """Show the card that was wanted, whose refreshes are marked, or what else there is where it shows nothing."""
        wanted, self.wanted = self.wanted, None
        if wanted is not None:
            await self._show(wanted, card, sights)
        await self._go_on()

    async def _go_on(self) -> None:
        while self._left and self.wanted is None:
            if self.message is not None:
                self.more = True
                return
            pile = self._left.pop(0)
            await self._close(pile)
            if pile.card is None:
                await self._letter(pile)
            else:
                self._card(pile, pile.card)

    async def _close(self, pile: Pile) -> None:
        """Count as told what was handed over for the last time and never answered."""
        spent = [
            notice.id
            for notice in pile.notices
            if notice.sends >= MOST_SENDS and not self.patience.in_flight(notice, self.now)
        ]
        if spent:
            await handover.sent(self.tx, spent, None, self.now, ANSWER_LOST)

    async def _letter(self, pile: Pile) -> None:
        head: list[Notice] = []
        for notice in pile.notices:
            if self.patience.in_flight(notice, self.now):
                break
            if notice.sends < MOST_SENDS:
                head.append(notice)
        letter = compose(head, self.texts, self.now)
        if letter.unreadable:
            await handover.failed(self.tx, letter.unreadable, UNREADABLE, self.now)
        self.message = letter.message
        if letter.message is None:
            self._await_other(pile)
            self.more |= pile.full
        else:
            ids = set(letter.message.ids)
            self.letters = [notice for notice in head if notice.id in ids]
            done = len(letter.message.ids) + len(letter.unreadable)
            self.more |= pile.full or done < len(pile.notices)

    def _card(self, pile: Pile, card: Card) -> None:
        if self._await_other(pile) or self._await_rest(card):
            return
        waiting = [notice for notice in pile.notices if notice.sends < MOST_SENDS]
        if waiting:
            # What may have arrived before is repeated alone.
            alike = [notice for notice in waiting if notice.sends == waiting[0].sends]
            refreshes = [notice for notice in alike if notice.card_id is not None]
            results = [notice for notice in alike if notice.card_id is None]
            self.wanted = Wanted(card, refreshes, results, len(waiting), pile.full)
        elif pile.full:
            self.waits.append(self.patience.rest(card))

    async def _show(self, wanted: Wanted, card: Card, sights: Mapping[int, faces.Sight]) -> None:
        await self._draw(wanted, card, sights)
        shown = 0 if self.message is None else len(self.message.ids)
        if wanted.full or 0 < shown < wanted.waiting:
            self.waits.append(self.patience.rest(card))

    async def _draw(self, wanted: Wanted, card: Card, sights: Mapping[int, faces.Sight]) -> None:
        ids = [notice.id for notice in wanted.refreshes]
        waiting = [*wanted.refreshes, *wanted.results]
        try:
            message = await faces.show(
                self.tx, card, waiting, sights[card.id], self.texts, self.now, sees_all=self.sees_all
            )
        except faces.UNSHOWABLE as error:
            # A board that cannot be shown must not keep back the results on it.
            log.error("a card cannot be shown", card=card.id, error=type(error).__name__)
            await handover.failed(self.tx, ids, UNREADABLE, self.now)
            await self._letter(Pile(wanted.results))
            return
        if message is None:
            await showing.withdraw(self.tx, ids)
            return
        told = set(message.ids)
        self.letters = [notice for notice in wanted.results if notice.id in told]
        self.message = message

    def _await_other(self, pile: Pile) -> bool:
        """Look again when another sender must have come to its end; False when there is none."""
        for notice in pile.notices:
            if notice.sending_at is not None and self.patience.in_flight(notice, self.now):
                self.waits.append(self.patience.abandoned - (self.now - notice.sending_at))
                return True
        return False

    def _await_rest(self, card: Card) -> bool:
        """Look again when the card has rested; False when it has."""
        rest = self.patience.rest(card)
        if card.shown_at is None or self.now - card.shown_at >= rest:
            return False
        # Not longer than the rest, whatever the clock of the machine that showed it.
        self.waits.append(min(rest, card.shown_at + rest - self.now))
        return True


async def draw(tx: AsyncConnection, looks: Sequence[Look], now: datetime) -> None:
    """Show the cards that these looks want, and whatever they want next.

    Refreshes are marked before anything is read: whoever asked for one has committed by then what it is about.

    Raises:
        TryAgain: another sender was faster.
    """
    while wanting := {look.wanted.card.id: look for look in looks if look.wanted is not None}:
        wanted = [look.wanted for look in wanting.values() if look.wanted is not None]
        refreshes = [notice for each in wanted for notice in each.refreshes]
        await mark(tx, refreshes, now, of_cards=True)
        claimed = await showing.claim(tx, [each.card for each in wanted], now)
        if len(claimed) != len(wanted):
            raise TryAgain("another sender was faster")
        sights = await faces.look(tx, claimed.values())
        for card_id, look in wanting.items():
            await look.show(claimed[card_id], sights)


async def mark(tx: AsyncConnection, seen: Sequence[Notice], now: datetime, *, of_cards: bool = False) -> None:
    """Mark all of these notices as being sent, or none.

    Args:
        of_cards: they refresh cards.

    Raises:
        TryAgain: somebody else has one of them.
    """
    if len(await handover.sending(tx, seen, now, of_cards=of_cards)) != len(seen):
        raise TryAgain("another sender was faster")
