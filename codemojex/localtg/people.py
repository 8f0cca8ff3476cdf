"""Simulated people: what they do becomes updates, what the bot does reaches their inbox."""

from __future__ import annotations

import asyncio
import re
import secrets
import weakref
from collections.abc import AsyncIterator, Callable
from datetime import datetime

from codemojex.localtg import entities as marks
from codemojex.localtg.errors import CannotDo
from codemojex.localtg.inbox import Stream, holds
from codemojex.localtg.model import Chat, Event, Message, Raw, User
from codemojex.localtg.world import Callback, World

_DICE = {"🎲": 6, "🎯": 6, "🎳": 6, "🏀": 5, "⚽": 5, "🎰": 64}
_PAYLOAD = re.compile(r"[A-Za-z0-9_-]{0,64}")


class Person:
    """Somebody with a Telegram account who may talk to the bot in private."""

    def __init__(self, world: World, user: User) -> None:
        self._world = world
        self.user = user
        self.inbox: list[Event] = []
        """Everything the bot did in the private chat, in order."""
        self._streams: weakref.WeakSet[Stream] = weakref.WeakSet()
        world.users[user.id] = user
        world.listen(user.id, self._notice)

    @property
    def id(self) -> int:
        return self.user.id

    @property
    def name(self) -> str:
        return self.user.first_name

    def __repr__(self) -> str:
        return f"Person({self.name!r}, id={self.id})"

    # -- what they do --------------------------------------------------------------------------

    async def send(
        self, text: str, *, reply_to: Message | int | None = None, at: datetime | None = None
    ) -> Message:
        """Write to the bot; the first message makes the chat known to it.

        A lone dice emoji becomes a dice without text, as clients make it.

        Args:
            text: 1 to 4,096 code points; trimmed as Telegram trims it.
            reply_to: a message of the same chat.
            at: the message's date; now when absent.

        Raises:
            CannotDo: no client would send this: empty, too long, or to a blocked bot.
        """
        cleaned, _ = marks.clean(text, [])
        if marks.is_blank(cleaned):
            raise CannotDo("an empty message cannot be sent")
        if len(cleaned) > marks.MAX_TEXT:
            raise CannotDo(f"a message holds {marks.MAX_TEXT} code points; clients split longer ones")
        if cleaned.removesuffix("\ufe0f") in _DICE:
            return await self.dice(cleaned.removesuffix("\ufe0f"), at=at)
        content: Raw = {"text": cleaned}
        found = marks.with_commands(cleaned, [])
        if found:
            content["entities"] = found
        if reply_to is not None:
            content["reply_to_message"] = self._flat(self._message(reply_to))
        return self._post(content, at)

    async def start(self, payload: str = "") -> Message:
        """Press Start, with a deep-link payload (up to 64 of ``A-Za-z0-9_-``)."""
        if not _PAYLOAD.fullmatch(payload):
            raise CannotDo("a deep link carries up to 64 of A-Z a-z 0-9 _ -")
        return await self.send(f"/start {payload}")

    async def dice(self, emoji: str = "🎲", value: int | None = None, at: datetime | None = None) -> Message:
        """Send a lone dice emoji: it arrives as ``dice``, without text."""
        most = _DICE.get(emoji)
        if most is None:
            raise CannotDo(f"dice are one of {' '.join(_DICE)}")
        thrown = secrets.randbelow(most) + 1 if value is None else value
        return self._post({"dice": {"emoji": emoji, "value": thrown}}, at)

    async def edit(self, message: Message | int, text: str) -> Message:
        """Change the text of an own earlier message."""
        before = self._message(message)
        if before.raw.get("from", {}).get("id") != self.id:
            raise CannotDo("only own messages can be edited")
        cleaned, _ = marks.clean(text, [])
        raw = {name: value for name, value in before.raw.items() if name != "entities"}
        raw |= {"text": cleaned, "edit_date": self._world.now()}
        found = marks.with_commands(cleaned, [])
        if found:
            raw["entities"] = found
        edited = self._world.keep(self._chat(), Message(raw))
        self._world.update("edited_message", edited.raw)
        return edited

    async def press(
        self,
        message: Message | int,
        button: str,
        *,
        inaccessible: bool = False,
        expired: bool = False,
    ) -> str:
        """Press an inline button, found by its callback data or else its label.

        Args:
            inaccessible: the message is too old for the bot to see: no text, no keyboard, date 0.
            expired: the bot's answer will come too late.

        Returns:
            The id of the callback query.
        """
        pressed = self._message(message)
        data = pressed.callback_data(button)
        if data is None:
            raise CannotDo(f"message {pressed.message_id} has no button {button!r}")
        identity = str(self._world.counters.next("callback"))
        chat = self._chat()
        self._world.callbacks[identity] = Callback(chat.id, expired=expired)
        shown = pressed.raw
        if inaccessible:
            shown = {"chat": chat.raw, "message_id": pressed.message_id, "date": 0}
        query = {
            "id": identity,
            "from": self.user.raw(),
            "message": shown,
            "chat_instance": str(-chat.id),
            "data": data,
        }
        self._world.update("callback_query", query)
        return identity

    async def block(self) -> None:
        """Block the bot: it hears of it, and every later send is refused with 403."""
        self._member("member", "kicked")

    async def unblock(self) -> None:
        """Let the bot write again."""
        self._member("kicked", "member")

    # -- what they see -------------------------------------------------------------------------

    @property
    def messages(self) -> list[Message]:
        """The private chat as it stands now, both sides, oldest first."""
        chat = self._world.chats.get(self.id)
        return [] if chat is None else list(chat.messages.values())

    @property
    def commands(self) -> list[tuple[str, str]]:
        """The bot's command menu as this person's client shows it: (name, description)."""
        for scope in ("all_private_chats", "default"):
            for language in (self.user.language_code or "", ""):
                found = self._world.commands.get((f'{{"type": "{scope}"}}', language))
                if found:
                    return [(each["command"], each["description"]) for each in found]
        return []

    def events(self) -> AsyncIterator[Event]:
        """Everything the bot does from now on; never ends by itself."""
        stream = Stream()
        self._streams.add(stream)
        return stream

    async def heard(
        self, wanted: Callable[[Event], bool] | str, *, since: int = 0, timeout_s: float = 5.0
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

    # -- inside --------------------------------------------------------------------------------

    def _notice(self, event: Event) -> None:
        self.inbox.append(event)
        for stream in self._streams:
            stream.put(event)

    def _chat(self) -> Chat:
        return self._world.open_chat(self.user.private_chat())

    def _message(self, message: Message | int) -> Message:
        number = message if isinstance(message, int) else message.message_id
        found = self._chat().messages.get(number)
        if found is None and isinstance(message, Message):
            return message
        if found is None:
            raise CannotDo(f"there is no message {number} in this chat")
        return found

    @staticmethod
    def _flat(message: Message) -> Raw:
        return {name: value for name, value in message.raw.items() if name != "reply_to_message"}

    def _post(self, content: Raw, at: datetime | None) -> Message:
        chat = self._chat()
        if chat.blocked:
            raise CannotDo("the bot is blocked; unblock it before writing")
        moment = None if at is None else int(at.timestamp())
        message = self._world.post(chat, self.user.raw(), content, moment)
        self._world.update("message", message.raw)
        return message

    def _member(self, before: str, after: str) -> None:
        chat = self._chat()
        chat.blocked = after == "kicked"
        bot = self._world.bot_raw
        states = [
            {"user": bot, "status": state, **({"until_date": 0} if state == "kicked" else {})}
            for state in (before, after)
        ]
        change = {
            "chat": chat.raw,
            "from": self.user.raw(),
            "date": self._world.now(),
            "old_chat_member": states[0],
            "new_chat_member": states[1],
        }
        self._world.update("my_chat_member", change)
