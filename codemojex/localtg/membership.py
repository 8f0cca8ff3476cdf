"""getChat, getChatMember, getChatAdministrators: what a bot may ask about a chat."""

from __future__ import annotations

from codemojex.localtg.chats import Chat, Status
from codemojex.localtg.errors import bad_request
from codemojex.localtg.fields import Values, chat_id, integer, needed
from codemojex.localtg.members import member
from codemojex.localtg.model import Raw
from codemojex.localtg.world import World

CHAT_FIELDS = {"chat_id": chat_id}
MEMBER_FIELDS = {"chat_id": chat_id, "user_id": integer}

_NO_GIFTS = {
    "unlimited_gifts": False,
    "limited_gifts": False,
    "unique_gifts": False,
    "premium_subscription": False,
    "gifts_from_channels": False,
}


def get_chat(world: World, values: Values) -> Raw:
    chat = world.chat(needed(values, "chat_id"))
    if chat.kind != "private" and chat.migrated_to is None:
        chat.check_reachable()
    found: Raw = {
        **chat.raw,
        "accent_color_id": 0,
        "max_reaction_count": 11,
        "accepted_gift_types": dict(_NO_GIFTS),
    }
    if chat.linked is not None:
        found["linked_chat_id"] = chat.linked
    return found


def get_chat_member(world: World, values: Values) -> Raw:
    chat, user_id = _asked(world, values), needed(values, "user_id")
    if user_id == world.bot.id:
        return member(chat, world.bot_raw, chat.bot)
    user = world.users.get(user_id)
    if user is None:
        raise bad_request("user not found")
    alone = chat.kind == "private" and user_id == chat.id
    return member(chat, user.raw(), Status.MEMBER if alone else chat.members.get(user_id, Status.LEFT))


def get_chat_administrators(world: World, values: Values) -> list[Raw]:
    chat = _asked(world, values)
    if chat.kind == "private":
        raise bad_request("there are no administrators in the private chat")
    admins = sorted(
        ((status, user) for user, status in chat.members.items() if status.admin),
        key=lambda each: each[0] is not Status.CREATOR,
    )
    found = [member(chat, world.users[user].raw(), status) for status, user in admins]
    # Telegram lists every admin but the bots; the one that asks is listed.
    return [*found, member(chat, world.bot_raw, chat.bot)] if chat.bot.admin else found


def _asked(world: World, values: Values) -> Chat:
    chat = world.chat(needed(values, "chat_id"))
    if chat.kind != "private":
        chat.check_reachable()
    return chat
