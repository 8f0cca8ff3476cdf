"""What of a chat reaches the bot: privacy mode, and what Telegram never shows a bot."""

from __future__ import annotations

from codemojex.localtg.chats import Chat
from codemojex.localtg.model import Message

_CONTENT = ("text", "dice", "document")


def is_service(message: Message) -> bool:
    """True for what Telegram itself says: who came, who left, a topic, an upgrade."""
    return not any(name in message.raw for name in _CONTENT)


def sees(chat: Chat, message: Message, bot_id: int, username: str) -> bool:
    """True when Telegram hands this message to the bot.

    With privacy mode on and no admin rights, that is: service messages, replies to the bot, and commands
    that are for nobody else.
    """
    if not chat.bot.present or message.sender_id == bot_id:
        return False
    if chat.kind in ("private", "channel") or chat.bot.admin or chat.sees_all or is_service(message):
        return True
    replied = message.raw.get("reply_to_message") or {}
    return (replied.get("from") or {}).get("id") == bot_id or _commanded(message, username)


def _commanded(message: Message, username: str) -> bool:
    first = next(iter(message.entities), None)
    if first is None or first["type"] != "bot_command" or first["offset"]:
        return False
    # A command is ASCII and stands first, so its UTF-16 length counts characters.
    _, at, name = message.text[: first["length"]].partition("@")
    return not at or name.lower() == username.lower()
