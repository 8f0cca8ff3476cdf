"""The bot's identity, its commands, its callbacks, and who may call at all."""

from __future__ import annotations

import json

import httpx
import pytest
import telegram
from telegram import BotCommand, BotCommandScopeAllPrivateChats, InlineKeyboardMarkup
from telegram import InlineKeyboardButton as Button
from telegram.error import BadRequest, InvalidToken

from codemojex.localtg import CannotDo, EventKind, LocalTelegram, Person
from tests.localtg.conftest import Call, client


async def test_the_bot_knows_itself(tg: LocalTelegram, bot: telegram.Bot) -> None:
    me = await bot.get_me()
    assert (str(me.id), me.username, me.is_bot) == (tg.token.partition(":")[0], "codemojex_bot", True)
    assert me.can_read_all_group_messages is False


async def test_a_wrong_token_is_unauthorized_and_a_malformed_one_not_found(tg: LocalTelegram) -> None:
    wrong = f"{tg.token[:-3]}xyz"
    for token in (wrong, "12:34"):
        with pytest.raises(InvalidToken):
            async with client(tg, token):
                pass
    assert [request.status for request in tg.requests] == [401, 404]


async def test_an_unknown_method_is_refused_and_logged(tg: LocalTelegram, call: Call) -> None:
    assert await call("sendTelepathy", chat_id=1) == (
        404,
        {"ok": False, "error_code": 404, "description": "Not Found: method not found"},
    )
    assert (tg.requests[-1].method, tg.requests[-1].status) == ("sendTelepathy", 404)


async def test_the_log_never_holds_the_token(tg: LocalTelegram, ada: Person, call: Call) -> None:
    # given
    await ada.send("hi")
    secret = tg.token.partition(":")[2]

    # when
    await call("sendMessage", chat_id=ada.id, text=f"my token is {tg.token}")
    await call("sendMessage", **{"chat_id": ada.id, "text": "x", f"f{tg.token}": "y"})
    async with httpx.AsyncClient() as client:
        await client.get(f"{tg.url}/botx/{tg.token}")

    # then
    assert len(tg.requests) == 3
    assert ada.inbox[0].text == f"my token is {tg.token}"
    assert secret not in repr(tg.requests)


async def test_method_names_and_bodies_are_read_as_telegram_reads_them(
    tg: LocalTelegram, ada: Person
) -> None:
    # given
    await ada.send("hi")
    root = f"{tg.url}/bot{tg.token}"
    message: dict[str, str | int] = {"chat_id": ada.id, "text": "a & b"}

    # when
    async with httpx.AsyncClient() as client:
        answers = [
            await client.post(f"{root}/SENDMESSAGE", json=message),
            await client.post(f"{root}/sendMessage", data=message),
            await client.post(f"{root}/sendMessage", files={k: (None, str(v)) for k, v in message.items()}),
            await client.get(f"{root}/sendMessage", params=message),
        ]
        bad = [
            await client.post(
                f"{root}/sendMessage", content=b"[1]", headers={"content-type": "application/json"}
            ),
            await client.post(f"{root}/sendMessage", files={"text": ("a.txt", b"x")}),
        ]

    # then
    assert [answer.json()["result"]["text"] for answer in answers] == ["a & b"] * 4
    assert [answer.status_code for answer in bad] == [400, 400]


async def test_commands_are_kept_per_scope_and_language(bot: telegram.Bot) -> None:
    # given
    new, russian = BotCommand("new", "Start a game"), BotCommand("new", "Новая игра")
    scope = BotCommandScopeAllPrivateChats()

    # when
    await bot.set_my_commands([new])
    await bot.set_my_commands([russian], scope=scope, language_code="ru")

    # then
    assert await bot.get_my_commands() == (new,)
    assert await bot.get_my_commands(scope=scope, language_code="ru") == (russian,)
    assert await bot.get_my_commands(scope=scope) == ()
    await bot.delete_my_commands()
    assert await bot.get_my_commands() == ()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ({"command": "New", "description": "x"}, "BOT_COMMAND_INVALID"),
        ({"command": "новая", "description": "x"}, "BOT_COMMAND_INVALID"),
        ({"command": "x" * 33, "description": "x"}, "BOT_COMMAND_INVALID"),
        ({"command": "new", "description": ""}, "BOT_COMMAND_DESCRIPTION_INVALID"),
        ({"command": "new", "description": "x" * 257}, "BOT_COMMAND_DESCRIPTION_INVALID"),
        ({"command": "new", "description": "x", "icon": 1}, 'knows no field "icon" of BotCommand'),
    ],
)
async def test_a_bad_command_is_refused(call: Call, command: dict[str, object], why: str) -> None:
    status, body = await call("setMyCommands", commands=json.dumps([command]))
    assert status == 400
    assert why in body["description"]


async def test_a_pressed_button_is_answered_once_to_the_person(ada: Person, bot: telegram.Bot) -> None:
    # given
    await ada.send("/start")
    sent = await bot.send_message(
        ada.id, "board", reply_markup=InlineKeyboardMarkup([[Button("⌫", callback_data="g:42:back:3")]])
    )

    # when
    await ada.press(sent.message_id, "⌫")
    query = (await bot.get_updates(offset=-1, timeout=0))[0].callback_query
    assert query is not None
    await query.answer("Erased", show_alert=True)
    await query.answer("again")

    # then
    assert (query.data, query.from_user.id) == ("g:42:back:3", ada.id)
    assert isinstance(query.message, telegram.Message)
    answers = [event for event in ada.inbox if event.kind is EventKind.ANSWER]
    assert [(event.text, event.flag) for event in answers] == [("Erased", True)]
    with pytest.raises(BadRequest, match=r"(?i)message_too_long"):
        await bot.answer_callback_query(query.id, "x" * 201)
    with pytest.raises(BadRequest, match="Query is too old and response timeout expired"):
        await bot.answer_callback_query("12345")


async def test_a_button_of_an_old_message_carries_no_text_and_may_expire(
    ada: Person, bot: telegram.Bot
) -> None:
    # given
    await ada.send("/start")
    sent = await bot.send_message(
        ada.id, "board", reply_markup=InlineKeyboardMarkup([[Button("go", callback_data="go")]])
    )

    # when
    await ada.press(sent.message_id, "go", inaccessible=True, expired=True)

    # then
    query = (await bot.get_updates(offset=-1, timeout=0))[0].callback_query
    assert query is not None
    # The stock client makes a Message of it even so; only is_accessible tells.
    assert query.message is not None
    assert not query.message.is_accessible
    assert getattr(query.message, "text", None) is None
    with pytest.raises(BadRequest, match="Query is too old"):
        await query.answer()
    with pytest.raises(CannotDo, match="has no button 'stop'"):
        await ada.press(sent.message_id, "stop")


async def test_a_chat_is_described(ada: Person, bot: telegram.Bot) -> None:
    await ada.send("hi")
    chat = await bot.get_chat(ada.id)
    assert (chat.type, chat.first_name, chat.username) == ("private", "Ada", "ada_l")
