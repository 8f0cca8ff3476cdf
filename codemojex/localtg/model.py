"""What the local Telegram remembers: users, chats and their messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

Raw = dict[str, Any]


@dataclass(frozen=True, slots=True)
class User:
    """A Telegram account; ``raw()`` is its Bot API object."""

    id: int
    first_name: str
    last_name: str | None = None
    username: str | None = None
    language_code: str | None = None
    is_bot: bool = False

    def raw(self) -> Raw:
        found: Raw = {"id": self.id, "is_bot": self.is_bot, "first_name": self.first_name}
        for name in ("last_name", "username", "language_code"):
            value = getattr(self, name)
            if value is not None:
                found[name] = value
        return found

    def private_chat(self) -> Raw:
        """The chat object of this person's private chat with the bot."""
        found: Raw = {"id": self.id, "first_name": self.first_name, "type": "private"}
        for name in ("last_name", "username"):
            value = getattr(self, name)
            if value is not None:
                found[name] = value
        return found


@dataclass(frozen=True, slots=True)
class Message:
    """One message as the Bot API shows it; an edit makes a new value."""

    raw: Raw

    @property
    def message_id(self) -> int:
        return int(self.raw["message_id"])

    @property
    def chat_id(self) -> int:
        return int(self.raw["chat"]["id"])

    @property
    def text(self) -> str:
        return str(self.raw.get("text", ""))

    @property
    def entities(self) -> list[Raw]:
        """Bot API entities of the text; offsets and lengths in UTF-16 units."""
        return list(self.raw.get("entities", ()))

    @property
    def keyboard(self) -> list[list[Raw]]:
        """Rows of inline buttons, empty without a keyboard."""
        markup = self.raw.get("reply_markup") or {}
        return list(markup.get("inline_keyboard", ()))

    def callback_data(self, button: str) -> str | None:
        """The data of a button, found by that data or else by its label; None when there is none."""
        buttons = [each for row in self.keyboard for each in row if "callback_data" in each]
        for name in ("callback_data", "text"):
            for each in buttons:
                if each[name] == button:
                    return str(each["callback_data"])
        return None

    @property
    def date(self) -> datetime:
        return datetime.fromtimestamp(int(self.raw["date"]), UTC)


@dataclass(slots=True)
class Chat:
    """A chat the bot knows; a private one begins with the person's first message."""

    raw: Raw
    messages: dict[int, Message] = field(default_factory=dict)
    blocked: bool = False

    @property
    def id(self) -> int:
        return int(self.raw["id"])

    @property
    def box(self) -> str:
        """Whose message counter it draws from: supergroups and channels have their own."""
        own = self.raw["type"] in ("supergroup", "channel")
        return f"message:{self.id}" if own else "message"


class EventKind(StrEnum):
    MESSAGE = "message"
    EDITED = "edited"
    DELETED = "deleted"
    ACTION = "action"
    ANSWER = "answer"
    """The answer to a pressed button: a toast, or an alert."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something the bot did that a person in the chat sees."""

    kind: EventKind
    at: datetime
    """Aware UTC, when the local Telegram accepted it."""
    chat_id: int
    message: Message | None = None
    detail: str = ""
    """The chat action, or the text of a callback answer."""
    flag: bool = False
    """A message: sent without a sound. An answer: shown as an alert."""

    @property
    def text(self) -> str:
        return self.detail if self.message is None else self.message.text

    @property
    def message_id(self) -> int | None:
        return None if self.message is None else self.message.message_id
