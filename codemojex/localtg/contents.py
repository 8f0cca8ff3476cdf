"""What a bot wants to send, read from a request and checked as Telegram checks it."""

from __future__ import annotations

from codemojex.localtg import entities as marks
from codemojex.localtg import html, keyboards
from codemojex.localtg.chats import Chat
from codemojex.localtg.errors import bad_request, not_modelled
from codemojex.localtg.fields import Values, array, boolean, chat_id, integer, mapping, needed, only, string
from codemojex.localtg.fields import structure as any_json
from codemojex.localtg.model import Message, Raw
from codemojex.localtg.threads import check_thread, placed
from codemojex.localtg.world import World

_REPLY = frozenset({"message_id", "chat_id", "allow_sending_without_reply"})
_PREVIEW = frozenset({"is_disabled", "url", "prefer_small_media", "prefer_large_media", "show_above_text"})

TEXT_FIELDS = {
    "text": string,
    "parse_mode": string,
    "entities": array,
    "link_preview_options": mapping,
    "reply_markup": any_json,
}
ENVELOPE_FIELDS = {
    "chat_id": chat_id,
    "message_thread_id": integer,
    "disable_notification": boolean,
    "protect_content": boolean,
    "reply_parameters": mapping,
    "reply_markup": any_json,
}


def text(world: World, values: Values) -> Raw:
    """The text and entities of a message.

    Raises:
        Refusal: 400: markup that cannot be parsed, or a text beyond the limits.
    """
    found, entities = _formatted(world, values, "text", "entities")
    marks.check(found, entities)
    entities = marks.with_commands(found, entities)
    content: Raw = {"text": found}
    if entities:
        content["entities"] = entities
    if "link_preview_options" in values:
        content["link_preview_options"] = only(
            "link_preview_options", values["link_preview_options"], _PREVIEW
        )
    return content


def caption(world: World, values: Values) -> Raw:
    """The caption of a file, nothing when it is blank.

    Raises:
        Refusal: 400: markup that cannot be parsed, or a caption beyond the limits.
    """
    found, entities = _formatted(world, values, "caption", "caption_entities")
    if marks.is_blank(found):
        return {}
    if len(found) > marks.MAX_CAPTION:
        raise bad_request("message caption is too long")
    marks.check(found, entities)
    entities = marks.with_commands(found, entities)
    return {"caption": found, **({"caption_entities": entities} if entities else {})}


def markup(values: Values) -> Raw | None:
    """The inline keyboard, None without one."""
    return keyboards.inline(values["reply_markup"]) if "reply_markup" in values else None


def reachable(world: World, values: Values) -> Chat:
    """The chat to write to, if the bot may write there."""
    chat = world.chat(needed(values, "chat_id"))
    chat.check_writable()
    if values.get("message_thread_id"):
        check_thread(chat, values["message_thread_id"])
    return chat


def envelope(chat: Chat, values: Values) -> Raw:
    """Everything around the content of a new message: keyboard, protection, reply, topic."""
    found: Raw = {}
    keyboard = markup(values)
    if keyboard is not None:
        found["reply_markup"] = keyboard
    if values.get("protect_content"):
        found["has_protected_content"] = True
    replied = _replied(chat, values.get("reply_parameters"))
    return found | placed(chat, values.get("message_thread_id") or None, replied)


def _formatted(world: World, values: Values, name: str, entities: str) -> tuple[str, list[Raw]]:
    given: str = values.get(name, "")
    found: list[Raw] = []
    mode = values.get("parse_mode", "")
    if mode.lower() == "html":
        given, found = html.parse(given, lambda user: _known(world, user))
    elif mode.lower() in ("markdown", "markdownv2"):
        raise not_modelled(f'parse_mode "{mode}"')
    elif mode:
        raise bad_request("unsupported parse_mode")
    elif entities in values:
        found = marks.given(given, values[entities])
    return marks.clean(given, found)


def _known(world: World, user_id: int) -> Raw | None:
    user = world.users.get(user_id)
    return None if user is None else user.raw()


def _replied(chat: Chat, parameters: Values | None) -> Message | None:
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
    return message
