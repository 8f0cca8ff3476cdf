"""A chat as a test sees it: what stands there now, what was ever said, and the game that is played in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from codemojex.localtg import Event, EventKind, Group, Message, Topic
from codemojex.testing.facts import Guessed, Played

if TYPE_CHECKING:
    from codemojex.testing.game import Game


class Chat:
    """A private chat, a group, or a topic of one.

    Attributes:
        id: Telegram's id of the chat.
        thread: the forum topic; 0 elsewhere.
        title: how the transcript calls it.
        events: everything the bot did here, oldest first.
    """

    def __init__(self, game: Game, id: int, title: str, thread: int = 0) -> None:
        self.id, self.title, self.thread = id, title, thread
        self.events: list[Event] = []
        self._game = game
        self._stir = asyncio.Event()

    @property
    def group(self) -> Group | None:
        """The group at the local Telegram; None for a private chat."""
        return None

    @property
    def topic(self) -> Topic | None:
        """The forum topic at the local Telegram; None for General and where there are none."""
        return None

    # -- what stands there -----------------------------------------------------------------------

    @property
    def messages(self) -> list[Message]:
        """The bot's messages as they stand now, oldest first."""
        chat = self._game.telegram.world.chats.get(self.id)
        found = [] if chat is None else list(chat.messages.values())
        return [each for each in found if self._is_ours(each)]

    @property
    def texts(self) -> list[str]:
        """The texts of the bot's messages as they stand now, oldest first."""
        return [message.text for message in self.messages]

    @property
    def last(self) -> str:
        """The text of the bot's last message; empty before the first."""
        return self.messages[-1].text if self.messages else ""

    @property
    def buttons(self) -> list[str]:
        """The labels of the last message that has buttons."""
        keyboard = next((each.keyboard for each in reversed(self.messages) if each.keyboard), [])
        return [str(button["text"]) for row in keyboard for button in row]

    def saw(self, words: str) -> bool:
        """Whether a message ever held these words, also one that was edited since."""
        return any(_shows(event, words) for event in self.events)

    async def sees(self, words: str, within_s: float = 30.0) -> Message:
        """Wait for a message that holds these words, new or edited; at once when there is one.

        Raises:
            AssertionError: none came in time.
        """
        event = await self.until(lambda event: _shows(event, words), f"see {words!r}", within_s)
        assert event.message is not None
        return event.message

    async def until(self, wanted: Callable[[Event], bool], said: str, within_s: float = 30.0) -> Event:
        """The first event that is wanted; waits for it.

        Args:
            said: what is awaited, after "did not".

        Raises:
            AssertionError: it did not come in time.
        """
        seen = 0
        try:
            async with asyncio.timeout(within_s):
                while True:
                    for event in self.events[seen:]:
                        if wanted(event):
                            return event
                    seen = len(self.events)
                    self._stir.clear()
                    await self._stir.wait()
        except TimeoutError:
            raise AssertionError(f"{self.title} did not {said} within {within_s:g} s") from None

    # -- the game --------------------------------------------------------------------------------

    @property
    def games(self) -> list[Played]:
        """The games opened in this chat, oldest first."""
        return [each for each in self._game.games if (each.chat_id, each.thread_id) == (self.id, self.thread)]

    @property
    def played(self) -> Played:
        """The last game opened in this chat.

        Raises:
            AssertionError: there was none.
        """
        assert self.games, f"no game was opened in {self.title}"
        return self.games[-1]

    @property
    def secret(self) -> str:
        """The secret of the last game: six emojis."""
        return self.played.secret

    @property
    def winner(self) -> str | None:
        """The name of who won the last game; None while it is on, and when nobody did."""
        return None if self.played.winner_id is None else self._game.name_of(self.played.winner_id)

    async def guessed(self) -> list[Guessed]:
        """The guesses of the last game, in the order of admission."""
        return await self._game.guesses_of(self.played)

    # -- inside ----------------------------------------------------------------------------------

    def hear(self, event: Event) -> None:
        """The bot did something here."""
        self.events.append(event)
        self._stir.set()

    def _is_ours(self, message: Message) -> bool:
        ours = message.sender_id == self._game.telegram.world.bot.id
        return ours and (message.thread_id or 0) == self.thread


def _shows(event: Event, words: str) -> bool:
    return event.kind in (EventKind.MESSAGE, EventKind.EDITED) and words in event.text
