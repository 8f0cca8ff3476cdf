"""What everybody sees: users, messages, and the events of a chat."""

from __future__ import annotations

from dataclasses import dataclass
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
        """The text, or the caption of a document."""
        return str(self.raw.get("text", self.raw.get("caption", "")))

    @property
    def entities(self) -> list[Raw]:
        """Bot API entities of the text; offsets and lengths in UTF-16 units."""
        return list(self.raw.get("entities") or self.raw.get("caption_entities") or ())

    @property
    def thread_id(self) -> int | None:
        """The forum topic it is in; None in General and where there are no topics."""
        return int(self.raw["message_thread_id"]) if self.raw.get("is_topic_message") else None

    @property
    def sender_id(self) -> int | None:
        """The user Telegram names as its author: a stand-in for anonymous admins and channels."""
        sender = self.raw.get("from")
        return None if sender is None else int(sender["id"])

    def flat(self) -> Raw:
        """As it is shown inside a reply: without the message it replied to."""
        return {name: value for name, value in self.raw.items() if name != "reply_to_message"}

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


class EventKind(StrEnum):
    MESSAGE = "message"
    """A new message, of people or of Telegram itself too."""
    EDITED = "edited"
    DELETED = "deleted"
    ACTION = "action"
    ANSWER = "answer"
    """The answer to a pressed button: a toast, or an alert."""
    REACTION = "reaction"
    """Somebody's reactions to a message changed; ``detail`` holds the emojis they have now."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a chat, seen by those who are there."""

    kind: EventKind
    at: datetime
    """Aware UTC, when the local Telegram accepted it."""
    chat_id: int
    message: Message | None = None
    detail: str = ""
    """The chat action, or the text of a callback answer."""
    flag: bool = False
    """A message: sent without a sound. An answer: shown as an alert."""
    by: int | None = None
    """Who did it; None is the bot."""
    to: int | None = None
    """The one person who sees it (an answer to a pressed button); None is everybody in the chat."""

    @property
    def text(self) -> str:
        return self.detail if self.message is None else self.message.text

    @property
    def message_id(self) -> int | None:
        return None if self.message is None else self.message.message_id
