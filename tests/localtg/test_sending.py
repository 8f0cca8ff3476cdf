"""sendMessage, editing, deleting: what a chat accepts and what it refuses, in Telegram's words."""

from __future__ import annotations

import json

import pytest
import telegram
from telegram import InlineKeyboardButton as Button
from telegram import InlineKeyboardMarkup, LinkPreviewOptions, ReplyParameters
from telegram.constants import ChatAction, ParseMode
from telegram.error import BadRequest, Forbidden

from codemojex.localtg import EventKind, LocalTelegram, Person
from tests.localtg.conftest import Call


@pytest.fixture(autouse=True)
async def chat(ada: Person) -> int:
    """Ada's private chat: it exists because she wrote."""
    await ada.send("/start")
    return ada.id


async def test_a_message_reaches_the_person_with_everything_the_bot_set(
    ada: Person, bot: telegram.Bot, chat: int
) -> None:
    # given
    start = ada.messages[0].message_id
    keyboard = InlineKeyboardMarkup([[Button("go", callback_data="g"), Button("web", url="https://x.org/")]])

    # when
    sent = await bot.send_message(
        chat,
        "<b>Hi</b> there",
        parse_mode=ParseMode.HTML,
        reply_markup=keyboard,
        reply_parameters=ReplyParameters(start),
        disable_notification=True,
        protect_content=True,
        link_preview_options=LinkPreviewOptions(is_disabled=True),
    )

    # then
    (event,) = ada.inbox
    assert event.kind is EventKind.MESSAGE
    assert event.flag
    assert event.message is not None
    assert (event.text, event.message_id) == ("Hi there", sent.message_id)
    assert event.message.entities == [{"type": "bold", "offset": 0, "length": 2}]
    assert event.message.keyboard[0][0] == {"text": "go", "callback_data": "g"}
    assert sent.reply_to_message is not None
    assert sent.reply_to_message.text == "/start"
    assert sent.has_protected_content
    assert sent.reply_markup == keyboard


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "message text is empty"),
        (" \n\u200b\u2060 ", "message text is empty"),
        ("x" * 4097, "message is too long"),
        ("🍎" * 4097, "message is too long"),
        ("<b>a</b> " * 101, "message has 101 entities"),
    ],
)
async def test_a_text_beyond_the_limits_is_refused(
    ada: Person, bot: telegram.Bot, chat: int, text: str, why: str
) -> None:
    with pytest.raises(BadRequest, match=f"(?i){why}"):
        await bot.send_message(chat, text, parse_mode=ParseMode.HTML)
    assert ada.inbox == []


async def test_markup_does_not_count_towards_the_length(bot: telegram.Bot, chat: int) -> None:
    sent = await bot.send_message(chat, f"<b>{'&lt;' * 4096}</b>", parse_mode=ParseMode.HTML)
    assert sent.text == "<" * 4096


async def test_a_stranger_is_not_found_and_a_blocker_forbids(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot, chat: int
) -> None:
    # given
    stranger = tg.person("Bo")

    # when / then
    with pytest.raises(BadRequest, match="Chat not found"):
        await bot.send_message(stranger.id, "hello?")
    await ada.block()
    with pytest.raises(Forbidden, match="bot was blocked by the user"):
        await bot.send_message(chat, "hello?")
    await ada.unblock()
    await bot.send_message(chat, "hello!")
    assert [event.text for event in ada.inbox] == ["hello!"]


@pytest.mark.parametrize(
    ("button", "why"),
    [
        ({"text": "x", "callback_data": "д" * 33}, "BUTTON_DATA_INVALID"),
        ({"text": "x", "callback_data": ""}, "BUTTON_DATA_INVALID"),
        ({"text": "x"}, "Text buttons are unallowed"),
        ({"text": "", "callback_data": "a"}, 'Field "text" must be a non-empty String'),
        ({"text": "x", "pay": True}, 'does not model inline buttons with "pay"'),
    ],
)
async def test_a_bad_button_is_refused(call: Call, chat: int, button: dict[str, object], why: str) -> None:
    markup = json.dumps({"inline_keyboard": [[button]]})
    status, body = await call("sendMessage", chat_id=chat, text="x", reply_markup=markup)
    assert status == 400
    assert why in body["description"]


async def test_callback_data_of_64_bytes_is_kept(bot: telegram.Bot, chat: int) -> None:
    markup = InlineKeyboardMarkup([[Button("x", callback_data="д" * 32)]])
    sent = await bot.send_message(chat, "x", reply_markup=markup)
    assert sent.reply_markup == markup


async def test_an_edit_is_seen_and_an_empty_one_is_not_modified(
    ada: Person, bot: telegram.Bot, chat: int
) -> None:
    # given
    markup = InlineKeyboardMarkup([[Button("x", callback_data="1")]])
    sent = await bot.send_message(chat, "board", reply_markup=markup)

    # when
    with pytest.raises(BadRequest, match="Message is not modified: specified new message content"):
        await sent.edit_text("board", reply_markup=markup)
    edited = await sent.edit_text("board 2")

    # then
    assert isinstance(edited, telegram.Message)
    assert edited.edit_date is not None
    assert edited.reply_markup is None
    assert [event.kind for event in ada.inbox] == [EventKind.MESSAGE, EventKind.EDITED]
    assert ada.messages[-1].text == "board 2"
    with pytest.raises(BadRequest, match="not modified"):
        await sent.edit_reply_markup(None)
    await sent.edit_reply_markup(markup)
    assert ada.messages[-1].keyboard[0][0]["callback_data"] == "1"


async def test_only_messages_of_the_bot_that_exist_can_be_edited(
    ada: Person, bot: telegram.Bot, chat: int
) -> None:
    with pytest.raises(BadRequest, match="Message to edit not found"):
        await bot.edit_message_text("x", chat, 99)
    with pytest.raises(BadRequest, match="Message can't be edited"):
        await bot.edit_message_text("x", chat, ada.messages[0].message_id)


async def test_a_deleted_message_is_gone(ada: Person, bot: telegram.Bot, chat: int) -> None:
    # given
    sent = await bot.send_message(chat, "soon gone")

    # when
    assert await sent.delete()

    # then
    assert ada.inbox[-1].kind is EventKind.DELETED
    assert [message.text for message in ada.messages] == ["/start"]
    with pytest.raises(BadRequest, match="Message to delete not found"):
        await sent.delete()
    with pytest.raises(BadRequest, match="Message to be replied not found"):
        await bot.send_message(chat, "re", reply_to_message_id=sent.message_id)
    lenient = ReplyParameters(sent.message_id, allow_sending_without_reply=True)
    assert (await bot.send_message(chat, "re", reply_parameters=lenient)).reply_to_message is None


async def test_a_chat_action_is_seen(ada: Person, bot: telegram.Bot, chat: int) -> None:
    await bot.send_chat_action(chat, ChatAction.TYPING)
    assert (ada.inbox[-1].kind, ada.inbox[-1].detail) == (EventKind.ACTION, "typing")
    with pytest.raises(BadRequest, match="rong parameter action"):
        await bot.send_chat_action(chat, "dancing")


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"colour": "red"}, 'knows no parameter "colour" of sendMessage'),
        ({"parse_mode": "MarkdownV2"}, 'does not model parse_mode "MarkdownV2"'),
        ({"parse_mode": "BBCode"}, "unsupported parse_mode"),
        ({"message_thread_id": 7}, "message thread not found"),
        ({"reply_parameters": '{"message_id": 1, "quote": "a"}'}, 'knows no field "quote"'),
        ({"reply_markup": '{"keyboard": []}'}, 'does not model reply markup with "keyboard"'),
        ({"reply_markup": "not json"}, "can't parse reply markup JSON object"),
        ({"entities": '[{"type": "bold", "offset": 0, "length": 9}]'}, "ENTITY_BOUNDS_INVALID"),
        ({"disable_notification": "maybe"}, 'parameter "disable_notification" must be a Boolean'),
    ],
)
async def test_what_is_not_modelled_is_refused_and_logged(
    tg: LocalTelegram, call: Call, chat: int, more: dict[str, str], why: str
) -> None:
    status, body = await call("sendMessage", chat_id=chat, text="x", **more)
    assert status == 400
    assert why in body["description"]
    last = tg.requests[-1]
    assert (last.method, last.status) == ("sendMessage", 400)
    assert set(more) <= set(last.params)
