"""What never counts is told once, and to the right people."""

from __future__ import annotations

from codemojex.store import schema
from tests.bot.desk import ADA, BO, FRUIT, NEAR, SECRET
from tests.play.makers import rows

GROUP_ITSELF = {"id": FRUIT, "type": "supergroup", "title": "Fruit"}


def edited(desk, who, text, chat=None):
    update = desk.message(who, text, chat)
    update["edited_message"] = update.pop("message") | {"edit_date": int(desk.now.timestamp())}
    return update


def unseen(desk, text):
    """A message of an anonymous admin."""
    return desk.message(1_087_968_824, text, FRUIT, sender_chat=GROUP_ITSELF)


async def test_everybody_in_a_group_is_told_once_that_edits_do_not_count(desk):
    # given
    await desk.group(ADA, "/new")

    # when
    await desk.take(*(edited(desk, who, SECRET, FRUIT) for who in (ADA, ADA, BO)))

    # then
    assert ["edited" in said for said in (await desk.hears(FRUIT))[1:]] == [True, True]
    assert await desk.guesses() == []


async def test_an_edited_word_in_a_group_is_nobodys_business(desk):
    await desk.take(edited(desk, ADA, "hello again", FRUIT))
    assert await desk.hears(FRUIT) == []


async def test_an_edited_command_is_not_run(desk):
    # when
    await desk.take(edited(desk, ADA, "/new"))

    # then
    assert await desk.games() == []
    assert "edited" in await desk.last(ADA)


async def test_an_anonymous_admin_who_chats_is_told_nothing(desk):
    await desk.take(unseen(desk, "good morning"), unseen(desk, "👍"), unseen(desk, "/new@other_bot"))
    assert await desk.hears(FRUIT) == []


async def test_an_anonymous_admin_cannot_open_a_game_and_may_look(desk):
    # given
    await desk.group(ADA, "/new", NEAR)

    # when
    await desk.take(unseen(desk, "/new"), unseen(desk, "/top"), unseen(desk, "/rules"))

    # then
    assert len(await desk.games()) == 1
    said = (await desk.hears(FRUIT))[1:]
    assert "anonymous admins" in said[0]
    assert "Fruit" in said[1]
    assert "apple" in said[2]
    assert {row.id for row in await rows(desk.store, schema.players)} == {ADA}


async def test_somebody_who_writes_as_a_channel_decides_nothing(desk):
    # given
    await desk.group(ADA, "/new", NEAR)
    channel = {"id": -1_009_000_000_009, "type": "channel", "title": "Mine"}

    # when
    await desk.take(
        *(
            desk.message(136_817_688, text, FRUIT, sender_chat=channel)
            for text in ("/giveup", "/settings mode pegs")
        )
    )

    # then: told once
    assert (await desk.game(FRUIT)).state == "open"
    assert (await rows(desk.store, schema.chats))[0].mode is None
    assert len(await desk.hears(FRUIT)) == 2
