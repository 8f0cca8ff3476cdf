"""The methods that send, change and remove messages."""

from __future__ import annotations

from typing import Any

from codemojex.localtg import entities as marks
from codemojex.localtg import html, keyboards
from codemojex.localtg.errors import bad_request, forbidden, not_modelled
from codemojex.localtg.fields import Values, array, boolean, chat_id, integer, mapping, needed, only, string
from codemojex.localtg.fields import structure as any_json
from codemojex.localtg.model import Chat, EventKind, Message, Raw
from codemojex.localtg.world import World

_DAY_S = 86_400
_REPLY = frozenset({"message_id", "chat_id", "allow_sending_without_reply"})
_PREVIEW = frozenset({"is_disabled", "url", "prefer_small_media", "prefer_large_media", "show_above_text"})
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

TEXT_FIELDS = {
    "text": string,
    "parse_mode": string,
    "entities": array,
    "link_preview_options": mapping,
    "reply_markup": any_json,
}
SEND_FIELDS = {
    **TEXT_FIELDS,
    "chat_id": chat_id,
    "message_thread_id": integer,
    "disable_notification": boolean,
    "protect_content": boolean,
    "reply_parameters": mapping,
}
EDIT_FIELDS = {**TEXT_FIELDS, "chat_id": chat_id, "message_id": integer}
MARKUP_FIELDS = {"chat_id": chat_id, "message_id": integer, "reply_markup": any_json}
DELETE_FIELDS = {"chat_id": chat_id, "message_id": integer}
ACTION_FIELDS = {"chat_id": chat_id, "message_thread_id": integer, "action": string}


def send_message(world: World, values: Values) -> Raw:
    content = _text(world, values)
    chat = _reachable(world, values)
    markup = _markup(values)
    if markup is not None:
        content["reply_markup"] = markup
    if values.get("protect_content"):
        content["has_protected_content"] = True
    replied = _replied(chat, values.get("reply_parameters"))
    if replied is not None:
        content["reply_to_message"] = replied
    message = world.post(chat, world.bot_raw, content)
    world.tell(EventKind.MESSAGE, chat, message, flag=bool(values.get("disable_notification")))
    return message.raw


def edit_text(world: World, values: Values) -> Raw:
    content = _text(world, values)
    chat, message = _own(world, values)
    if "text" not in message.raw:
        raise bad_request("there is no text in the message to edit")
    return _changed(world, chat, message, content, _markup(values))


def edit_markup(world: World, values: Values) -> Raw:
    chat, message = _own(world, values)
    content: Raw = {name: message.raw[name] for name in ("text", "entities") if name in message.raw}
    return _changed(world, chat, message, content, _markup(values))


def delete_message(world: World, values: Values) -> bool:
    chat = world.chat(needed(values, "chat_id"))
    message = chat.messages.get(needed(values, "message_id"))
    if message is None:
        raise bad_request("message to delete not found")
    if world.now() - int(message.raw["date"]) > 2 * _DAY_S:
        raise bad_request("message can't be deleted for everyone")
    del chat.messages[message.message_id]
    world.tell(EventKind.DELETED, chat, message)
    return True


def chat_action(world: World, values: Values) -> bool:
    chat = _reachable(world, values)
    action = needed(values, "action")
    if action not in _ACTIONS:
        raise bad_request("wrong parameter action in request")
    world.tell(EventKind.ACTION, chat, detail=action)
    return True


def _text(world: World, values: Values) -> Raw:
    """The text and entities of a message, checked as Telegram checks them."""
    text: str = values.get("text", "")
    found: list[Raw] = []
    mode = values.get("parse_mode", "")
    if mode.lower() == "html":
        text, found = html.parse(text, lambda user: _known(world, user))
    elif mode.lower() in ("markdown", "markdownv2"):
        raise not_modelled(f'parse_mode "{mode}"')
    elif mode:
        raise bad_request("unsupported parse_mode")
    elif "entities" in values:
        found = marks.given(text, values["entities"])
    text, found = marks.clean(text, found)
    marks.check(text, found)
    found = marks.with_commands(text, found)
    content: Raw = {"text": text}
    if found:
        content["entities"] = found
    if "link_preview_options" in values:
        content["link_preview_options"] = only(
            "link_preview_options", values["link_preview_options"], _PREVIEW
        )
    return content


def _known(world: World, user_id: int) -> Raw | None:
    user = world.users.get(user_id)
    return None if user is None else user.raw()


def _markup(values: Values) -> Raw | None:
    return keyboards.inline(values["reply_markup"]) if "reply_markup" in values else None


def _reachable(world: World, values: Values) -> Chat:
    chat = world.chat(needed(values, "chat_id"))
    if chat.blocked:
        raise forbidden("bot was blocked by the user")
    if values.get("message_thread_id"):
        raise bad_request("message thread not found")
    return chat


def _replied(chat: Chat, parameters: Values | None) -> Raw | None:
    if parameters is None:
        return None
    only("reply_parameters", parameters, _REPLY)
    other = parameters.get("chat_id", chat.id)
    if str(other) != str(chat.id):
        raise not_modelled("replies to another chat")
    message = chat.messages.get(integer("message_id", parameters.get("message_id", 0)))
    if message is None:
        if parameters.get("allow_sending_without_reply"):
            return None
        raise bad_request("message to be replied not found")
    return {name: value for name, value in message.raw.items() if name != "reply_to_message"}


def _own(world: World, values: Values) -> tuple[Chat, Message]:
    chat = _reachable(world, values)
    message = chat.messages.get(needed(values, "message_id"))
    if message is None:
        raise bad_request("message to edit not found")
    if message.raw.get("from", {}).get("id") != world.bot.id:
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
    edited = Message(raw)
    chat.messages[edited.message_id] = edited
    world.tell(EventKind.EDITED, chat, edited)
    return raw
