"""How tests and pages follow a chat: what stands there now, what happened, and what comes next."""

from __future__ import annotations

import asyncio

import pytest
import telegram
from telegram import InlineKeyboardButton as Button
from telegram import InlineKeyboardMarkup

from codemojex.localtg import CannotDo, EventKind, Group, LocalTelegram, Person

KEYBOARD = InlineKeyboardMarkup([[Button("✅", callback_data="g:1:submit:-")]])


async def test_an_edited_message_is_the_same_one_with_a_history(
    ada: Person, fruit: Group, bot: telegram.Bot
) -> None:
    # given
    board = await bot.send_message(fruit.id, "board")

    # when
    await board.edit_text("board: Ada 420")
    await board.edit_text("board: Ada 480")

    # then
    assert (await fruit.wait_for("480")).message_id == board.message_id
    assert [message.text for message in fruit.messages] == ["board: Ada 480"]
    assert [message.text for message in fruit.history(board.message_id)] == [
        "board",
        "board: Ada 420",
        "board: Ada 480",
    ]
    with pytest.raises(TimeoutError):  # judged by what it says now
        await fruit.wait_for(lambda message: "420" in message.text, timeout_s=0.05)


async def test_waiting_ends_as_soon_as_the_message_says_it(fruit: Group, bot: telegram.Bot) -> None:
    waiting = asyncio.create_task(fruit.wait_for("new"))
    await bot.send_message(fruit.id, "old")
    sent = await bot.send_message(fruit.id, "brand new")
    assert (await waiting).message_id == sent.message_id


async def test_waiting_in_vain_says_what_stands_there(ada: Person, fruit: Group, bot: telegram.Bot) -> None:
    await bot.send_message(fruit.id, "something else")
    await ada.say(fruit, "never said by the bot")
    with pytest.raises(TimeoutError, match=r"Fruit did not show it .* \['something else'\]"):
        await fruit.wait_for("never said", timeout_s=0.05)


async def test_a_page_follows_everything_that_happens_anywhere(
    tg: LocalTelegram, ada: Person, fruit: Group, bot: telegram.Bot
) -> None:
    # given
    stream = tg.events()

    # when
    said = await ada.say(fruit, "/new")
    await bot.send_message(fruit.id, "board")
    await ada.edit(said, "/help")
    await ada.react(said, "👍")
    await ada.delete(said)
    await ada.send("in private")

    # then
    events = [await anext(stream) for _ in range(6)]
    assert [(event.kind, event.by, event.chat_id) for event in events] == [
        (EventKind.MESSAGE, ada.id, fruit.id),
        (EventKind.MESSAGE, None, fruit.id),
        (EventKind.EDITED, ada.id, fruit.id),
        (EventKind.REACTION, ada.id, fruit.id),
        (EventKind.DELETED, ada.id, fruit.id),
        (EventKind.MESSAGE, ada.id, ada.id),
    ]


async def test_what_people_do_is_not_in_the_inbox(ada: Person, fruit: Group, bot: telegram.Bot) -> None:
    await ada.say(fruit, "/new")
    await bot.send_message(fruit.id, "board")
    assert [event.text for event in fruit.inbox] == ["board"]
    assert ada.inbox == []


async def test_an_answer_is_seen_by_the_one_who_pressed(
    tg: LocalTelegram, ada: Person, bo: Person, fruit: Group, bot: telegram.Bot
) -> None:
    # given
    stream = tg.events()
    await bot.send_message(fruit.id, "board", reply_markup=KEYBOARD)

    # when
    first = await ada.press(await fruit.wait_for("board"), "✅")
    second = await ada.press(await fruit.wait_for("board"), "g:1:submit:-")
    await bot.answer_callback_query(first, "sent")
    await bot.answer_callback_query(second)

    # then
    queries = [update.callback_query for update in await bot.get_updates(timeout=0)]
    assert [(query.data, query.from_user.id) for query in queries if query] == [("g:1:submit:-", ada.id)] * 2
    assert len({query.chat_instance for query in queries if query}) == 1
    assert [(event.kind, event.text, event.chat_id) for event in ada.inbox] == [
        (EventKind.ANSWER, "sent", fruit.id),
        (EventKind.ANSWER, "", fruit.id),
    ]
    assert (bo.inbox, [event.kind for event in fruit.inbox]) == ([], [EventKind.MESSAGE])
    assert [(await anext(stream)).to for _ in range(3)] == [None, ada.id, ada.id]


async def test_a_button_that_was_seen_can_be_pressed_after_an_edit_took_it_away(
    ada: Person, fruit: Group, bot: telegram.Bot
) -> None:
    # given
    sent = await bot.send_message(fruit.id, "board", reply_markup=KEYBOARD)
    seen = await fruit.wait_for("board")

    # when
    await sent.edit_text("the end")
    await ada.press(seen, "✅")

    # then
    query = (await bot.get_updates(timeout=0))[-1].callback_query
    assert query is not None
    assert isinstance(query.message, telegram.Message)
    assert (query.data, query.message.text) == ("g:1:submit:-", "the end")
    with pytest.raises(CannotDo, match="has no button"):
        await ada.press(sent.message_id, "✅", where=fruit)


async def test_a_stranger_presses_nothing(tg: LocalTelegram, fruit: Group, bot: telegram.Bot) -> None:
    await bot.send_message(fruit.id, "board", reply_markup=KEYBOARD)
    with pytest.raises(CannotDo, match="Cy is not in Fruit"):
        await tg.person("Cy").press(await fruit.wait_for("board"), "✅")
