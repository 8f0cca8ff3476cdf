"""A message as a request to Telegram: text sent, text edited, or a document.

Texts are most of what a bot sends. They go through python-telegram-bot's requests, with its errors, but not through its
objects: making a `Message` of each answer costs more than the request, and all that is wanted of it is a number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from telegram import Bot, InputFile, ReplyParameters
from telegram.constants import ParseMode
from telegram.request import RequestData

from codemojex.notices.outgoing import Document, Outgoing
from codemojex.texts.markup import plain

_NO_PREVIEW = '{"is_disabled":true}'


class Form:
    """Parameters of a request, as text: what a `BaseRequest` reads of a `RequestData`."""

    contains_files = False
    multipart_data: Mapping[str, Any] = {}

    def __init__(self, parameters: Mapping[str, str]) -> None:
        self.json_parameters = parameters


async def request(bot: Bot, message: Outgoing, limit_s: float, *, markup: bool = True) -> int | None:
    """Hand ``message`` to Telegram; the id of the message it became.

    Args:
        limit_s: seconds.
        markup: False says its text without bold and links.

    Raises:
        telegram.error.TelegramError: as any call of python-telegram-bot.
    """
    said = message.text if markup else plain(message.text)
    if message.document is not None:
        return await _send_document(bot, message, message.document, said, limit_s, markup=markup)
    form = {"chat_id": str(message.chat_id), "text": said, "link_preview_options": _NO_PREVIEW}
    if markup:
        form["parse_mode"] = ParseMode.HTML
    if message.markup:
        form["reply_markup"] = json.dumps(message.markup)
    if message.edits is None:
        method = "sendMessage"
        form |= _place(message)
    else:
        method, form["message_id"] = "editMessageText", str(message.edits)
    data = cast(RequestData, Form(form))
    result = await bot.request.post(f"{bot.base_url}/{method}", data, **_waits(limit_s))
    # Telegram answers True where an edit has no message to show.
    number = result.get("message_id") if isinstance(result, dict) else None
    return number if isinstance(number, int) else message.edits


async def _send_document(
    bot: Bot, message: Outgoing, document: Document, said: str, limit_s: float, *, markup: bool
) -> int:
    how = _waits(limit_s) | {"parse_mode": ParseMode.HTML if markup else None}
    if message.markup:
        how["api_kwargs"] = {"reply_markup": message.markup}
    reply = message.reply_to
    how |= {
        "message_thread_id": message.thread_id or None,
        "reply_parameters": ReplyParameters(reply, allow_sending_without_reply=True) if reply else None,
    }
    file = InputFile(document.content, filename=document.name)
    return (await bot.send_document(message.chat_id, file, caption=said or None, **how)).message_id


def _waits(limit_s: float) -> dict[str, Any]:
    # A connection that is not established in half the time is known not to have carried anything.
    early, late = limit_s / 2, limit_s
    return {"connect_timeout": early, "pool_timeout": early, "read_timeout": late, "write_timeout": late}


def _place(message: Outgoing) -> dict[str, str]:
    found = {"message_thread_id": str(message.thread_id)} if message.thread_id else {}
    if message.reply_to:
        reply = {"message_id": message.reply_to, "allow_sending_without_reply": True}
        found["reply_parameters"] = json.dumps(reply)
    return found
