"""The methods about the bot itself, its commands and its callbacks."""

from __future__ import annotations

import json
import re
from typing import Any

from codemojex.localtg.errors import bad_request, not_modelled
from codemojex.localtg.fields import Values, array, boolean, integer, mapping, needed, only, string
from codemojex.localtg.model import EventKind, Raw
from codemojex.localtg.world import World

_COMMAND = re.compile(r"[a-z0-9_]{1,32}", re.ASCII)
_LANGUAGE = re.compile(r"(?:[a-z]{2})?", re.ASCII)
_SCOPES = frozenset({"default", "all_private_chats", "all_group_chats", "all_chat_administrators"})
_CHAT_SCOPES = frozenset({"chat", "chat_administrators", "chat_member"})
_MOST_COMMANDS = 100
_LONGEST_DESCRIPTION = 256
_LONGEST_ANSWER = 200

COMMAND_FIELDS = {"commands": array, "scope": mapping, "language_code": string}
SCOPE_FIELDS = {"scope": mapping, "language_code": string}
ANSWER_FIELDS = {
    "callback_query_id": string,
    "text": string,
    "show_alert": boolean,
    "url": string,
    "cache_time": integer,
}


def get_me(world: World, values: Values) -> Raw:
    return {
        **world.bot_raw,
        "can_join_groups": True,
        "can_read_all_group_messages": not world.options.privacy,
        "supports_inline_queries": False,
        "can_connect_to_business": False,
        "has_main_web_app": False,
    }


def answer_callback(world: World, values: Values) -> bool:
    text = values.get("text", "")
    if len(text) > _LONGEST_ANSWER:
        raise bad_request("MESSAGE_TOO_LONG")
    if values.get("url"):
        raise not_modelled("callback answers with a url")
    callback = world.callbacks.get(values.get("callback_query_id", ""))
    if callback is None or callback.expired:
        raise bad_request("query is too old and response timeout expired or query ID is invalid")
    if not callback.answered:
        # The client stops its spinner at the first answer; later ones change nothing it shows.
        callback.answered = True
        alert = bool(values.get("show_alert"))
        chat = world.chat(callback.chat_id)
        world.tell(EventKind.ANSWER, chat, detail=text, flag=alert, to=callback.person_id)
    return True


def set_commands(world: World, values: Values) -> bool:
    commands = needed(values, "commands")
    if len(commands) > _MOST_COMMANDS:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    checked = [_command(command) for command in commands]
    world.commands[_scope(values)] = checked
    return True


def get_commands(world: World, values: Values) -> list[Raw]:
    return world.commands.get(_scope(values), [])


def delete_commands(world: World, values: Values) -> bool:
    world.commands.pop(_scope(values), None)
    return True


def _command(command: Any) -> Raw:
    if not isinstance(command, dict):
        raise bad_request("expected an Array of BotCommand")
    only("BotCommand", command, frozenset({"command", "description"}))
    name = str(command.get("command", "")).removeprefix("/")
    description = str(command.get("description", "")).strip()
    if not _COMMAND.fullmatch(name):
        raise bad_request("BOT_COMMAND_INVALID")
    if not 1 <= len(description) <= _LONGEST_DESCRIPTION:
        raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
    return {"command": name, "description": description}


def _scope(values: Values) -> tuple[str, str]:
    scope = values.get("scope", {"type": "default"})
    kind, language = scope.get("type"), values.get("language_code", "")
    if kind not in _SCOPES | _CHAT_SCOPES:
        raise bad_request("can't parse BotCommandScope: unsupported type specified")
    if not _LANGUAGE.fullmatch(language):
        raise bad_request("invalid language code specified")
    return json.dumps(scope, sort_keys=True), language
