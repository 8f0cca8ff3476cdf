"""The state of the local Telegram, and the few ways it changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from codemojex.localtg.chats import Chat
from codemojex.localtg.counters import Counters
from codemojex.localtg.courier import Courier, Patience
from codemojex.localtg.errors import bad_request
from codemojex.localtg.files import Files
from codemojex.localtg.model import Event, EventKind, Message, Raw, User
from codemojex.localtg.seeing import sees
from codemojex.localtg.updates import UpdateQueue

Listener = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Options:
    """How the local Telegram behaves beyond the Bot API itself."""

    username: str = "codemojex_bot"
    privacy: bool = True
    """Privacy mode as set with BotFather: in groups it joins, the bot sees only what is meant for it."""
    budgets: bool = False
    """Answer 429 beyond Telegram's budgets: 1/s a private chat, 20/min a group, 30/s in all."""
    keep_requests: int = 20_000
    """How many requests the log holds before the oldest goes."""
    keep_messages: int = 5_000
    """How many messages a chat holds before the oldest is forgotten."""
    patience: Patience = field(default_factory=Patience)
    """How a webhook that does not take an update is treated."""
    clock: Callable[[], float] = time.time
    """Unix seconds; dates of messages come from it."""


@dataclass(slots=True)
class Callback:
    """A pressed button that waits for its answer."""

    chat_id: int
    person_id: int
    expired: bool = False
    answered: bool = False


class World:
    """Users, chats, unconfirmed updates and commands of one bot."""

    def __init__(self, bot: User, counters: Counters, options: Options) -> None:
        self.bot = bot
        self.counters = counters
        self.options = options
        self.updates = UpdateQueue()
        self.courier = Courier(self.updates, options.patience)
        self.users: dict[int, User] = {}
        self.chats: dict[int, Chat] = {}
        self.commands: dict[tuple[str, str], list[Raw]] = {}
        self.callbacks: dict[str, Callback] = {}
        self.files = Files()
        self.bot_raw = bot.raw()
        self._listeners: dict[int | None, list[Listener]] = {}

    def now(self) -> int:
        """Unix seconds."""
        return int(self.options.clock())

    # -- chats and messages ---------------------------------------------------------------

    def chat(self, chat_id: int) -> Chat:
        """The chat with this id.

        Raises:
            Refusal: 400 chat not found: nobody there ever wrote to the bot, or it was never a member.
        """
        found = self.chats.get(chat_id)
        if found is None or not found.known:
            raise bad_request("chat not found")
        return found

    def open_chat(self, raw: Raw) -> Chat:
        """The chat described by ``raw``, known to the bot from now on."""
        found = self.chats.get(int(raw["id"]))
        if found is None:
            found = self.chats[int(raw["id"])] = Chat(raw)
        return found

    def post(self, chat: Chat, sender: Raw | None, content: Raw, at: int | None = None) -> Message:
        """Append a message; its id is above every earlier one of the chat."""
        raw: Raw = {
            "message_id": self.counters.next(chat.box),
            "chat": chat.raw,
            "date": self.now() if at is None else at,
            **content,
        }
        if sender is not None:
            raw["from"] = sender
        return self.keep(chat, Message(raw))

    def keep(self, chat: Chat, message: Message) -> Message:
        """Hold a message, or a new state of one."""
        chat.keep(message, self.options.keep_messages)
        return message

    def publish(self, chat: Chat, message: Message, by: int, *, edited: bool = False) -> Message:
        """Show a message of people, or of Telegram itself, to the chat, and to the bot if it may see it."""
        self.tell(EventKind.EDITED if edited else EventKind.MESSAGE, chat, message, by=by)
        if sees(chat, message, self.bot.id, self.options.username):
            kind = "channel_post" if chat.kind == "channel" else "message"
            self.update(f"edited_{kind}" if edited else kind, message.raw)
        return message

    # -- updates ----------------------------------------------------------------------------

    def update(self, kind: str, payload: Raw) -> Raw:
        """Queue one update for the bot."""
        update: Raw = {"update_id": self.counters.next("update"), kind: payload}
        self.updates.push(update)
        return update

    def inject(self, update: Raw) -> Raw:
        """Queue ``update`` exactly as given (an id is added when it has none).

        Chats and messages it names become known, so that the bot may answer them. An id that was
        used before is delivered all the same, once: that is what Telegram's own repeats look like.
        """
        if "update_id" not in update:
            update = {"update_id": self.counters.next("update"), **update}
        self.counters.past("update", int(update["update_id"]))
        for kind, payload in update.items():
            if isinstance(payload, dict):
                self._learn(payload if "chat" in payload else payload.get("message"), kind)
        self.updates.push(update, sticky=True)
        return update

    def _learn(self, raw: Raw | None, kind: str) -> None:
        if not isinstance(raw, dict) or not isinstance(raw.get("chat"), dict):
            return
        chat = self.open_chat(raw["chat"])
        if "message_id" in raw and "date" in raw and kind != "my_chat_member":
            self.counters.past(chat.box, int(raw["message_id"]))
            self.keep(chat, Message(raw))

    # -- what people see ----------------------------------------------------------------------

    def listen(self, identity: int | None, listener: Listener) -> None:
        """Call ``listener`` with each event of a chat, or for one person; None: with every event."""
        self._listeners.setdefault(identity, []).append(listener)

    def tell(
        self,
        kind: EventKind,
        chat: Chat,
        message: Message | None = None,
        detail: str = "",
        *,
        flag: bool = False,
        by: int | None = None,
        to: int | None = None,
    ) -> None:
        """Everybody who listens sees the event; the fields are those of `Event`."""
        heard_by = [*self._listeners.get(chat.id if to is None else to, ()), *self._listeners.get(None, ())]
        if heard_by:
            at = datetime.fromtimestamp(self.options.clock(), UTC)
            event = Event(kind, at, chat.id, message, detail, flag, by, to)
            for listener in heard_by:
                listener(event)
