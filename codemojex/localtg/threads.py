"""Where in a chat a message goes: under another one, into a forum topic, or neither."""

from __future__ import annotations

from codemojex.localtg.chats import Chat
from codemojex.localtg.errors import bad_request
from codemojex.localtg.model import Message, Raw


def placed(chat: Chat, thread_id: int | None, replied: Message | None) -> Raw:
    """The fields that put a message into a topic, or under another message, or both.

    A message in a topic that answers nothing is shown as a reply to the one that opened the topic. A reply
    outside of topics carries the id of its thread of replies: in a supergroup that is a
    ``message_thread_id`` too, but without ``is_topic_message``, and no message can be sent to it.
    """
    if thread_id is None and replied is not None:
        thread_id = replied.thread_id
    if thread_id is not None:
        above = replied or chat.topics[thread_id].opening
        return {
            "message_thread_id": thread_id,
            "is_topic_message": True,
            "reply_to_message": above.flat(),
        }
    if replied is None:
        return {}
    found: Raw = {"reply_to_message": replied.flat()}
    if chat.kind == "supergroup":
        found["message_thread_id"] = replied.raw.get("message_thread_id", replied.message_id)
    return found


def check_thread(chat: Chat, thread_id: int) -> None:
    """Let the bot write into this topic, or say why not; General has no id to be named by.

    Raises:
        Refusal: 400: there is no such topic, or it is closed to those who do not manage it.
    """
    topic = chat.topics.get(thread_id)
    if topic is None:
        raise bad_request("message thread not found")
    if topic.closed and not chat.bot.admin:
        raise bad_request("TOPIC_CLOSED")
