"""What is stored about a person: said, handed over, forgotten."""

from __future__ import annotations

import json
from typing import Any

from telegram import Message, Update, User
from telegram.ext import CallbackQueryHandler

from codemojex.bot.handlers.friends import only_in_private
from codemojex.bot.handlers.places import GROUP, PRIVATE, Handler, command, parts
from codemojex.bot.turn import Turn
from codemojex.play import privacy as privacy_
from codemojex.texts.markup import plain

_FILE = "codemojex.json"
_FORGET, _KEEP = "p:forget", "p:keep"


async def privacy(update: Update, turn: Turn) -> None:
    """Say what is stored; `export` hands it over, `forget` asks, `forget yes` forgets."""
    message, user = parts(update)
    match [word.lower() for word in turn.args]:
        case ["export"]:
            await _export(message, user, turn)
        case ["forget", "yes"]:
            await turn.reply(message, await _forget(user, turn))
        case ["forget", *_]:
            await turn.reply(message, turn.texts.privacy_ask(), _buttons(turn))
        case _:
            await turn.reply(message, turn.texts.privacy())


async def tapped(update: Update, turn: Turn) -> None:
    """A button below the question; only the person themselves can have been asked it."""
    query = update.callback_query
    if query is None or query.message is None or query.message.chat.id != query.from_user.id:
        return
    said = await _forget(query.from_user, turn) if query.data == _FORGET else turn.texts.privacy_kept()
    turn.answer(query.id, plain(said), alert=True)


async def _export(message: Message, user: User, turn: Turn) -> None:
    await turn.player(user)
    found = await privacy_.export(turn.tx, user.id)
    content = json.dumps(found, ensure_ascii=False, indent=1)
    await turn.tell(message, "document", {"name": _FILE, "content": content})


async def _forget(user: User, turn: Turn) -> str:
    player = await turn.player(user)
    forgotten = await privacy_.forget(turn.tx, player, turn.now, turn.rules.mint, turn.rules.tz)
    turn.noted(*forgotten.notices)
    return turn.texts.forgotten()


def _buttons(turn: Turn) -> dict[str, Any]:
    forget, keep = turn.texts.privacy_buttons()
    asked = [{"text": forget, "callback_data": _FORGET}, {"text": keep, "callback_data": _KEEP}]
    return {"inline_keyboard": [asked]}


def handlers() -> list[Handler]:
    """Privacy."""
    return [
        command("privacy", privacy, PRIVATE),
        command("privacy", only_in_private, GROUP),
        CallbackQueryHandler(tapped, pattern=r"^p:(forget|keep)$"),
    ]
