"""Which messages are guesses: in private nearly everything of emojis, in a group what is meant for its game."""

from __future__ import annotations

import pytest

from tests.bot.desk import ADA, BO, BOT_ID, FRUIT, MISS, NEAR, SECRET

REPLIED = {
    "message_id": 90,
    "date": 1,
    "chat": {"id": FRUIT, "type": "supergroup", "title": "Fruit"},
    "from": {"id": BOT_ID, "is_bot": True, "first_name": "codemojex"},
}
FORWARDED = {"forward_origin": {"type": "hidden_user", "date": 1, "sender_user_name": "Zoë"}}


async def test_six_emojis_in_private_are_a_guess(desk):
    # when
    await desk.private(ADA, "/new", SECRET, f"/guess {NEAR}")

    # then
    assert await desk.guesses() == [SECRET, NEAR]
    assert len(desk.queued) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("🍎🍌", "I count 2"),
        ("/guess", "nothing in your guess"),
        ("/guess hello", "I count 5"),
        ("🍎🍎🍇🍓🍒🍍", "twice"),
        ("🐶🍌🍇🍓🍒🍍", "not on this game's keyboard"),
        ("hello", "no guess"),
        ("/gues", "I don't know /gues"),
    ],
)
async def test_what_is_no_guess_is_answered_in_private_and_costs_nothing(desk, text, said):
    # when
    await desk.private(ADA, "/new", text)

    # then
    assert said in await desk.last(ADA)
    assert await desk.guesses() == []


async def test_a_guess_without_a_game_is_told_how_to_begin_one(desk):
    # when
    await desk.private(ADA, SECRET)

    # then
    assert "/new" in await desk.last(ADA)


async def test_a_forwarded_guess_does_not_count(desk):
    # when
    await desk.private(ADA, "/new")
    await desk.private(ADA, SECRET, **FORWARDED)

    # then
    assert await desk.guesses() == []
    assert "Forwarded" in await desk.last(ADA)


async def test_a_bot_does_not_play(desk):
    # given
    await desk.group(ADA, "/new")
    update = desk.message(BO, SECRET, FRUIT)
    update["message"]["from"]["is_bot"] = True

    # when
    await desk.take(update)

    # then
    assert await desk.guesses() == []
    assert await desk.outcomes([update]) == ["ignored"]


@pytest.mark.parametrize(
    "text", ["hello there", "😂", "😂😂😂😂😂😂", "🍎", "🍎🍌", "/dance", "/new@other_bot"]
)
async def test_the_talk_of_a_group_is_nobodys_business(desk, text):
    # given
    await desk.group(ADA, "/new")
    before = await desk.hears(FRUIT)

    # when
    await desk.group(BO, text)

    # then
    assert await desk.hears(FRUIT) == before
    assert await desk.guesses() == []


async def test_emojis_in_a_group_without_a_game_are_no_guess(desk):
    # when
    await desk.group(BO, SECRET)

    # then
    assert await desk.hears(FRUIT) == []


async def test_six_emojis_in_a_group_are_a_guess_and_a_wrong_one_is_answered(desk):
    # when
    await desk.group(ADA, "/new")
    await desk.group(BO, NEAR, "🐶🍌🍇🍓🍒🍍")

    # then
    assert await desk.guesses() == [NEAR]
    assert "not on this game's keyboard" in await desk.last(FRUIT)


@pytest.mark.parametrize(
    ("text", "said"), [("🍎🍌", "I count 2"), ("hello", "no guess"), ("😂😂😂😂😂😂", "Not on this game's")]
)
async def test_a_reply_to_the_bot_is_always_answered(desk, text, said):
    # given
    await desk.group(ADA, "/new")

    # when
    await desk.group(BO, text, reply_to_message=REPLIED)

    # then
    assert said in await desk.last(FRUIT)


async def test_a_command_for_this_bot_by_its_name_is_taken_in_any_case(desk):
    # when
    await desk.take(desk.message(ADA, "/new@Codemojex_Bot", FRUIT), desk.message(BO, f"/GUESS {NEAR}", FRUIT))

    # then
    assert await desk.guesses() == [NEAR]


@pytest.mark.parametrize("gap", ["\n", "\u00a0", "  ", ""])
async def test_a_guess_may_follow_the_command_after_anything_or_nothing(desk, gap):
    # given
    await desk.group(ADA, "/new")
    length = len("/guess@codemojex_bot")
    command = [{"type": "bot_command", "offset": 0, "length": length}]

    # when
    await desk.group(BO, f"/guess@codemojex_bot{gap}{NEAR}", entities=command)

    # then
    assert await desk.guesses() == [NEAR]


async def test_pins_fill_their_places_in_plain_guesses(desk):
    # when: as many emojis as there are other places, or six
    await desk.private(ADA, "/new", "/pin 1 🍌", "/pin 6 🍍", "🍎🍇🍓🍒", MISS)

    # then
    assert await desk.guesses() == [NEAR, "🍌🍑🍋🍉🍈🍍"]


async def test_pins_of_one_player_are_not_those_of_another(desk):
    # when: in one batch
    await desk.group(ADA, "/new", "/pin 1 🍌")
    await desk.take(
        desk.message(BO, SECRET, FRUIT),
        desk.message(ADA, MISS, FRUIT),
        desk.message(ADA, "🍎🍇🍓🍒🍍", FRUIT),
    )

    # then
    assert await desk.guesses() == [SECRET, "🍌🍑🍋🍉🍈🍐", NEAR]


async def test_a_topic_is_a_room_of_its_own_and_general_takes_no_thread_id(desk):
    # given
    topic = {"message_thread_id": 5, "is_topic_message": True}

    # when: a game in a topic, another in General, where replies carry an id that is no topic's
    await desk.group(ADA, "/new", **topic)
    await desk.group(ADA, "/new")
    await desk.group(BO, NEAR, **topic)
    await desk.group(BO, SECRET, message_thread_id=77)

    # then
    assert [row.thread_id for row in await desk.notices(FRUIT)] == [5, 0]
    assert await desk.guesses() == [NEAR, SECRET]
    assert len(await desk.games()) == 2


async def test_a_message_in_a_topic_is_no_reply_to_the_bot_because_the_bot_opened_the_topic(desk):
    # given
    opened = REPLIED | {"forum_topic_created": {"name": "Fruit", "icon_color": 1}}

    # when
    await desk.group(BO, "hello", reply_to_message=opened, message_thread_id=5, is_topic_message=True)

    # then
    assert await desk.hears(FRUIT) == []
