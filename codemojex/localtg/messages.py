"""The methods that send, change and remove messages."""

from __future__ import annotations

from typing import Any

from codemojex.localtg import contents
from codemojex.localtg.chats import Chat
from codemojex.localtg.errors import bad_request
from codemojex.localtg.fields import Values, array, boolean, chat_id, integer, needed, string
from codemojex.localtg.fields import structure as any_json
from codemojex.localtg.files import Upload, file
from codemojex.localtg.model import EventKind, Message, Raw
from codemojex.localtg.world import World

_DAY_S = 86_400
_ACTIONS = frozenset(
    [
        "typing",
        "upload_photo",
        "record_video",
        "upload_video",
        "record_voice",
        "upload_voice",
        "upload_document",
        "choose_sticker",
        "find_location",
        "record_video_note",
        "upload_video_note",
    ]
)
_NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same"
    " as a current content and reply markup of the message"
)

SEND_FIELDS = {**contents.TEXT_FIELDS, **contents.ENVELOPE_FIELDS}
DOCUMENT_FIELDS = {
    **contents.ENVELOPE_FIELDS,
    "document": file,
    "caption": string,
    "parse_mode": string,
    "caption_entities": array,
    "disable_content_type_detection": boolean,
}
EDIT_FIELDS = {**contents.TEXT_FIELDS, "chat_id": chat_id, "message_id": integer}
MARKUP_FIELDS = {"chat_id": chat_id, "message_id": integer, "reply_markup": any_json}
DELETE_FIELDS = {"chat_id": chat_id, "message_id": integer}
ACTION_FIELDS = {"chat_id": chat_id, "message_thread_id": integer, "action": string}


def send_message(world: World, values: Values) -> Raw:
    content = contents.text(world, values)
    chat = contents.reachable(world, values)
    return _sent(world, chat, {**content, **contents.envelope(chat, values)}, values)


def send_document(world: World, values: Values) -> Raw:
    given: Upload | str | None = values.get("document")
    if not given:
        raise bad_request("there is no document in the request")
    content = contents.caption(world, values)
    chat = contents.reachable(world, values)
    around = contents.envelope(chat, values)
    return _sent(world, chat, {"document": world.files.document(given), **content, **around}, values)


def edit_text(world: World, values: Values) -> Raw:
    content = contents.text(world, values)
    chat, message = _own(world, values)
    if "text" not in message.raw:
        raise bad_request("there is no text in the message to edit")
    return _changed(world, chat, message, content, contents.markup(values))


def edit_markup(world: World, values: Values) -> Raw:
    chat, message = _own(world, values)
    content: Raw = {name: message.raw[name] for name in ("text", "entities") if name in message.raw}
    return _changed(world, chat, message, content, contents.markup(values))


def delete_message(world: World, values: Values) -> bool:
    chat = world.chat(needed(values, "chat_id"))
    chat.check_reachable()
    message = chat.messages.get(needed(values, "message_id"))
    if message is None:
        raise bad_request("message to delete not found")
    others = message.sender_id != world.bot.id
    if others and chat.kind != "private" and not chat.bot.admin:
        raise bad_request("message can't be deleted")
    if world.now() - int(message.raw["date"]) > 2 * _DAY_S and not (others and chat.bot.admin):
        raise bad_request("message can't be deleted for everyone")
    del chat.messages[message.message_id]
    world.tell(EventKind.DELETED, chat, message)
    return True


def chat_action(world: World, values: Values) -> bool:
    chat = contents.reachable(world, values)
    action = needed(values, "action")
    if action not in _ACTIONS:
        raise bad_request("wrong parameter action in request")
    world.tell(EventKind.ACTION, chat, detail=action)
    return True


def _sent(world: World, chat: Chat, content: Raw, values: Values) -> Raw:
    sender = world.bot_raw
    if chat.kind == "channel":
        message = world.post(chat, None, {"sender_chat": chat.raw, **content})
    else:
        message = world.post(chat, sender, content)
    world.tell(EventKind.MESSAGE, chat, message, flag=bool(values.get("disable_notification")))
    return message.raw


def _own(world: World, values: Values) -> tuple[Chat, Message]:
    chat = contents.reachable(world, values)
    message = chat.messages.get(needed(values, "message_id"))
    if message is None:
        raise bad_request("message to edit not found")
    if chat.kind != "channel" and message.sender_id != world.bot.id:
        raise bad_request("message can't be edited")
    return chat, message


def _changed(world: World, chat: Chat, message: Message, content: Raw, markup: Raw | None) -> Raw:
    before = {name: message.raw.get(name) for name in ("text", "entities", "reply_markup")}
    after: dict[str, Any] = {"text": content.get("text"), "entities": content.get("entities")}
    if before == {**after, "reply_markup": markup}:
        raise bad_request(_NOT_MODIFIED)
    gone = ("text", "entities", "reply_markup", "link_preview_options")
    raw = {name: value for name, value in message.raw.items() if name not in gone}
    raw.update(content)
    raw["edit_date"] = world.now()
    if markup is not None:
        raw["reply_markup"] = markup
    edited = world.keep(chat, Message(raw))
    world.tell(EventKind.EDITED, chat, edited)
    return raw
