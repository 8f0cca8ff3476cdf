"""A chat as people see it: its messages, what the bot did there, and waiting for more of it."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Callable

from codemojex.localtg.chats import Chat
from codemojex.localtg.files import Upload
from codemojex.localtg.inbox import Stream, holds
from codemojex.localtg.model import Event, Message
from codemojex.localtg.world import World


class Window:
    """What is seen of one chat."""

    def __init__(self, world: World, identity: int, name: str) -> None:
        self._world = world
        self.id = identity
        self.name = name
        self.inbox: list[Event] = []
        """Everything the bot did here, in order."""
        self._streams: weakref.WeakSet[Stream] = weakref.WeakSet()
        world.listen(identity, self._notice)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, id={self.id})"

    @property
    def messages(self) -> list[Message]:
        """The chat as it stands now, all sides, oldest first."""
        chat = self._world.chats.get(self.id)
        return [] if chat is None else list(chat.messages.values())

    def history(self, message: Message | int) -> list[Message]:
        """Every state of a message, from the first to the newest; kept when it is deleted too."""
        number = message if isinstance(message, int) else message.message_id
        chat = self._world.chats.get(self.id)
        return [] if chat is None else list(chat.versions.get(number, ()))

    def document(self, message: Message) -> Upload:
        """The file that a message with a document carries."""
        return self._world.files[message.raw["document"]["file_id"]]

    def reactions(self, message: Message | int) -> dict[int, list[str]]:
        """Who reacted to a message, and how: user id (the bot's too) -> emojis."""
        number = message if isinstance(message, int) else message.message_id
        chat = self._world.chats.get(self.id)
        return {} if chat is None else dict(chat.reactions.get(number, {}))

    def events(self) -> AsyncIterator[Event]:
        """Everything the bot does here from now on; never ends by itself."""
        stream = Stream()
        self._streams.add(stream)
        return stream

    async def heard(
        self, wanted: Callable[[Event], bool] | str, *, since: int = 0, timeout_s: float = 30.0
    ) -> Event:
        """The first event of the inbox, from index ``since``, that is wanted; waits for it.

        Args:
            wanted: a predicate, or words the text of a new or edited message holds.

        Raises:
            TimeoutError: it did not come in time; says what came instead.
        """
        test = holds(wanted) if isinstance(wanted, str) else wanted
        stream = self.events()
        for event in self.inbox[since:]:
            if test(event):
                return event
        try:
            async with asyncio.timeout(timeout_s):
                async for event in stream:
                    if test(event):
                        return event
        except TimeoutError:
            pass
        came = [f"{event.kind}: {event.text[:60]}" for event in self.inbox[since:]]
        raise TimeoutError(f"{self.name} did not hear it within {timeout_s:g} s; heard {came}")

    async def wait_for(self, wanted: Callable[[Message], bool] | str, *, timeout_s: float = 30.0) -> Message:
        """The newest message of the bot that, as it stands, is wanted; waits until there is one.

        Args:
            wanted: a predicate, or words the text holds. An edited message is judged by what it says now.

        Raises:
            TimeoutError: there was none in time; says what the bot's messages say instead.
        """
        test = wanted if callable(wanted) else lambda message: wanted in message.text
        stream = self.events()
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    found = next((each for each in reversed(self._said()) if test(each)), None)
                    if found is not None:
                        return found
                    await anext(stream)
        except TimeoutError:
            pass
        said = [message.text[:60] for message in self._said()]
        raise TimeoutError(f"{self.name} did not show it within {timeout_s:g} s; the bot's messages: {said}")

    # -- inside --------------------------------------------------------------------------------

    def _said(self) -> list[Message]:
        return [message for message in self.messages if message.sender_id == self._world.bot.id]

    def _chat(self) -> Chat:
        return self._world.chats[self.id]

    def _notice(self, event: Event) -> None:
        if event.by is not None:
            return
        self.inbox.append(event)
        if not len(self._streams):  # as a rule nobody waits
            return
        for stream in list(self._streams):
            stream.put(event)
