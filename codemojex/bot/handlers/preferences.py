"""Language and usual mode: of a person, or of a group, where only admins choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from telegram import Chat, Update
from telegram.ext import CallbackQueryHandler

from codemojex.bot.handlers.places import ANONYMOUS, PERSON, Handler, command, parts
from codemojex.bot.turn import Turn
from codemojex.game.keyboards import Mode
from codemojex.game.refusals import AdminsOnly, NotASetting
from codemojex.play import languages, preferences
from codemojex.texts import Texts, catalogs
from codemojex.texts.markup import Html, plain

_AUTO = "auto"
_DATA = r"^s:"


async def settings(update: Update, turn: Turn) -> None:
    """Show what is set, or change it."""
    message, user = parts(update)
    group = message.chat.type != Chat.PRIVATE
    if not group:
        await turn.player(user)
    await turn.room(message.chat)
    may = not group or message.sender_chat is not None or turn.is_admin(message.chat, user.id)
    if turn.args:
        await turn.reply(message, await _choose(message.chat, turn.args, may, turn))
        return
    of = preferences.of_chat if group else preferences.of_player
    said = turn.texts.settings(await of(turn.tx, message.chat_id), group=group)
    await turn.reply(message, said, choices(turn.texts, group=group) if may else None)


async def tapped(update: Update, turn: Turn) -> None:
    """A button below the settings."""
    query = update.callback_query
    if query is None or query.message is None:
        return
    chat, user = query.message.chat, query.from_user
    may = user.id == chat.id if chat.type == Chat.PRIVATE else turn.is_admin(chat, user.id)
    turn.answer(query.id, plain(await _choose(chat, (query.data or "").split(":")[1:], may, turn)))


async def _choose(chat: Chat, words: Sequence[str], may: bool, turn: Turn) -> Html:
    """Set what the words say; what to answer.

    Raises:
        NotASetting: they say nothing that can be set.
        AdminsOnly: somebody else than an admin wants to choose for a group.
    """
    chosen = read_setting(words)
    if not may:
        raise AdminsOnly
    group = chat.type != Chat.PRIVATE
    choose = preferences.set_chat if group else preferences.set_player
    prefs = await choose(turn.tx, chat.id, **chosen)
    # From here on in the language that was just chosen.
    code = (await languages.of(turn.tx, [chat.id]))[chat.id]
    return catalogs.of(code).settings_changed(prefs, group=group)


def read_setting(words: Sequence[str]) -> dict[str, Any]:
    """What `language en` or `mode pegs` chooses, as keywords of `preferences.set_player`.

    Raises:
        NotASetting: anything else.
    """
    match [word.lower() for word in words]:
        case ["language", value] if value in (*languages.LANGUAGES, _AUTO):
            return {"locale": None if value == _AUTO else value}
        case ["mode", value] if value in {mode.value for mode in Mode}:
            return {"mode": Mode(value)}
    raise NotASetting


def choices(texts: Texts, *, group: bool) -> dict[str, Any]:
    """The buttons below the settings, as ``reply_markup``."""
    codes = languages.LANGUAGES if group else (*languages.LANGUAGES, _AUTO)
    spoken = [
        {"text": texts.language_name(None if code == _AUTO else code), "callback_data": f"s:language:{code}"}
        for code in codes
    ]
    modes = [{"text": texts.mode_name(mode), "callback_data": f"s:mode:{mode}"} for mode in Mode]
    return {"inline_keyboard": [spoken, modes]}


def handlers() -> list[Handler]:
    """Settings."""
    return [
        command("settings", settings, PERSON | ANONYMOUS),
        CallbackQueryHandler(tapped, pattern=_DATA),
    ]
