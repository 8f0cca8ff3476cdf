"""A group becomes a supergroup: a new chat, told of from both sides, and an old one that takes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
import telegram
from telegram.error import ChatMigrated

from codemojex.localtg import CannotDo, Group, LocalTelegram, Person


@pytest.fixture
def fruit(tg: LocalTelegram, ada: Person) -> Group:
    return tg.group("Fruit", admins=[ada], known=True)


async def test_both_chats_tell_and_message_ids_start_again(
    tg: LocalTelegram, ada: Person, fruit: Group, bot: telegram.Bot
) -> None:
    # given
    await ada.say(fruit, "/new")

    # when
    large = fruit.upgrade()

    # then
    _, old, joined, new = await bot.get_updates(timeout=0)
    assert old.message is not None
    assert new.message is not None
    assert (old.message.chat.id, old.message.migrate_to_chat_id) == (fruit.id, large.id)
    assert (new.message.chat.id, new.message.migrate_from_chat_id) == (large.id, fruit.id)
    assert new.message.message_id == 1
    # Telegram tells of the bot in the new chat too, as if it had just come.
    assert joined.my_chat_member is not None
    assert joined.my_chat_member.chat.id == large.id
    assert (await ada.say(large, "/board")).message_id == 2
    assert (await bot.send_message(large.id, "board")).message_id == 3


async def test_what_is_sent_to_the_old_chat_names_the_new_one(
    ada: Person, fruit: Group, bot: telegram.Bot
) -> None:
    # given
    sent = await bot.send_message(fruit.id, "board")

    # when
    large = fruit.upgrade()

    # then
    for call in (
        bot.send_message(fruit.id, "x"),
        sent.edit_text("x"),
        bot.delete_message(fruit.id, sent.message_id),
        bot.set_message_reaction(fruit.id, sent.message_id, "🔥"),
        bot.get_chat_member(fruit.id, ada.id),
    ):
        with pytest.raises(ChatMigrated) as caught:
            await call
        assert caught.value.new_chat_id == large.id
    with pytest.raises(CannotDo, match="became a supergroup"):
        await ada.say(fruit, "anybody?")


async def test_the_new_chat_may_tell_first(fruit: Group, bot: telegram.Bot) -> None:
    fruit.upgrade(new_first=True)
    messages = [update.message for update in await bot.get_updates(timeout=0) if update.message]
    assert [message.migrate_to_chat_id is None for message in messages] == [True, False]


async def test_members_rights_and_privacy_move_along(
    tg: LocalTelegram, ada: Person, fruit: Group, bot: telegram.Bot
) -> None:
    # given
    fruit.promote_bot()

    # when
    large = fruit.upgrade()

    # then
    assert (await bot.get_chat_member(large.id, ada.id)).status == "creator"
    assert (await bot.get_chat_member(large.id, bot.id)).status == "administrator"
    assert list(tg.groups) == [fruit.id, large.id]
    with pytest.raises(CannotDo, match="supergroup already"):
        large.upgrade()
    with pytest.raises(CannotDo, match="supergroup already"):
        fruit.upgrade()


async def test_message_ids_start_again_at_1_where_a_state_file_keeps_the_others_high(tmp_path: Path) -> None:
    # given
    tg = LocalTelegram(state=tmp_path / "telegram.json")
    fruit = tg.group("Fruit", known=True)
    said = await fruit.owner.say(fruit, "/new")

    # when
    large = fruit.upgrade()

    # then
    assert said.message_id > 1_000
    assert [message.message_id for message in large.messages] == [1]
