"""What clients make of what people type, before it leaves the phone."""

from __future__ import annotations

import secrets

from codemojex.localtg import entities as marks
from codemojex.localtg.chats import Chat, Status
from codemojex.localtg.errors import CannotDo
from codemojex.localtg.members import ANONYMOUS, AS_CHANNEL
from codemojex.localtg.model import Message, Raw, User

_DICE = {"🎲": 6, "🎯": 6, "🎳": 6, "🏀": 5, "⚽": 5, "🎰": 64}
_CONTENT = ("text", "entities", "dice", "document", "caption", "caption_entities")


def written(text: str) -> Raw:
    """The content of a typed message: trimmed, its commands found; a lone dice emoji is a dice.

    Raises:
        CannotDo: no client would send this: empty, or too long.
    """
    cleaned, _ = marks.clean(text, [])
    if marks.is_blank(cleaned):
        raise CannotDo("an empty message cannot be sent")
    if len(cleaned) > marks.MAX_TEXT:
        raise CannotDo(f"a message holds {marks.MAX_TEXT} code points; clients split longer ones")
    if cleaned.removesuffix("\ufe0f") in _DICE:
        return thrown(cleaned.removesuffix("\ufe0f"))
    content: Raw = {"text": cleaned}
    found = marks.with_commands(cleaned, [])
    if found:
        content["entities"] = found
    return content


def thrown(emoji: str, value: int | None = None) -> Raw:
    """The content of a dice; a fair throw unless ``value`` says what it shows."""
    most = _DICE.get(emoji)
    if most is None:
        raise CannotDo(f"dice are one of {' '.join(_DICE)}")
    return {"dice": {"emoji": emoji, "value": secrets.randbelow(most) + 1 if value is None else value}}


def rewritten(before: Message, text: str, at: int) -> Message:
    """The message with another text.

    Raises:
        CannotDo: the new text is one no client would send.
    """
    content = written(text)
    if "text" not in before.raw or "text" not in content:
        raise CannotDo("only a text can be edited, and only into a text")
    raw = {name: value for name, value in before.raw.items() if name != "entities"}
    return Message({**raw, **content, "edit_date": at})


def forwarded(message: Message, *, hidden: bool) -> Raw:
    """The content of a forward, with where it comes from; ``hidden`` names the author without an account."""
    raw = message.raw
    if "forward_origin" in raw:
        origin: Raw = raw["forward_origin"]
    elif "sender_chat" in raw:
        chat, kind = raw["sender_chat"], raw["sender_chat"]["type"]
        named = (
            {"chat": chat, "message_id": message.message_id} if kind == "channel" else {"sender_chat": chat}
        )
        origin = {"type": "channel" if kind == "channel" else "chat", "date": raw["date"], **named}
    elif hidden:
        origin = {"type": "hidden_user", "date": raw["date"], "sender_user_name": raw["from"]["first_name"]}
    else:
        origin = {"type": "user", "date": raw["date"], "sender_user": raw["from"]}
    return {**{name: raw[name] for name in _CONTENT if name in raw}, "forward_origin": origin}


def author(chat: Chat, user: User, send_as: Chat | None) -> tuple[Raw | None, Raw]:
    """Whom Telegram names as the author of what ``user`` writes in ``chat``, and the ``sender_chat`` fields.

    Args:
        send_as: the chat itself (an anonymous admin) or a channel of theirs; None writes as oneself.

    Raises:
        CannotDo: they may not write here, or not as that.
    """
    if chat.kind == "channel":
        if not chat.members.get(user.id, Status.LEFT).admin:
            raise CannotDo(f"only admins post in {chat.raw['title']}")
        return None, {"sender_chat": chat.raw}
    if send_as is None:
        return user.raw(), {}
    if chat.kind != "supergroup" or not send_as.members.get(user.id, Status.LEFT).admin:
        raise CannotDo(f"{user.first_name} cannot write here as {send_as.raw['title']}")
    if send_as.kind != "channel" and send_as.id != chat.id:
        raise CannotDo("an anonymous admin writes as the group itself")
    stand_in = AS_CHANNEL if send_as.kind == "channel" else ANONYMOUS
    return stand_in, {"sender_chat": send_as.raw}
