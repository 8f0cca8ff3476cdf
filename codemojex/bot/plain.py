"""Plain messages, read without python-telegram-bot: most of a busy bot's updates, and each as simple as can be.

What is not exactly such a message, in any part, is left to the handlers; they alone decide what everything means.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from codemojex.bot.marks import RawUpdate, is_id, kind_of, part, text_of
from codemojex.game.parsing import MAX_CODE_POINTS
from codemojex.play.players import Person, full_name
from codemojex.play.rooms import ChatRef
from codemojex.play.volleys import Shot

_UPDATE = frozenset({"update_id", "message"})
_MESSAGE = frozenset({"message_id", "from", "chat", "date", "text"})
_USER = frozenset({"id", "is_bot", "first_name", "last_name", "username", "language_code", "is_premium"})
_GROUPS = ("group", "supergroup")  # no set: a raw update may say something that cannot be in one
_LATEST = 2**32  # of dates: seconds


def read_shot(raw: RawUpdate) -> Shot | None:
    """The message in ``raw`` when it is nothing but words of one person, in private or in a group."""
    message = raw.get("message")
    if not isinstance(message, dict) or raw.keys() != _UPDATE or message.keys() != _MESSAGE:
        return None
    text, date, number = message["text"], message["date"], message["message_id"]
    if not isinstance(text, str) or not 0 < len(text) <= MAX_CODE_POINTS or text[0] == "/":
        return None
    person, chat = _person(message["from"]), _chat(message["chat"])
    if person is None or chat is None or (chat.id > 0 and chat.id != person.id):
        return None
    if type(date) is not int or not 0 <= date < _LATEST or not is_id(number) or number <= 0:
        return None
    return Shot(person, chat, number, datetime.fromtimestamp(date, UTC), raw["update_id"], text)


def in_the_way(raw: RawUpdate, shots: Iterable[Shot]) -> bool:
    """Whether an update may have to do with these, or may be a guess itself: then they are admitted before it.

    Anything that comes from elsewhere, by somebody else, and is only a command, is none of their business.
    """
    shots = list(shots)
    if not shots:
        return False
    said = text_of(raw)
    if kind_of(raw) != "message" or not said.startswith("/") or said.lower().startswith("/guess"):
        return True
    message = part(raw, "message")
    sender, chat = part(message, "from").get("id"), part(message, "chat").get("id")
    return any(sender == shot.person.id or chat == shot.chat.id for shot in shots)


def _person(raw: Any) -> Person | None:
    if not isinstance(raw, dict) or not raw.keys() <= _USER or raw.get("is_bot") is not False:
        return None
    names = [raw.get(name) for name in ("last_name", "username", "language_code")]
    id, first = raw.get("id"), raw.get("first_name")
    if not is_id(id) or id <= 0 or not isinstance(first, str) or not all(_is_text(name) for name in names):
        return None
    return Person(id, first, *names)


def _chat(raw: Any) -> ChatRef | None:
    if not isinstance(raw, dict) or not is_id(raw.get("id")):
        return None
    kind, id = raw.get("type"), raw["id"]
    if kind == "private" and id > 0:
        first, last = raw.get("first_name"), raw.get("last_name")
        if isinstance(first, str) and _is_text(last):
            return ChatRef(id, kind, full_name(first, last))
    elif kind in _GROUPS and id < 0 and isinstance(raw.get("title"), str):
        return ChatRef(id, kind, raw["title"])
    return None


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)
