"""What simulated people can do, and that it is no more than a Telegram client could."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
import telegram

from codemojex.localtg import CannotDo, LocalTelegram, Person


async def test_a_text_arrives_with_its_sender_date_and_commands(ada: Person, bot: telegram.Bot) -> None:
    # given
    at = datetime(2027, 3, 28, 0, 59, 59, tzinfo=UTC)

    # when
    sent = await ada.send("  🍎 /new@codemojex_bot\n", at=at)

    # then
    message = (await bot.get_updates(timeout=0))[0].message
    assert message is not None
    assert message.text == sent.text == "🍎 /new@codemojex_bot"
    assert message.date == at
    assert message.from_user is not None
    assert (message.from_user.id, message.from_user.language_code) == (ada.id, "en")
    assert list(message.parse_entities().values()) == ["/new@codemojex_bot"]
    assert ada.id > 2**32


async def test_a_lone_dice_emoji_arrives_as_dice_without_text(ada: Person, bot: telegram.Bot) -> None:
    await ada.send("🎯")
    await ada.send("⚽\ufe0f")
    await ada.dice("🎰", value=64)
    messages = [update.message for update in await bot.get_updates(timeout=0)]
    assert [message.text for message in messages if message] == [None] * 3
    dice = [message.dice for message in messages if message and message.dice]
    assert [each.emoji for each in dice] == ["🎯", "⚽", "🎰"]
    assert dice[2].value == 64


async def test_an_edit_arrives_as_an_edited_message(ada: Person, bot: telegram.Bot) -> None:
    said = await ada.send("/new")
    await ada.edit(said, "new")
    edited = (await bot.get_updates(timeout=0))[1].edited_message
    assert edited is not None
    assert (edited.message_id, edited.text, edited.entities) == (said.message_id, "new", ())
    assert edited.edit_date is not None


async def test_a_reply_names_the_message(ada: Person, bot: telegram.Bot) -> None:
    await ada.send("hi")
    board = await bot.send_message(ada.id, "board")
    await ada.send("🍎", reply_to=board.message_id)
    reply = (await bot.get_updates(offset=-1, timeout=0))[0].message
    assert reply is not None
    assert reply.reply_to_message is not None
    assert reply.reply_to_message.text == "board"


async def test_blocking_is_told_to_the_bot(ada: Person, bot: telegram.Bot) -> None:
    await ada.send("hi")
    await ada.block()
    with pytest.raises(CannotDo, match="unblock it before writing"):
        await ada.send("are you there?")
    await ada.unblock()
    changes = [update.my_chat_member for update in await bot.get_updates(timeout=0)]
    states = [change.new_chat_member.status for change in changes if change]
    assert states == ["kicked", "member"]


async def test_start_carries_a_deep_link_payload(ada: Person, bot: telegram.Bot) -> None:
    assert (await ada.start("join_AB-12")).text == "/start join_AB-12"
    with pytest.raises(CannotDo):
        await ada.start("not a payload")


@pytest.mark.parametrize("text", ["", "  \n ", "\u200b", "x" * 4097])
async def test_what_no_client_sends_cannot_be_sent(tg: LocalTelegram, ada: Person, text: str) -> None:
    with pytest.raises(CannotDo):
        await ada.send(text)
    assert tg.pending() == []


async def test_heard_waits_for_words_and_says_what_came_instead(ada: Person, bot: telegram.Bot) -> None:
    # given
    await ada.send("hi")
    waiting = asyncio.create_task(ada.heard("the answer"))
    stream = ada.events()

    # when
    await bot.send_message(ada.id, "something else")
    await bot.send_message(ada.id, "here is the answer")

    # then
    assert (await waiting).text == "here is the answer"
    assert (await anext(stream)).text == "something else"
    assert (await ada.heard("something")).text == "something else"
    with pytest.raises(TimeoutError, match=r"Ada did not hear it .* heard \['message: here"):
        await ada.heard("never said", since=1, timeout_s=0.05)


async def test_the_same_id_is_the_same_person(tg: LocalTelegram) -> None:
    assert tg.person("Cy", 77) is tg.person("Cy", 77)
    assert tg.person("Cy") is not tg.person("Cy")
