"""What somebody wants to do with an update, as far as it costs something beside a guess."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from telegram import Chat, Update
from telegram.ext import CommandHandler

from codemojex.bot.handlers import Handler
from codemojex.bot.handlers.places import is_reply_to_bot
from codemojex.game.pace import Rate
from codemojex.game.parsing import looks_like_guess


class Act(StrEnum):
    """A kind of act with a pace of its own.

    Guesses that are admitted are none: they have the pace of `play.guesses`.
    """

    WORD = "word"
    """A command, or words that are explained."""
    TAP = "tap"
    """A button."""
    CODE = "code"
    """The code of a room, which may be a guess at one."""
    EXPORT = "export"
    """Everything about somebody, read or erased."""
    MISTAKE = "mistake"
    """A guess that is none, answered with the reason."""


def rates(per_second: float) -> Mapping[Act, Rate]:
    """How often one person may act; ``per_second`` is for commands, 0 lifts everything.

    A million codes that nobody was given take most of a year.
    """
    return {
        Act.WORD: Rate(per_second, 10),
        Act.TAP: Rate(per_second * 5, 30),
        Act.CODE: Rate(per_second / 30, 5),
        Act.EXPORT: Rate(per_second / 60, 3),
        Act.MISTAKE: Rate(per_second, 10),
    }


def acts_of(update: Update, handler: Handler) -> list[Act]:
    """What of these ``update`` is, once ``handler`` has taken it; nothing for what is nobody's business here."""
    if update.callback_query is not None:
        return [Act.TAP]
    message = update.message
    if message is None or message.text is None:
        return []
    first, *rest = message.text.split(maxsplit=2) or [""]
    if isinstance(handler, CommandHandler):
        return _of_command(first[1:].partition("@")[0].lower(), [word.lower() for word in rest])
    asked = message.chat.type == Chat.PRIVATE or is_reply_to_bot(message)
    return [Act.WORD] if asked and not looks_like_guess(message.text) else []


def actor_of(update: Update) -> int | None:
    """Whose act it is: a person's, or that of the chat they write as; None where nobody acts."""
    message = update.message
    if message is not None and message.sender_chat is not None:
        return message.sender_chat.id
    user = update.effective_user
    return None if user is None else user.id


def time_of(update: Update, now: datetime) -> datetime:
    """When it was done: a message has its own time, a tap has none."""
    return now if update.message is None else update.message.date


def _of_command(name: str, words: list[str]) -> list[Act]:
    if name == "guess":
        return []
    if name == "join" or (name == "start" and words and words[0].startswith("r_")):
        return [Act.WORD, Act.CODE]
    if name == "privacy" and words and words[0] in ("export", "forget"):
        return [Act.WORD, Act.EXPORT]
    return [Act.WORD]
