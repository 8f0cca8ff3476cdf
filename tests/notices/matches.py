"""A game in a group of the local Telegram, with its board, and a game of one with its composer."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import emq
from codemojex.localtg.groups import Group
from codemojex.localtg.people import Person
from codemojex.notices.notifier import Notifier
from codemojex.play import cards, players
from codemojex.play.games import Cause
from codemojex.play.outbox import NoticeRef
from codemojex.play.rooms import ChatRef
from codemojex.store import schema
from tests.notices.desk import Desk
from tests.play import makers
from tests.play.makers import Table, rows

EDIT, SEND = "editMessageText", "sendMessage"
MANY = dataclasses.replace(makers.EASY_GOING, group=1_000)


@dataclass
class Match:
    """An open game and the card that shows it."""

    desk: Desk
    table: Table
    card_id: int
    chat_id: int

    async def refresh(self) -> NoticeRef | None:
        """Have the card brought up to date."""
        now = self.desk.clock.now()
        return await self.desk.store.transact(lambda tx: cards.refresh(tx, emq.mint, now, self.card_id))

    async def repost(self) -> NoticeRef | None:
        """Have the card sent below what waits."""
        now = self.desk.clock.now()
        return await self.desk.store.transact(lambda tx: cards.repost(tx, emq.mint, now, self.card_id))

    async def guess(
        self, symbols: str = makers.NEAR, person: Person | None = None, **more: Any
    ) -> list[NoticeRef]:
        """Somebody's guess, scored; the notices of that."""
        who = makers.ADA if person is None else _met(person)
        receipt = await self.table.guess(symbols, who, **more)
        return (await self.table.score(receipt)).notices

    async def end(self) -> list[NoticeRef]:
        """Give the game up."""
        settled = await self.table.settle(Cause.GAVE_UP)
        assert settled is not None
        return settled.notices

    async def card(self) -> Any:
        """The card's row."""
        return (await rows(self.desk.looking, schema.cards, id=self.card_id))[0]

    async def told(self) -> list[bool]:
        """Of each guess of the game, in order: whether it counts as told."""
        return [row.told_at is not None for row in await self.table.guesses()]

    def requests(self, method: str) -> list[str]:
        """The texts of requests of a method to this chat that Telegram accepted."""
        return [
            str(request.params["text"])
            for request in self.desk.tg.requests
            if request.method == method
            and request.chat_id == self.chat_id
            and (request.reply or {}).get("ok")
        ]


def _met(person: Person) -> players.Person:
    return players.Person(id=person.id, first_name=person.name)


async def group_match(
    desk: Desk, people: Sequence[Person], *, supergroup: bool = True, **options: Any
) -> tuple[Group, Match]:
    """A group with an open game whose board is still to be shown."""
    group = desk.tg.group("Fruit", people, supergroup=supergroup, known=True)
    chat = ChatRef(group.id, "supergroup" if supergroup else "group", "Fruit")
    table = await makers.seat(desk.store, [_met(person) for person in people], chat=chat, **options)
    card_id = await desk.store.transact(lambda tx: cards.board_card(tx, table.game.id, group.id))
    return group, Match(desk, table, card_id, group.id)


async def shown_match(desk: Desk, people: Sequence[Person], **options: Any) -> tuple[Group, Match]:
    """A group whose game's board has been shown, long enough ago to be edited."""
    group, match = await group_match(desk, people, **options)
    ref = await match.refresh()
    assert ref is not None
    async with desk.running():
        await desk.settled(ref)
    desk.clock.advance(60.0)
    return group, match


async def solo_match(desk: Desk, person: Person, **options: Any) -> Match:
    """A private chat with an open game whose composer is still to be shown."""
    table = await makers.seat(desk.store, [_met(person)], **options)
    card_id = await desk.store.transact(lambda tx: cards.composer_card(tx, table.game.id, person.id))
    return Match(desk, table, card_id, person.id)


async def told(desk: Desk, notifier: Notifier, *refs: NoticeRef) -> None:
    """Wake the chats of notices and wait until they are told."""
    notifier.wake({ref.chat_id for ref in refs})
    await desk.settled(*refs)
