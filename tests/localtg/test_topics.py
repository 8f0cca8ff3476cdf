"""Forums: a message is in a topic, or in General, which has no id to write to."""

from __future__ import annotations

import pytest
import telegram
from telegram.error import BadRequest

from codemojex.localtg import CannotDo, Group, LocalTelegram, Person


@pytest.fixture
def forum(tg: LocalTelegram, ada: Person) -> Group:
    return tg.group("Forum", [ada], forum=True, known=True)


async def test_a_topic_is_named_by_the_message_that_opened_it(
    ada: Person, forum: Group, bot: telegram.Bot
) -> None:
    # given
    games = forum.topic("Games")

    # when
    await ada.say(forum, "/new", topic=games)

    # then
    opened, said = [update.message for update in await bot.get_updates(timeout=0)]
    assert opened is not None
    assert said is not None
    assert opened.forum_topic_created is not None
    assert opened.forum_topic_created.name == "Games"
    assert (said.message_thread_id, said.is_topic_message) == (opened.message_id, True)
    assert said.chat.is_forum
    # What answers nothing is shown as a reply to the opening message.
    assert said.reply_to_message is not None
    assert said.reply_to_message.message_id == opened.message_id
    assert games.id == opened.message_id


async def test_a_reply_in_general_has_a_thread_id_nobody_can_send_to(
    ada: Person, forum: Group, bot: telegram.Bot
) -> None:
    # given
    sent = await bot.send_message(forum.id, "board")

    # when
    await ada.say(forum, "/new")
    await ada.say(forum, "a reply", reply_to=sent.message_id)

    # then
    plain, reply = [update.message for update in await bot.get_updates(timeout=0)]
    assert plain is not None
    assert reply is not None
    assert (plain.message_thread_id, plain.is_topic_message) == (None, None)
    assert (reply.message_thread_id, reply.is_topic_message) == (sent.message_id, None)
    for thread in (sent.message_id, 1):
        with pytest.raises(BadRequest, match="Message thread not found"):
            await bot.send_message(forum.id, "x", message_thread_id=thread)


async def test_a_thread_of_replies_in_a_supergroup_is_no_topic_either(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    large = tg.group("Large", [ada], supergroup=True, known=True)
    first = await bot.send_message(large.id, "board")

    # when
    second = await ada.say(large, "a reply", reply_to=first.message_id)
    third = await bot.send_message(large.id, "an answer", reply_to_message_id=second.message_id)

    # then
    assert third.message_thread_id == first.message_id
    assert not third.is_topic_message
    with pytest.raises(BadRequest, match="Message thread not found"):
        await bot.send_message(large.id, "x", message_thread_id=first.message_id)


async def test_the_bot_answers_into_a_topic_by_its_id_or_by_a_reply(
    ada: Person, forum: Group, bot: telegram.Bot
) -> None:
    # given
    games, other = forum.topic("Games"), forum.topic("Other")
    said = await ada.say(forum, "/new", topic=games)

    # when
    await bot.send_message(forum.id, "by id", message_thread_id=games.id)
    await bot.send_message(forum.id, "by reply", reply_to_message_id=said.message_id)
    await bot.send_message(forum.id, "to General")

    # then
    assert [message.text for message in games.messages] == ["/new", "by id", "by reply"]
    assert other.messages == []
    assert (await games.wait_for("by")).text == "by reply"
    assert (await forum.wait_for("to General")).thread_id is None


async def test_a_closed_topic_takes_nothing_and_a_deleted_one_is_not_found(
    ada: Person, forum: Group, bot: telegram.Bot
) -> None:
    # given
    games = forum.topic("Games")

    # when / then
    games.close()
    with pytest.raises(BadRequest, match=r"(?i)topic_closed"):
        await bot.send_message(forum.id, "x", message_thread_id=games.id)
    with pytest.raises(CannotDo, match="closed"):
        await ada.say(forum, "x", topic=games)
    games.reopen()
    await bot.send_message(forum.id, "x", message_thread_id=games.id)
    games.delete()
    with pytest.raises(BadRequest, match="Message thread not found"):
        await bot.send_message(forum.id, "x", message_thread_id=games.id)
    with pytest.raises(CannotDo, match="deleted"):
        await ada.say(forum, "x", topic=games)
    assert forum.messages == []
