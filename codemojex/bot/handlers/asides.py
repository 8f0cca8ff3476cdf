"""What never counts: edited messages, and those of people who do not write as themselves. Each is told once."""

from __future__ import annotations

from telegram import Chat, Message, Update
from telegram.ext import MessageHandler, filters

from codemojex.bot.handlers.places import EDITED, IN_DISGUISE, Handler, command
from codemojex.bot.turn import Turn
from codemojex.game.keyboards import CODE_LENGTH
from codemojex.game.parsing import MAX_CODE_POINTS, clusters, looks_like_guess
from codemojex.play import told_once

# What takes a player; an anonymous admin's own commands are handled before.
_FOR_PLAYERS = (
    "new",
    "guess",
    "pin",
    "unpin",
    "hint",
    "giveup",
    "daily",
    "share",
    "stats",
    "settings",
    "rules",
)


async def edited(update: Update, turn: Turn) -> None:
    """Somebody edited a message, maybe to correct a guess."""
    message = update.edited_message
    if message is None or message.from_user is None:
        return
    words = message.text or ""
    private = message.chat.type == Chat.PRIVATE
    meant = words.startswith("/") or looks_like_guess(words) if private else _has_six(words)
    subject = told_once.about("edited", message.from_user.id)
    if meant and await told_once.first(turn.tx, message.chat_id, subject, turn.now):
        await turn.reply(message, turn.texts.edited_hint())


async def in_disguise(update: Update, turn: Turn) -> None:
    """An anonymous admin, or somebody writing as a channel, wants to play."""
    if update.message is not None:
        await _tell_who_cannot(update.message, turn)


async def in_disguise_text(update: Update, turn: Turn) -> None:
    """The same without a command: only what looks like a guess is meant for the game."""
    message = update.message
    if message is not None and _has_six(message.text or ""):
        await _tell_who_cannot(message, turn)


async def _tell_who_cannot(message: Message, turn: Turn) -> None:
    # Whoever stands behind a chat is not known; that chat stands for them.
    sender = message.sender_chat
    if sender is None:
        return
    subject = told_once.about("disguise", sender.id)
    if await told_once.first(turn.tx, message.chat_id, subject, turn.now):
        await turn.reply(message, turn.texts.anonymous_hint())


def _has_six(words: str) -> bool:
    return looks_like_guess(words) and len(clusters(words[:MAX_CODE_POINTS])) == CODE_LENGTH


def handlers() -> list[Handler]:
    """Asides."""
    return [
        MessageHandler(EDITED & filters.TEXT, edited),
        *(command(name, in_disguise, IN_DISGUISE) for name in _FOR_PLAYERS),
        MessageHandler(IN_DISGUISE & filters.TEXT, in_disguise_text),
    ]
