"""The feed: numbers without gaps, and each answer under the name of its press."""

from __future__ import annotations

import pytest

from codemojex.localtg import LocalTelegram
from codemojex.web import Crowd
from codemojex.web.acts import Acts
from codemojex.web.feed import Feed
from tests.localtg.conftest import client

BUTTONS = {"inline_keyboard": [[{"text": "a", "callback_data": "1"}, {"text": "b", "callback_data": "2"}]]}


@pytest.fixture
async def crowd():
    async with LocalTelegram() as telegram:
        crowd = Crowd(telegram)
        crowd.settle()
        yield crowd


@pytest.fixture
def feed(crowd):
    return Feed(crowd.telegram)


async def test_entries_are_numbered_and_can_be_had_from_any_number_on(crowd, feed):
    # given
    ada, *_ = crowd.people.values()

    # when
    for number in range(5):
        await ada.send(f"word {number}")

    # then
    assert [entry["n"] for entry in feed.since(0)] == [1, 2, 3, 4, 5]
    assert [entry["message"]["text"] for entry in feed.since(3)] == ["word 3", "word 4"]
    assert feed.since(5) == []


async def test_what_is_no_longer_kept_and_what_never_was_is_no_list(crowd, feed):
    # when
    for _ in range(2_005):
        feed.put("deleted", chat=1, id=1)

    # then
    assert feed.since(4) is None
    assert len(feed.since(5)) == 2_000
    assert feed.since(2_006) is None


async def test_an_answer_has_the_name_of_its_press_in_whatever_order_they_come(crowd, feed):
    # given
    ada, *_ = crowd.people.values()
    acts = Acts(crowd, feed)
    await ada.send("hi")
    async with client(crowd.telegram) as bot:
        said = await bot.send_message(ada.id, "press", reply_markup=BUTTONS)
        body = '{"person": %d, "chat": %d, "message": %d, "data": "%s"}'
        one = await acts.do("press", (body % (ada.id, ada.id, said.message_id, "1")).encode())
        two = await acts.do("press", (body % (ada.id, ada.id, said.message_id, "2")).encode())

        # when
        await bot.answer_callback_query(two["press"], "second")
        await bot.answer_callback_query(one["press"], "first", show_alert=True)
        await bot.answer_callback_query(one["press"], "once more")

    # then
    answers = [entry for entry in feed.since(0) if entry["kind"] == "answer"]
    assert [(each["press"], each["text"], each["alert"]) for each in answers] == [
        (two["press"], "second", False),
        (one["press"], "first", True),
    ]


async def test_a_button_that_an_edit_took_away_meanwhile_can_still_be_pressed(crowd, feed):
    # given
    ada, *_ = crowd.people.values()
    acts = Acts(crowd, feed)
    await ada.send("hi")
    async with client(crowd.telegram) as bot:
        said = await bot.send_message(ada.id, "press", reply_markup=BUTTONS)
        await said.edit_text("over")

    # when
    body = f'{{"person": {ada.id}, "chat": {ada.id}, "message": {said.message_id}, "data": "2"}}'
    await acts.do("press", body.encode())

    # then
    assert crowd.telegram.pending()[-1]["callback_query"]["data"] == "2"


async def test_who_comes_into_a_group_is_told_with_the_whole_group(crowd, feed):
    # given
    group = next(iter(crowd.groups.values()))

    # when
    dee = crowd.meet()
    crowd.join(dee)

    # then
    chats = [entry["chat"] for entry in feed.since(0) if entry["kind"] == "chat"]
    assert dee.id in chats[-1]["members"]
    assert chats[-1]["id"] == group.id
    service = [entry["message"].get("service") for entry in feed.since(0) if entry["kind"] == "message"]
    assert service == ["Ada added Dee"]
