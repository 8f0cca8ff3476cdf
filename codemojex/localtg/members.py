"""Bot API objects about who is in a chat, and the stand-ins Telegram names as authors."""

from __future__ import annotations

from typing import Any

from codemojex.localtg.chats import Chat, Status
from codemojex.localtg.model import Raw

ANONYMOUS: Raw = {
    "id": 1087968824,
    "is_bot": True,
    "first_name": "Group",
    "username": "GroupAnonymousBot",
}
"""The author of what an admin writes anonymously."""
AS_CHANNEL: Raw = {"id": 136817688, "is_bot": True, "first_name": "Channel", "username": "Channel_Bot"}
"""The author of what people write as a channel."""
TELEGRAM: Raw = {"id": 777000, "is_bot": False, "first_name": "Telegram"}
"""The author of posts forwarded from a linked channel."""

_RIGHTS = (
    "can_manage_chat",
    "can_delete_messages",
    "can_manage_video_chats",
    "can_restrict_members",
    "can_change_info",
    "can_invite_users",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
    "can_send_welcome_messages",
)
_RIGHTS_OF = {
    "group": ("can_pin_messages",),
    "supergroup": ("can_pin_messages", "can_manage_topics"),
    "channel": ("can_post_messages", "can_edit_messages"),
}


def member(chat: Chat, user: Raw, status: Status) -> Raw:
    """The ChatMember object of somebody."""
    found: Raw = {"user": user, "status": status.value}
    if status is Status.CREATOR:
        found["is_anonymous"] = False
    elif status is Status.ADMINISTRATOR:
        rights: dict[str, Any] = dict.fromkeys((*_RIGHTS, *_RIGHTS_OF.get(chat.kind, ())), True)
        found |= {"can_be_edited": False, "is_anonymous": False, "can_promote_members": False, **rights}
    elif status is Status.KICKED:
        found["until_date"] = 0
    return found


def change(chat: Chat, by: Raw, at: int, old: Raw, new: Raw) -> Raw:
    """The ChatMemberUpdated object: somebody, by whom, was what and is what now."""
    return {"chat": chat.raw, "from": by, "date": at, "old_chat_member": old, "new_chat_member": new}
