"""Somebody in one chat: what they do there. Each verb returns when everything it caused has come to rest."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from codemojex.localtg import CannotDo, Channel, Group, Message, Person, Topic
from codemojex.testing.chats import Chat

if TYPE_CHECKING:
    from codemojex.testing.game import Game


class Seat:
    """A person in a chat.

    Attributes:
        person: their account at the local Telegram.
        chat: where they sit; what they see is what stands there.
        alone: the same person in their private chat with the bot.
        toast: what the bot answered to their last press here.
    """

    def __init__(self, game: Game, person: Person, chat: Chat, alone: Seat | None = None) -> None:
        self.person, self.chat = person, chat
        self.alone = alone or self
        self.toast = ""
        self._game = game
        self._last: Message | None = None

    def __repr__(self) -> str:
        return f"{self.name} in {self.chat.title}"

    @property
    def id(self) -> int:
        """Their Telegram id."""
        return self.person.id

    @property
    def name(self) -> str:
        """Their first name."""
        return self.person.name

    # -- what they do ----------------------------------------------------------------------------

    async def says(
        self, *texts: str, at: datetime | None = None, send_as: Group | Channel | None = None
    ) -> None:
        """Write messages, one after the other; each is answered before the next.

        Args:
            at: the date the messages carry; the clock's when absent.
            send_as: the group itself, as anonymous admins do, or one of their channels.
        """
        for text in texts:
            self._last = await self.person.say(self._room, text, topic=self._topic, send_as=send_as, at=at)
            await self._game.rest()

    async def guesses(self, *guesses: str | Iterable[str], at: datetime | None = None) -> None:
        """Send guesses as plain emojis."""
        await self.says(*("".join(guess) for guess in guesses), at=at)

    async def replies(self, text: str) -> None:
        """Answer the bot's last message."""
        above = self.chat.messages[-1]
        self._last = await self.person.say(self._room, text, topic=self._topic, reply_to=above)
        await self._game.rest()

    async def starts(self, payload: str = "") -> None:
        """Follow a deep link to the bot."""
        await self.says(f"/start {payload}".rstrip())

    async def forwards(self, message: Message, *, hidden: bool = False) -> None:
        """Forward a message of any chat to this one; ``hidden`` when its author hides their account."""
        await self.person.forward(message, self._room, hidden=hidden, topic=self._topic)
        await self._game.rest()

    async def edits(self, text: str) -> None:
        """Change their last message."""
        await self.person.edit(self.said, text)
        await self._game.rest()

    async def throws(self, emoji: str = "🎲") -> None:
        """Send a dice."""
        await self.person.dice(emoji, where=self._room)
        await self._game.rest()

    async def presses(
        self, button: str, on: Message | None = None, *, inaccessible: bool = False, expired: bool = False
    ) -> str:
        """Press a button; the bot's answer, empty when it said nothing.

        Args:
            button: its label, or its callback data.
            on: the message as it was seen; by default the last one that has the button.
            inaccessible: the message is too old for the bot to see.
            expired: the bot's answer will come too late.

        Raises:
            CannotDo: there is none.
        """
        self._game.transcript.did(self.chat.title, self.name, f"presses [{button}]")
        press = await self.person.press(
            on or self._with(button), button, where=self._room, inaccessible=inaccessible, expired=expired
        )
        return await self._answer(press)

    async def forges(self, data: str) -> str:
        """Press a button that the bot never made, on its last message; the bot's answer."""
        self._game.transcript.did(self.chat.title, self.name, f"forges a button with {data!r}")
        keyboard = {"inline_keyboard": [[{"text": "forged", "callback_data": data}]]}
        forged = Message(self.chat.messages[-1].raw | {"reply_markup": keyboard})
        return await self._answer(await self.person.press(forged, "forged", where=self._room))

    async def composes(self, symbols: Iterable[str], submit: str = "✅") -> str:
        """Put a guess together with buttons and submit it; the answer to that."""
        for button in symbols:
            await self.presses(button)
        return await self.presses(submit)

    async def blocks(self) -> None:
        """Block the bot."""
        self._game.transcript.did(self.chat.title, self.name, "blocks the bot")
        await self.person.block()
        await self._game.rest()

    async def unblocks(self) -> None:
        """Let the bot write again."""
        self._game.transcript.did(self.chat.title, self.name, "unblocks the bot")
        await self.person.unblock()
        await self._game.rest()

    # -- what they see ---------------------------------------------------------------------------

    @property
    def said(self) -> Message:
        """Their last message here.

        Raises:
            AssertionError: they have said nothing.
        """
        assert self._last is not None, f"{self} has said nothing"
        return self._last

    @property
    def last(self) -> str:
        """The text of the bot's last message here."""
        return self.chat.last

    def saw(self, words: str) -> bool:
        """Whether the bot ever said these words here."""
        return self.chat.saw(words)

    async def sees(self, words: str, within_s: float = 30.0) -> Message:
        """Wait for words of the bot; at once when they stand there."""
        return await self.chat.sees(words, within_s)

    # -- inside ----------------------------------------------------------------------------------

    @property
    def _room(self) -> Group | None:
        """Where the local Telegram puts what they say; None is the private chat."""
        return self.chat.group

    @property
    def _topic(self) -> Topic | None:
        return self.chat.topic

    async def _answer(self, press: str) -> str:
        self.toast = ""
        self._game.waits_for(press, self)
        await self._game.rest()
        return self.toast

    def _with(self, button: str) -> Message:
        for message in reversed(self.chat.messages):
            if message.callback_data(button) is not None:
                return message
        raise CannotDo(
            f"no message in {self.chat.title} has a button {button!r}; there are {self.chat.buttons}"
        )
