"""Channels: posts without an author, forwarded to the group that discusses them."""

from __future__ import annotations

import pytest
import telegram
from telegram import MessageOriginChannel, MessageOriginHiddenUser, MessageOriginUser

from codemojex.localtg import CannotDo, LocalTelegram, Person


async def test_a_post_has_no_user_and_an_edit_of_it_neither(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    news = tg.channel("News", admins=[ada])

    # when
    post = await ada.say(news, "/new")
    await ada.edit(post, "/help")

    # then
    _, posted, edited = await bot.get_updates(timeout=0)
    assert posted.channel_post is not None
    assert edited.edited_channel_post is not None
    assert posted.effective_user is None
    assert posted.channel_post.sender_chat is not None
    assert posted.channel_post.sender_chat.id == news.id
    assert edited.edited_channel_post.text == "/help"


async def test_a_linked_group_gets_each_post_from_telegram_itself(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    news = tg.channel("News", admins=[ada])
    talk = tg.group("Talk", supergroup=True, privacy=False, known=True)
    news.link(talk)

    # when
    post = await ada.say(news, "six emojis")

    # then
    message = (await bot.get_updates(timeout=0))[-1].message
    assert message is not None
    assert message.from_user is not None
    assert message.sender_chat is not None
    assert (message.from_user.id, message.from_user.is_bot) == (777000, False)
    assert (message.is_automatic_forward, message.sender_chat.id) == (True, news.id)
    assert isinstance(message.forward_origin, MessageOriginChannel)
    assert message.forward_origin.message_id == post.message_id
    assert (await bot.get_chat(talk.id)).linked_chat_id == news.id


async def test_somebody_may_write_in_a_group_as_their_channel(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    news = tg.channel("News", admins=[ada])
    talk = tg.group("Talk", [ada], supergroup=True, known=True)

    # when
    await ada.say(talk, "/new", send_as=news)

    # then
    message = (await bot.get_updates(timeout=0))[-1].message
    assert message is not None
    assert message.from_user is not None
    assert message.sender_chat is not None
    assert (message.from_user.id, message.sender_chat.id) == (136817688, news.id)


async def test_only_admins_post_and_only_an_admin_bot_does(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    news = tg.channel("News", admins=[ada])

    # when
    sent = await bot.send_message(news.id, "from the bot")

    # then
    assert sent.from_user is None
    assert sent.sender_chat is not None
    with pytest.raises(CannotDo, match="Bo is not in News"):
        await tg.person("Bo").say(news, "me too")


async def test_a_forward_says_whose_words_they_are(tg: LocalTelegram, ada: Person, bot: telegram.Bot) -> None:
    # given
    bo = tg.person("Bo")
    fruit = tg.group("Fruit", [ada, bo], privacy=False, known=True)
    said = await bo.say(fruit, "🍎🍌")

    # when
    await ada.forward(said)
    again = await ada.forward(said, fruit, hidden=True)
    await bo.forward(again, fruit)

    # then
    messages = [update.message for update in await bot.get_updates(timeout=0)]
    origins = [message.forward_origin for message in messages if message]
    assert isinstance(origins[1], MessageOriginUser)
    assert origins[1].sender_user.id == bo.id
    assert isinstance(origins[2], MessageOriginHiddenUser)
    assert origins[3] == origins[2]
    assert {message.text for message in messages if message} == {"🍎🍌"}
