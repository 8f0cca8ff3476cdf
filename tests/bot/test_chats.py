"""The bot comes and goes: people who block it, groups that add and remove it, groups that become supergroups."""

from __future__ import annotations

import json

import pytest

from codemojex.store import schema
from tests.bot.desk import ADA, BO, FRUIT, NEAR
from tests.play.makers import rows


async def test_who_blocks_the_bot_is_unreachable_until_they_are_back(desk):
    # given
    await desk.private(ADA, "/start")

    # when
    await desk.take(desk.member(ADA, ADA, "member", "kicked"))
    [blocked] = await rows(desk.store, schema.players)
    await desk.take(desk.member(ADA, ADA, "kicked", "member"))
    [back] = await rows(desk.store, schema.players)

    # then
    assert blocked.unreachable_at is not None
    assert back.unreachable_at is None


@pytest.mark.parametrize(
    ("status", "said"), [("member", "privacy mode"), ("administrator", "just send six emojis")]
)
async def test_a_group_that_adds_the_bot_is_greeted_and_told_how_to_guess(desk, status, said):
    await desk.take(desk.member(FRUIT, ADA, "left", status))
    assert said in await desk.last(FRUIT)


async def test_the_greeting_is_in_the_language_of_who_added_the_bot(desk):
    # given
    update = desk.member(FRUIT, ADA, "left", "member")
    update["my_chat_member"]["from"]["language_code"] = "ru"

    # when
    await desk.take(update)

    # then
    assert "Всем привет" in json.loads((await desk.notices(FRUIT))[0].data)["text"]


async def test_a_change_of_rights_is_no_reason_to_greet(desk):
    await desk.take(desk.member(FRUIT, ADA, "member", "administrator"))
    assert await desk.hears(FRUIT) == []


async def test_what_the_bot_is_shown_in_a_group_follows_its_rights(desk):
    # given
    found = []

    # when
    for old, new in (("left", "member"), ("member", "administrator"), ("administrator", "member")):
        await desk.take(desk.member(FRUIT, ADA, old, new))
        [chat] = await rows(desk.store, schema.chats)
        found.append(chat.sees_all)

    # then
    assert found == [False, True, False]


async def test_a_group_that_removes_the_bot_is_told_nothing_until_it_is_back(desk):
    # given
    await desk.take(desk.member(FRUIT, ADA, "left", "member"))

    # when
    await desk.take(desk.member(FRUIT, ADA, "member", "kicked"))
    [gone] = await rows(desk.store, schema.chats)
    await desk.group(BO, "/new")
    [back] = await rows(desk.store, schema.chats)

    # then
    assert gone.unreachable_at is not None
    assert back.unreachable_at is None


async def test_a_channel_that_adds_the_bot_is_let_be(desk):
    # given
    update = desk.member(FRUIT, ADA, "left", "administrator")
    update["my_chat_member"]["chat"]["type"] = "channel"

    # when
    await desk.take(update)

    # then
    assert await desk.outcomes([update]) == ["handled"]
    assert await desk.hears(FRUIT) == []


async def test_a_board_is_shown_anew_in_the_chat_that_the_group_became(desk):
    # given
    new = -1_009_000_000_002
    await desk.group(ADA, "/new", NEAR)

    # when
    moved = desk.message(ADA, "", FRUIT, migrate_to_chat_id=new)
    del moved["message"]["text"]
    await desk.take(moved)

    # then
    assert await desk.hears(FRUIT) == []
    assert "[card]" in await desk.hears(new)
    [card] = await rows(desk.store, schema.cards)
    assert (card.chat_id, card.message_id) == (new, None)


@pytest.mark.parametrize("field", ["migrate_to_chat_id", "migrate_from_chat_id"])
async def test_a_private_chat_never_becomes_another(desk, field):
    # given
    await desk.private(ADA, "/new")

    # when
    await desk.take(desk.message(ADA, "", **{field: -1_009_000_000_777}))

    # then
    assert [row.chat_id for row in await rows(desk.store, schema.rooms)] == [ADA]
