"""setMessageReaction: which emojis a message takes, and how many of a bot."""

from __future__ import annotations

from typing import Any

from codemojex.localtg.chats import Chat
from codemojex.localtg.errors import bad_request, not_modelled
from codemojex.localtg.fields import Values, array, boolean, chat_id, integer, needed, only
from codemojex.localtg.model import EventKind, Raw
from codemojex.localtg.world import World

_PLAIN = (
    "👍👎❤🔥🥰👏😁🤔🤯😱🤬😢🎉🤩🤮💩🙏👌🕊🤡🥱🥴😍🐳🌚🌭💯🤣⚡🍌🏆💔🤨😐🍓🍾💋🖕😈😴😭🤓👻👀🎃🙈😇😨🤝✍🤗"
    "🫡🎅🎄☃💅🤪🗿🆒💘🙉🦄😘💊🙊😎👾🤷😡"
)
_JOINED = ("❤\u200d🔥", "👨\u200d💻", "🤷\u200d♂", "🤷\u200d♀")
ALLOWED = frozenset((*_PLAIN, *_JOINED))
"""The emojis Telegram takes as reactions, without variation selectors."""

REACTION_FIELDS = {"chat_id": chat_id, "message_id": integer, "reaction": array, "is_big": boolean}


def set_reaction(world: World, values: Values) -> bool:
    """Put the bot's reaction on a message, or take it away."""
    chat = world.chat(needed(values, "chat_id"))
    chat.check_reachable()
    number = needed(values, "message_id")
    message = chat.messages.get(number)
    if message is None:
        raise bad_request("message to react not found")
    emojis = [_emoji(reaction) for reaction in values.get("reaction", [])]
    if len(emojis) > 1:
        raise bad_request("REACTIONS_TOO_MANY")
    chat.reactions.setdefault(number, {})[world.bot.id] = emojis
    world.tell(EventKind.REACTION, chat, message, " ".join(emojis))
    return True


def is_allowed(emoji: str) -> bool:
    """True for an emoji that is a reaction, with or without its variation selector."""
    return emoji.replace("\ufe0f", "") in ALLOWED


def reaction_change(chat: Chat, number: int, user: Raw, at: int, emojis: tuple[list[str], list[str]]) -> Raw:
    """The MessageReactionUpdated object: somebody's emojis before and now."""
    old, new = ([{"type": "emoji", "emoji": each} for each in some] for some in emojis)
    return {
        "chat": chat.raw,
        "message_id": number,
        "user": user,
        "date": at,
        "old_reaction": old,
        "new_reaction": new,
    }


def _emoji(reaction: Any) -> str:
    if not isinstance(reaction, dict):
        raise bad_request("can't parse reaction types JSON object")
    kind = reaction.get("type")
    if kind in ("custom_emoji", "paid"):
        raise not_modelled(f'reactions of type "{kind}"')
    if kind != "emoji":
        raise bad_request("invalid reaction type specified")
    only("ReactionType", reaction, frozenset({"type", "emoji"}))
    emoji = reaction.get("emoji")
    if not isinstance(emoji, str) or not is_allowed(emoji):
        raise bad_request("REACTION_INVALID")
    return emoji.replace("\ufe0f", "")
