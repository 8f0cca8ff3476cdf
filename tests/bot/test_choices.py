"""Settings and privacy: of people, and of groups, where admins choose."""

from __future__ import annotations

import json

import pytest

from codemojex.bot.handlers.preferences import read_setting
from codemojex.game.keyboards import Mode
from codemojex.game.refusals import NotASetting
from codemojex.store import schema
from tests.bot.desk import ADA, BO, FRUIT, NEAR, SECRET
from tests.play.makers import rows

RUSSIAN = {"id": ADA, "is_bot": False, "first_name": "Ада", "language_code": "ru-RU"}


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        ("language en", {"locale": "en"}),
        ("LANGUAGE Ru", {"locale": "ru"}),
        ("language auto", {"locale": None}),
        ("mode Pegs", {"mode": Mode.PEGS}),
    ],
)
def test_two_words_are_a_setting(words, chosen):
    assert read_setting(words.split()) == chosen


@pytest.mark.parametrize(
    "words", ["", "language", "mode", "mode hard", "language xx", "language en ru", "a b c"]
)
def test_other_words_set_nothing(words):
    with pytest.raises(NotASetting):
        read_setting(words.split())


async def test_the_usual_mode_is_that_of_the_next_game(desk):
    # when
    await desk.private(ADA, "/settings mode blind", "/new", "/giveup", "/new pegs")

    # then
    assert [game.mode for game in await desk.games()] == ["blind", "pegs"]


async def test_a_chosen_language_is_spoken_at_once_and_from_then_on(desk):
    # when
    await desk.private(ADA, "/settings language ru", "/ping")
    await desk.private(ADA, "/ping")

    # then
    said = await desk.hears(ADA)
    assert "Русский" in said[0]
    assert "I'm here" not in said[2]

    # and: a button goes back to what Telegram tells
    toast = await desk.tap(ADA, "s:language:auto")
    assert "English" in toast


async def test_the_first_message_of_a_person_is_answered_in_their_language(desk):
    # given
    update = desk.message(ADA, "/start")
    update["message"]["from"] = RUSSIAN

    # when
    await desk.take(update)

    # then
    assert "Привет" in json.loads((await desk.notices(ADA))[0].data)["text"]


async def test_settings_have_buttons_for_who_may_choose(desk):
    # when: in a group, Ada is an admin
    desk.admins[FRUIT] = [ADA]
    await desk.group(ADA, "/settings")
    await desk.group(BO, "/settings")
    await desk.private(BO, "/settings")

    # then
    assert ["markup" in json.loads(row.data) for row in await desk.notices()] == [True, False, True]


async def test_only_admins_choose_for_a_group(desk):
    # given
    desk.admins[FRUIT] = [ADA]
    await desk.group(BO, "/settings")

    # when
    await desk.group(BO, "/settings mode pegs")
    refused = await desk.last(FRUIT)
    toast = await desk.tap(BO, "s:mode:blind", FRUIT)
    nothing = (await rows(desk.store, schema.chats))[0].mode
    await desk.group(ADA, "/settings mode pegs")
    await desk.tap(ADA, "s:language:ru", FRUIT)

    # then
    assert "admins" in refused
    assert "admins" in toast
    assert nothing is None
    [chat] = await rows(desk.store, schema.chats)
    assert (chat.mode, chat.locale) == ("pegs", "ru")


async def test_nobody_chooses_for_somebody_else(desk):
    # given
    await desk.private(ADA, "/start")

    # when
    await desk.tap(BO, "s:mode:pegs", ADA)

    # then
    assert [row.mode for row in await rows(desk.store, schema.players) if row.id == ADA] == [None]


async def test_a_group_speaks_the_language_of_who_opened_its_first_game(desk):
    # given
    update = desk.message(ADA, "/new", FRUIT)
    update["message"]["from"] = RUSSIAN

    # when
    await desk.take(update)
    await desk.group(BO, "/ping")

    # then
    assert (await rows(desk.store, schema.chats))[0].locale == "ru"
    assert "I'm here" not in json.loads((await desk.notices(FRUIT))[-1].data)["text"]


async def test_everything_stored_about_a_person_is_handed_over_as_a_file(desk):
    # when
    await desk.private(ADA, "/new", NEAR, "/privacy export")

    # then
    [document] = [row for row in await desk.notices(ADA) if row.kind == "document"]
    data = json.loads(document.data)
    assert data["name"].endswith(".json")
    assert NEAR in data["content"]
    assert json.loads(data["content"])


@pytest.mark.parametrize("how", ["/privacy forget yes", "button"])
async def test_a_forgotten_person_leaves_guesses_without_a_name(desk, how):
    # given
    await desk.private(ADA, "/new", NEAR)
    await desk.private(ADA, "/privacy forget")
    asked = json.loads((await desk.notices(ADA))[-1].data)
    data = [button["callback_data"] for button in asked["markup"]["inline_keyboard"][0]]

    # when
    if how == "button":
        await desk.tap(ADA, data[0])
    else:
        await desk.private(ADA, how)

    # then
    assert [row.id < 0 for row in await rows(desk.store, schema.players)] == [True]
    assert await desk.guesses() == [NEAR]
    assert (await desk.games())[0].state == "closed"


async def test_a_person_who_keeps_everything_is_not_forgotten(desk):
    # when
    await desk.private(ADA, "/new", NEAR, "/privacy forget")
    said = await desk.tap(ADA, "p:keep")

    # then
    assert "Nothing was deleted" in said
    assert [row.id for row in await rows(desk.store, schema.players)] == [ADA]


async def test_nobody_forgets_somebody_else(desk):
    # given
    await desk.private(ADA, "/start")

    # when
    await desk.tap(BO, "p:forget", ADA)

    # then
    assert [row.id for row in await rows(desk.store, schema.players)] == [ADA]


async def test_who_comes_back_begins_anew_in_the_same_batch(desk):
    # when
    await desk.private(ADA, "/new", NEAR, "/privacy forget yes", "/new", SECRET)

    # then
    assert await desk.guesses() == [NEAR, SECRET]
    assert sorted(row.id > 0 for row in await rows(desk.store, schema.players)) == [False, True]
    assert await rows(desk.store, schema.poison) == []
