"""What the page gets to see, as JSON: what a Telegram client would see, and nothing of the game behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codemojex.localtg import Group, LocalTelegram, Message, Person
from codemojex.localtg.model import Raw
from codemojex.web.texts import author, origin, service

SHOWN_MESSAGES = 400
"""How many messages of a chat the page is given: the newest."""
_LONGEST_QUOTE = 160


@dataclass(frozen=True, slots=True)
class Symbols:
    """Emojis worth a key of their own.

    Attributes:
        names: of every symbol the page may meet, for screen readers.
        keys: what the palette offers before a chat shows a keyboard.
    """

    names: Mapping[str, str]
    keys: Sequence[str]


def everything(telegram: LocalTelegram, symbols: Symbols) -> Raw:
    """The whole state: the bot, the people, every chat with its newest messages."""
    bot = telegram.world.bot
    return {
        "bot": {"id": bot.id, "name": bot.first_name, "username": bot.username},
        "people": [person(each) for each in telegram.people.values()],
        "chats": [
            *(private(telegram, each) for each in telegram.people.values()),
            *(group(telegram, each) for each in telegram.groups.values()),
        ],
        "symbols": {"names": dict(symbols.names), "keys": list(symbols.keys)},
    }


def person(found: Person) -> Raw:
    """Somebody, with the command menu of the bot in their language."""
    return {
        "id": found.id,
        "name": found.name,
        "language": found.user.language_code or "en",
        "commands": [{"name": name, "what": what} for name, what in found.commands],
    }


def private(telegram: LocalTelegram, found: Person) -> Raw:
    """The private chat of somebody with the bot."""
    return {
        "id": found.id,
        "kind": "private",
        "title": telegram.world.bot.first_name,
        "members": [found.id],
        "messages": newest(telegram, found.messages),
    }


def group(telegram: LocalTelegram, found: Group) -> Raw:
    """A group, with the ids of those who are in it."""
    return {
        "id": found.id,
        "kind": "group",
        "title": found.name,
        "members": _present(found),
        "messages": newest(telegram, found.messages),
    }


def _present(found: Group) -> list[int]:
    """Who is in a group: its owner, then the others as they came."""
    others = [user for user, status in found.chat.members.items() if status.present]
    return sorted(others, key=lambda user: user != found.owner.id)


def newest(telegram: LocalTelegram, messages: Sequence[Message]) -> list[Raw]:
    """The newest messages of a chat, oldest first."""
    return [message(telegram, each) for each in messages[-SHOWN_MESSAGES:]]


def message(telegram: LocalTelegram, found: Message) -> Raw:
    """One message as it stands."""
    raw = found.raw
    shown: Raw = {
        "id": found.message_id,
        "date": int(raw["date"]),
        "from": found.sender_id,
        "name": author(raw),
        "text": found.text,
        "entities": found.entities,
        "keyboard": [[_button(each) for each in row] for row in found.keyboard],
        "reactions": reactions(telegram, found),
        "edited": "edit_date" in raw,
    }
    extras: dict[str, Any] = {
        "service": service(raw),
        "forwarded": origin(raw),
        "reply": _quote(raw),
        "document": _document(telegram, raw),
        "dice": raw.get("dice"),
    }
    return shown | {name: value for name, value in extras.items() if value is not None}


def reactions(telegram: LocalTelegram, found: Message) -> list[Raw]:
    """Emojis on a message, each with the ids of those who put it there."""
    chat = telegram.world.chats.get(found.chat_id)
    given = {} if chat is None else chat.reactions.get(found.message_id, {})
    by_emoji: dict[str, list[int]] = {}
    for user, emojis in given.items():
        for emoji in emojis:
            by_emoji.setdefault(emoji, []).append(user)
    return [{"emoji": emoji, "by": users} for emoji, users in by_emoji.items()]


def _button(button: Raw) -> Raw:
    shown = {"label": button["text"]}
    return (
        shown | {"data": button["callback_data"]}
        if "callback_data" in button
        else shown | {"url": button["url"]}
    )


def _quote(raw: Raw) -> Raw | None:
    replied = raw.get("reply_to_message")
    if replied is None or "forum_topic_created" in replied:
        return None
    text = Message(replied).text or replied.get("document", {}).get("file_name", "")
    return {"id": replied["message_id"], "name": author(replied), "text": text[:_LONGEST_QUOTE]}


def _document(telegram: LocalTelegram, raw: Raw) -> Raw | None:
    found = raw.get("document")
    if found is None:
        return None
    return {
        "id": found["file_id"],
        "name": found["file_name"],
        "bytes": found["file_size"],
        "here": found["file_id"] in telegram.world.files,
    }
