"""Every object the local Telegram emits is one aiogram's types accept, with nothing they do not know."""

from __future__ import annotations

from typing import Any

import aiogram.methods
import aiogram.types as types
import pytest
import telegram
from pydantic import BaseModel, TypeAdapter
from telegram import InlineKeyboardButton as Button
from telegram import InlineKeyboardMarkup, LinkPreviewOptions, ReplyParameters

from codemojex.localtg import LocalTelegram, Person
from codemojex.localtg.methods import METHODS
from codemojex.localtg.updates import KINDS
from tests.localtg.conftest import Call

_RICH = (
    "<b>b<i>i</i></b> <u>u</u> <s>s</s> <tg-spoiler>x</tg-spoiler> <code>c</code> /new"
    ' <a href="https://x.org">l</a> <a href="tg://user?id={id}">m</a>'
    '<pre><code class="language-lua">p</code></pre><blockquote expandable>q</blockquote>'
)
_KEYBOARD = InlineKeyboardMarkup([[Button("x", callback_data="x"), Button("y", url="https://x.org")]])
_UPDATES = {
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "callback_query",
    "my_chat_member",
    "chat_member",
    "message_reaction",
}


def _strict(found: Any, where: str = "") -> None:
    """No field anywhere that the types do not declare."""
    if isinstance(found, BaseModel):
        assert not found.model_extra, f"{where}: {found.model_extra}"
        for name in type(found).model_fields:
            _strict(getattr(found, name), f"{where}.{name}")
    elif isinstance(found, list | tuple):
        for item in found:
            _strict(item, f"{where}[]")


async def _alone(ada: Person, bot: telegram.Bot) -> None:
    """Everything a person and the bot can do in a private chat."""
    start = await ada.send("/start 🍎")
    sent = await bot.send_message(
        ada.id,
        _RICH.format(id=ada.id),
        parse_mode="HTML",
        reply_markup=_KEYBOARD,
        reply_parameters=ReplyParameters(start.message_id),
        protect_content=True,
        link_preview_options=LinkPreviewOptions(is_disabled=True),
    )
    await bot.answer_callback_query(await ada.press(sent.message_id, "x"), "seen", show_alert=True)
    await ada.press(sent.message_id, "x", inaccessible=True)
    await ada.send("re", reply_to=sent.message_id)
    await ada.edit(start, "/help")
    await ada.dice()
    await ada.react(sent.message_id, "🔥", "👍")
    await bot.set_message_reaction(ada.id, start.message_id, "🔥")
    await bot.send_chat_action(ada.id, "typing")
    await bot.send_document(ada.id, b"{}", filename="you.json", caption="<b>you</b>", parse_mode="HTML")
    await bot.edit_message_text("plain", ada.id, sent.message_id)
    await bot.edit_message_reply_markup(ada.id, sent.message_id, reply_markup=_KEYBOARD)
    await bot.delete_message(ada.id, sent.message_id)
    await ada.block()
    await ada.unblock()


async def _together(tg: LocalTelegram, ada: Person, bot: telegram.Bot) -> None:
    """Everything that can happen in groups and channels."""
    bo = tg.person("Bo")
    fruit = tg.group("Fruit", [bo], [ada])
    board = await bot.send_message(fruit.id, "board", reply_markup=_KEYBOARD)
    await bo.press(board.message_id, "x", where=fruit)
    fruit.promote_bot()
    fruit.promote(bo)
    said = await bo.say(fruit, "hm", reply_to=board.message_id)
    await ada.forward(said, fruit)
    await ada.forward(said, hidden=True)
    await ada.react(said, "👍")
    fruit.leave(bo)
    fruit.join(bo, by=ada)
    large = fruit.upgrade()
    await ada.say(large, "/new", send_as=large)
    news = tg.channel("News", admins=[ada])
    news.link(large)
    post = await ada.say(news, "a post")
    await ada.edit(post, "a better post")
    await ada.say(large, "/new", send_as=news)
    await ada.forward(large.messages[1])
    await bot.send_message(news.id, "from the bot")
    forum = tg.group("Forum", admins=[ada], forum=True)
    topic = forum.topic("Games")
    said = await ada.say(forum, "/new", topic=topic)
    await bot.send_message(forum.id, "board", message_thread_id=topic.id)
    await ada.say(forum, "/new", reply_to=await ada.say(forum, "general"))
    for member in (ada, bo, tg.person("Cy"), bot):
        await bot.get_chat_member(large.id, member.id)
    await bot.get_chat_administrators(large.id)
    for chat in (ada, large, forum, news):
        await bot.get_chat(chat.id)
    forum.remove_bot()


async def _itself(bot: telegram.Bot) -> None:
    """What the bot does about itself."""
    await bot.set_my_commands([("new", "Start a game")])
    await bot.get_my_commands()
    await bot.delete_my_commands()
    await bot.set_webhook("http://127.0.0.1:9/nobody", max_connections=3, ip_address="127.0.0.1")
    await bot.get_webhook_info()
    await bot.delete_webhook()


async def test_every_update_and_every_answer_to_the_stock_client_is_valid(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # when
    await bot.get_updates(timeout=0, allowed_updates=sorted(KINDS))
    await _alone(ada, bot)
    await _together(tg, ada, bot)
    await bot.get_updates(timeout=0)
    await _itself(bot)

    # then
    by_name = {name.lower(): getattr(aiogram.methods, name) for name in aiogram.methods.__all__}
    answered = [request for request in tg.requests if request.reply is not None]
    assert {request.status for request in answered} == {200}
    assert {request.method.lower() for request in answered} == set(METHODS)
    for request in answered:
        assert request.reply is not None
        returning = by_name[request.method.lower()].__returning__
        found = TypeAdapter(returning).validate_python(request.reply["result"], strict=False)
        assert found is not None
        _strict(found, request.method)
    kinds = {kind for update in tg.pending() for kind in update if kind != "update_id"}
    assert kinds == _UPDATES
    assert len(tg.pending()) == len(await bot.get_updates(timeout=0))


async def test_every_carried_update_is_one_the_types_read(tg: LocalTelegram, ada: Person) -> None:
    """The stock client reads each of them too, and finds a chat in it."""

    # given
    fruit = tg.group("Fruit", admins=[ada])
    fruit.upgrade()

    # when / then
    for update in tg.pending():
        _strict(types.Update.model_validate(update))
        read = telegram.Update.de_json(update, None)
        assert read.effective_chat is not None


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
