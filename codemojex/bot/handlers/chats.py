"""The bot comes into a chat, or is put out of it; a group becomes a supergroup."""

from __future__ import annotations

from telegram import Chat, ChatMember, ChatMemberRestricted, ChatMemberUpdated, Update
from telegram.ext import ChatMemberHandler, MessageHandler, filters

from codemojex.bot.handlers.places import Handler
from codemojex.bot.turn import Turn
from codemojex.play import languages, migration, players, rooms
from codemojex.play.outbox import Draft
from codemojex.play.rooms import ChatRef
from codemojex.texts import catalogs

_GROUPS = frozenset({Chat.GROUP, Chat.SUPERGROUP})


async def membership(update: Update, turn: Turn) -> None:
    """The bot was blocked or let in again by a person, added to a group or removed from it."""
    change = update.my_chat_member
    if change is None:
        return
    here = _is_in(change.new_chat_member)
    if change.chat.type == Chat.PRIVATE:
        if here:
            await turn.player(change.from_user)
        else:
            await players.unreachable(turn.tx, change.from_user.id, turn.now)
    elif change.chat.type in _GROUPS:
        if not here:
            await rooms.unreachable(turn.tx, change.chat.id, turn.now)
        else:
            if not _is_in(change.old_chat_member):
                await _greet(change, turn)
            await rooms.sees(turn.tx, change.chat.id, _sees_all(change))


async def _greet(change: ChatMemberUpdated, turn: Turn) -> None:
    """Introduce the bot in the language of whoever added it, and say how to guess: privacy mode decides.

    Not where it was before: a group that becomes a supergroup has the bot join what is a new chat to Telegram.
    """
    chat = change.chat
    if await rooms.is_in(turn.tx, chat.id):
        return
    await rooms.met(turn.tx, ChatRef(chat.id, chat.type, chat.title), turn.now)
    await languages.adopt(turn.tx, chat.id, change.from_user.language_code)
    texts = catalogs.of((await languages.of(turn.tx, [chat.id]))[chat.id])
    bot = change.get_bot()
    said = texts.greet_group(bot.username, _sees_all(change))
    await turn.write(Draft(chat.id, "text", {"text": said}))


def _sees_all(change: ChatMemberUpdated) -> bool:
    """Whether the bot is shown every message of the chat from now on."""
    admin = change.new_chat_member.status == ChatMember.ADMINISTRATOR
    return admin or bool(change.get_bot().bot.can_read_all_group_messages)


async def moved(update: Update, turn: Turn) -> None:
    """A group became a supergroup; both chats say so, in any order."""
    message = update.message
    if message is None:
        return
    if message.migrate_to_chat_id is not None:
        old, new = message.chat_id, message.migrate_to_chat_id
    elif message.migrate_from_chat_id is not None:
        old, new = message.migrate_from_chat_id, message.chat_id
    else:
        return
    if old >= 0 or new >= 0:
        return  # only groups move; whatever says so of a person is wrong
    found = await migration.move_chat(turn.tx, old, new, turn.now, turn.rules.mint, turn.rules.tz)
    if found is not None:
        turn.noted(*found.notices)


def _is_in(member: ChatMember) -> bool:
    if isinstance(member, ChatMemberRestricted):
        return member.is_member
    return member.status not in (ChatMember.LEFT, ChatMember.BANNED)


def handlers() -> list[Handler]:
    """What happens to chats."""
    return [
        MessageHandler(filters.UpdateType.MESSAGE & filters.StatusUpdate.MIGRATE, moved),
        ChatMemberHandler(membership, ChatMemberHandler.MY_CHAT_MEMBER),
    ]
