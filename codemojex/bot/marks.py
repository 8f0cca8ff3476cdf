"""A raw update before anybody trusts it: what it is, which it is, whether its ids can be kept."""

from __future__ import annotations

from typing import Any, TypeGuard

from codemojex.play.updates import Mark

RawUpdate = dict[str, Any]

# Where the ids stand that may end in the database, for each kind that is handled.
_IDS = {
    "message": (
        "message_id",
        "message_thread_id",
        "migrate_to_chat_id",
        "migrate_from_chat_id",
        "chat.id",
        "from.id",
        "sender_chat.id",
        "reply_to_message.message_id",
    ),
    "edited_message": ("message_id", "chat.id", "from.id", "sender_chat.id"),
    "callback_query": ("from.id", "message.message_id", "message.message_thread_id", "message.chat.id"),
    "my_chat_member": ("chat.id", "from.id"),
}


def kind_of(raw: RawUpdate) -> str:
    """The name of what an update carries, empty when it carries nothing."""
    return next((name for name in raw if name != "update_id"), "")


def mark_of(raw: RawUpdate) -> Mark:
    """What makes an update the same as another: its id, or for a message its chat and message id."""
    kind = kind_of(raw)
    message = part(raw, kind) if kind == "message" else {}
    chat_id, message_id = part(message, "chat").get("id"), message.get("message_id")
    if not (is_id(chat_id) and is_id(message_id)):
        chat_id = message_id = None
    storable = kind[:64].encode("utf-8", "replace").decode()
    return Mark(raw["update_id"], storable, chat_id, message_id)


def check_ids(raw: RawUpdate) -> None:
    """Refuse an update whose chat, sender or message could never be stored under its id.

    Raises:
        ValueError: one of them is no 64-bit whole number.
    """
    kind = kind_of(raw)
    for path in _IDS.get(kind, ()):
        found = part(raw, kind)
        *parts, last = path.split(".")
        for name in parts:
            found = part(found, name)
        if not is_id(found.get(last, 0)):
            raise ValueError(f"a {kind} with a {path} that is no 64-bit whole number")


def part(raw: RawUpdate, name: str) -> dict[str, Any]:
    """An object inside another, or an empty one where something else stands."""
    found = raw.get(name)
    return found if isinstance(found, dict) else {}


def text_of(raw: RawUpdate) -> str:
    """The text of a new message, empty for anything else."""
    text = part(raw, "message").get("text")
    return text if isinstance(text, str) else ""


def chat_of(raw: RawUpdate) -> RawUpdate:
    """The chat an update came from; a tap's is that of its message."""
    found = part(raw, kind_of(raw))
    return part(found, "chat") or part(part(found, "message"), "chat")


def is_id(value: object) -> TypeGuard[int]:
    """A whole number that fits the database's 64 bits."""
    return type(value) is int and -(2**63) <= value < 2**63
