"""Groups and their topics: several people in one chat, each called by their name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemojex.localtg import EventKind
from codemojex.localtg import Group as TelegramGroup
from codemojex.localtg import Topic as TelegramTopic
from codemojex.testing import facts
from codemojex.testing.chats import Chat
from codemojex.testing.seats import Seat

if TYPE_CHECKING:
    from codemojex.testing.game import Game


class SharedChat(Chat):
    """A chat of several people: ``group.ada`` is who was named Ada, ``group["Ada"]`` too.

    Attributes:
        seats: who is here, by name.
    """

    def __init__(
        self, game: Game, group: TelegramGroup, title: str, topic: TelegramTopic | None = None
    ) -> None:
        super().__init__(game, group.id, title, 0 if topic is None else topic.id)
        self._group, self._topic = group, topic
        self.seats: dict[str, Seat] = {}

    @property
    def group(self) -> TelegramGroup:
        """The group at the local Telegram."""
        return self._group

    @property
    def topic(self) -> TelegramTopic | None:
        """The forum topic; None for General and in groups without topics."""
        return self._topic

    def __getattr__(self, name: str) -> Seat:
        if not name.startswith("_"):
            for seat in self.seats.values():
                if seat.name.partition(" ")[0].lower() == name:
                    return seat
        raise AttributeError(f"nobody in this chat is called {name}; there are {', '.join(self.seats)}")

    def __getitem__(self, name: str) -> Seat:
        return self.seats[name]

    def sit(self, alone: Seat) -> Seat:
        """Give somebody a seat here; they are in the group already."""
        seat = self.seats[alone.name] = Seat(self._game, alone.person, self, alone)
        return seat

    async def board(self) -> str:
        """The board of the last game, as it stands.

        Raises:
            AssertionError: it is not shown.
        """
        await self._game.rest()
        shown = await self._game.app.store.read(lambda tx: facts.board_of(tx, self.played.id))
        found = next((each for each in self.messages if each.message_id == shown), None)
        assert found is not None, f"no board is shown in {self.title}"
        return found.text

    async def until_reacted(self, emoji: str, within_s: float = 30.0) -> None:
        """Wait for a reaction of the bot: nothing waits for those by itself, they are sent at best.

        Raises:
            AssertionError: it did not come in time.
        """
        await self.until(
            lambda event: event.kind is EventKind.REACTION and emoji in event.detail, f"see {emoji}", within_s
        )

    def reactions(self) -> dict[str, list[str]]:
        """What the bot reacted with: the text of a message -> emojis."""
        bot = self._game.telegram.world.bot.id
        found = {each.text: self.group.reactions(each).get(bot, []) for each in self.group.messages}
        return {text: emojis for text, emojis in found.items() if emojis}


class Group(SharedChat):
    """A group, or the General topic of a forum."""

    async def opens_topic(self, name: str) -> SharedChat:
        """A new forum topic with everybody in it."""
        topic = SharedChat(self._game, self.group, f"{self.title}/{name}", self.group.topic(name))
        self._game.show(topic)
        for seat in self.seats.values():
            topic.sit(seat.alone)
        await self._game.rest()
        return topic

    async def joins(self, name: str, language: str = "en") -> Seat:
        """Somebody else comes in."""
        alone = await self._game.person(name, language=language)
        self.group.join(alone.person)
        await self._game.rest()
        return self.sit(alone)

    async def upgrades(self, *, new_first: bool = False, told: bool = True) -> Group:
        """The group becomes a supergroup: another chat with the same people.

        Args:
            new_first: the news of the new chat comes before that of the old one.
            told: False when no news comes at all, and the bot learns of it as it writes.
        """
        self._game.transcript.did(self.title, "the owner", "makes it a supergroup")
        became = Group(self._game, self.group.upgrade(new_first=new_first), f"{self.title}*")
        if not told:
            self._game.telegram.world.updates.clear()
        self._game.show(became)
        for seat in self.seats.values():
            became.sit(seat.alone)
        await self._game.rest()
        return became
