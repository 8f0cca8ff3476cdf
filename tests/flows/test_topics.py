"""Forum topics: a room each; General has no thread id of its own."""

from __future__ import annotations

import pytest


async def test_each_topic_has_a_game_of_its_own(game):
    # given
    forum = await game.group("Forum", "Ada", "Bo", forum=True)
    fruit = await forum.opens_topic("Fruit")
    animals = await forum.opens_topic("Animals")

    # when
    await fruit.ada.says("/new")
    await animals.ada.says("/new animals")
    await animals.bo.guesses(animals.secret)

    # then
    assert animals.winner == "Bo"
    assert fruit.played.open
    assert animals.saw("Bo cracked the code")
    assert not fruit.saw("Bo cracked the code")


async def test_general_is_a_room_too_and_is_answered_without_a_thread(game):
    # given
    forum = await game.group("Forum", "Ada", "Bo", forum=True)
    topic = await forum.opens_topic("Fruit")

    # when
    await forum.ada.says("/new")
    await forum.bo.guesses(forum.secret)

    # then
    assert forum.winner == "Bo"
    assert not topic.messages
    sends = [each for each in game.telegram.requests if each.method == "sendMessage"]
    assert sends
    assert all("message_thread_id" not in each.params for each in sends)


@pytest.mark.game(privacy=True)
async def test_a_reply_in_general_is_played_in_general(game):
    # given: a reply there carries the id of its thread of replies, which is no topic
    forum = await game.group("Forum", "Ada", "Bo", forum=True)
    await forum.ada.says("/new")

    # when
    await forum.bo.replies(forum.secret)

    # then
    assert forum.winner == "Bo"
