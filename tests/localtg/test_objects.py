"""Every object the local Telegram emits is one aiogram's types accept, with nothing they do not know."""

from __future__ import annotations

from typing import Any

import aiogram.types as types
import pytest
import telegram
from aiogram.methods import GetChat, GetMe, GetWebhookInfo
from pydantic import BaseModel, TypeAdapter
from telegram import InlineKeyboardButton as Button
from telegram import InlineKeyboardMarkup, LinkPreviewOptions, ReplyParameters

from codemojex.localtg import LocalTelegram, Person
from tests.localtg.conftest import Call

_RICH = (
    "<b>b<i>i</i></b> <u>u</u> <s>s</s> <tg-spoiler>x</tg-spoiler> <code>c</code> /new"
    ' <a href="https://x.org">l</a> <a href="tg://user?id={id}">m</a>'
    '<pre><code class="language-lua">p</code></pre><blockquote expandable>q</blockquote>'
)


def _strict(found: Any, where: str = "") -> None:
    """No field anywhere that the types do not declare."""
    if isinstance(found, BaseModel):
        assert not found.model_extra, f"{where}: {found.model_extra}"
        for name in type(found).model_fields:
            _strict(getattr(found, name), f"{where}.{name}")
    elif isinstance(found, list | tuple):
        for item in found:
            _strict(item, f"{where}[]")


async def _everything(tg: LocalTelegram, ada: Person, bot: telegram.Bot) -> None:
    """One of everything people and bots can do."""
    start = await ada.send("/start 🍎")
    await bot.set_my_commands([("new", "Start a game")])
    keyboard = InlineKeyboardMarkup([[Button("x", callback_data="x"), Button("y", url="https://x.org")]])
    sent = await bot.send_message(
        ada.id,
        _RICH.format(id=ada.id),
        parse_mode="HTML",
        reply_markup=keyboard,
        reply_parameters=ReplyParameters(start.message_id),
        protect_content=True,
        link_preview_options=LinkPreviewOptions(is_disabled=True),
    )
    await ada.press(sent.message_id, "x")
    await ada.press(sent.message_id, "x", inaccessible=True)
    await ada.send("re", reply_to=sent.message_id)
    await ada.edit(start, "/help")
    await ada.dice()
    await bot.edit_message_text("plain", ada.id, sent.message_id)
    await bot.edit_message_reply_markup(ada.id, sent.message_id, reply_markup=keyboard)
    await bot.delete_message(ada.id, sent.message_id)
    await ada.block()
    await ada.unblock()


async def test_every_update_and_every_answer_is_valid(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # when
    await _everything(tg, ada, bot)
    await bot.get_updates(timeout=0)
    await bot.get_chat(ada.id)
    await bot.get_webhook_info()
    await bot.get_my_commands()

    # then
    answers = {request.method: request.reply for request in tg.requests if request.reply}
    returning: dict[str, Any] = {
        "getUpdates": list[types.Update],
        "getMe": GetMe.__returning__,
        "getChat": GetChat.__returning__,
        "getWebhookInfo": GetWebhookInfo.__returning__,
        "getMyCommands": list[types.BotCommand],
        "sendMessage": types.Message,
        "editMessageText": types.Message,
        "editMessageReplyMarkup": types.Message,
        "deleteMessage": bool,
        "setMyCommands": bool,
    }
    assert set(answers) == set(returning)
    for method, reply in answers.items():
        found = TypeAdapter(returning[method]).validate_python(reply["result"], strict=False)
        assert found is not None
        _strict(found, method)
    kinds = {kind for update in tg.pending() for kind in update if kind != "update_id"}
    assert kinds == {"message", "edited_message", "callback_query", "my_chat_member"}


async def test_what_telegram_keeps_renders_back_to_the_same_markup(
    ada: Person, bot: telegram.Bot, call: Call
) -> None:
    # given
    await ada.send("/start")
    sent = await bot.send_message(ada.id, _RICH.format(id=ada.id), parse_mode="HTML")

    # when
    again = await bot.send_message(ada.id, sent.text_html, parse_mode="HTML")

    # then
    assert (again.text, again.entities) == (sent.text, sent.entities)


@pytest.mark.parametrize("raw", [{"x": 1}, {"id": "not a number"}])
def test_the_check_itself_can_fail(raw: dict[str, Any]) -> None:
    with pytest.raises((AssertionError, ValueError)):
        _strict(types.User.model_validate({"id": 1, "is_bot": False, "first_name": "A", **raw}))
