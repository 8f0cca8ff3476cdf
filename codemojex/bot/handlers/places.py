"""Where a message may come from, as filters: who wrote it, and in what kind of chat."""

from __future__ import annotations

from typing import Any

from telegram import Message, Update, User
from telegram.ext import BaseHandler, CommandHandler, filters

# python-telegram-bot types a callback's second argument as its own context; ours is a Turn.
Handler = BaseHandler[Update, Any, Any]
Callback = Any


class _Person(filters.MessageFilter):
    """Written by somebody as themselves: no bot, no channel, no anonymous admin, no linked channel's post."""

    def filter(self, message: Message) -> bool:
        user = message.from_user
        return (
            user is not None
            and not user.is_bot
            and message.sender_chat is None
            and not message.is_automatic_forward
        )


class _Anonymous(filters.MessageFilter):
    """Written by an admin in the name of the group itself."""

    def filter(self, message: Message) -> bool:
        return message.sender_chat is not None and message.sender_chat.id == message.chat_id


class _InDisguise(filters.MessageFilter):
    """Written by a person behind a chat: an anonymous admin, or somebody as their channel."""

    def filter(self, message: Message) -> bool:
        return message.sender_chat is not None and not message.is_automatic_forward


# Edited messages, channel posts and business messages are other kinds: they never play.
_NEW = filters.UpdateType.MESSAGE
PERSON = _NEW & _Person(name="person")
PRIVATE = PERSON & filters.ChatType.PRIVATE
EDITED = filters.UpdateType.EDITED_MESSAGE & _Person(name="person")
GROUP = PERSON & filters.ChatType.GROUPS
ANONYMOUS = _NEW & filters.ChatType.GROUPS & _Anonymous(name="anonymous admin")
IN_DISGUISE = _NEW & filters.ChatType.GROUPS & _InDisguise(name="in disguise")


def command(name: str, callback: Callback, where: filters.BaseFilter = PERSON) -> Handler:
    """A handler of ``/name`` and ``/name@thisbot``."""
    return CommandHandler(name, callback, filters=where)


def is_reply_to_bot(message: Message) -> bool:
    """Whether somebody meant to answer the bot."""
    replied = message.reply_to_message
    author = None if replied is None else replied.from_user
    # In a topic every message replies to the one that opened it, also where nobody meant to.
    if author is None or replied is None or replied.forum_topic_created is not None:
        return False
    return author.id == message.get_bot().id


def parts(update: Update) -> tuple[Message, User]:
    """The message and its sender; the filters let only messages with both through."""
    message, user = update.message, update.effective_user
    if message is None or user is None:
        raise TypeError("a message handler was given an update without a message or a sender")
    return message, user
