"""Groups: who is there, what of it the bot sees, and what it may do."""

from __future__ import annotations

from typing import Any

import pytest
import telegram
from telegram.error import BadRequest, Forbidden

from codemojex.localtg import CannotDo, Group, LocalTelegram, Person


def seen(tg: LocalTelegram) -> list[str]:
    """The texts that reached the bot."""
    messages = [update["message"] for update in tg.pending() if "message" in update]
    return [message["text"] for message in messages if "text" in message]


def kinds(tg: LocalTelegram) -> list[str]:
    return [next(kind for kind in update if kind != "update_id") for update in tg.pending()]


async def test_privacy_mode_shows_the_bot_only_what_is_meant_for_it(
    tg: LocalTelegram, bo: Person, fruit: Group, bot: telegram.Bot
) -> None:
    # given
    board = await bot.send_message(fruit.id, "board")
    mine = await bo.say(fruit, "hello all")

    # when
    await bo.say(fruit, "/new")
    await bo.say(fruit, "/New@CodeMojex_Bot fruit")
    await bo.say(fruit, "/new@other_bot")
    await bo.say(fruit, "please /new")
    await bo.say(fruit, "to the bot", reply_to=board.message_id)
    await bo.say(fruit, "/guess@other_bot in a reply", reply_to=board.message_id)
    await bo.say(fruit, "to myself", reply_to=mine)

    # then
    assert seen(tg) == ["/new", "/New@CodeMojex_Bot fruit", "to the bot", "/guess@other_bot in a reply"]
    assert len(fruit.messages) == 9


async def test_an_admin_bot_or_one_without_privacy_mode_sees_everything(
    tg: LocalTelegram, bo: Person, fruit: Group
) -> None:
    # given
    open_one = tg.group("Open", [bo], privacy=False, known=True)

    # when
    await bo.say(fruit, "before")
    fruit.promote_bot()
    await bo.say(fruit, "while admin")
    fruit.demote_bot()
    await bo.say(fruit, "after")
    await bo.say(open_one, "in the open")

    # then
    assert seen(tg) == ["while admin", "in the open"]


async def test_switching_privacy_mode_tells_only_in_groups_the_bot_joins_later(
    tg: LocalTelegram, bo: Person, fruit: Group, bot: telegram.Bot
) -> None:
    # given
    assert (await bot.get_me()).can_read_all_group_messages is False

    # when
    tg.set_privacy(False)
    await bo.say(fruit, "not yet")
    fruit.remove_bot()
    fruit.add_bot()
    await bo.say(fruit, "now")

    # then
    assert seen(tg) == ["now"]
    assert (await bot.get_me()).can_read_all_group_messages is True


async def test_an_edit_reaches_the_bot_if_what_it_says_now_is_meant_for_it(
    tg: LocalTelegram, bo: Person, fruit: Group
) -> None:
    said = await bo.say(fruit, "hello")
    await bo.edit(said, "hallo")
    await bo.edit(said, "/new")
    assert kinds(tg) == ["edited_message"]
    assert [version.text for version in fruit.history(said)] == ["hello", "hallo", "/new"]


async def test_the_bot_hears_that_it_was_added_promoted_and_removed(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    fruit = tg.group("Fruit", admins=[ada])

    # when
    fruit.promote_bot()
    fruit.demote_bot()
    fruit.remove_bot()

    # then
    assert kinds(tg) == [
        "my_chat_member",
        "message",
        "my_chat_member",
        "my_chat_member",
        "message",
        "my_chat_member",
    ]
    updates = await bot.get_updates(timeout=0)
    changes = [update.my_chat_member for update in updates if update.my_chat_member]
    assert [(each.old_chat_member.status, each.new_chat_member.status) for each in changes] == [
        ("left", "member"),
        ("member", "administrator"),
        ("administrator", "member"),
        ("member", "left"),
    ]
    assert changes[0].from_user.id == ada.id
    added = updates[1].message
    assert added is not None
    assert [user.id for user in added.new_chat_members] == [bot.id]
    with pytest.raises(Forbidden, match="bot was kicked from the group chat"):
        await bot.send_message(fruit.id, "let me in")


async def test_a_supergroup_kicks_and_a_bot_that_was_never_there_finds_no_chat(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    large, foreign = tg.group("Large", supergroup=True), tg.group("Foreign", bot=False)

    # when
    large.remove_bot()

    # then
    change = (await bot.get_updates(timeout=0))[-1].my_chat_member
    assert change is not None
    assert change.new_chat_member.status == "kicked"
    with pytest.raises(Forbidden, match="bot was kicked from the supergroup chat"):
        await bot.send_message(large.id, "x")
    with pytest.raises(BadRequest, match="Chat not found"):
        await bot.send_message(foreign.id, "x")
    foreign.add_bot()
    await bot.send_message(foreign.id, "hello")


async def test_an_anonymous_admin_is_named_by_the_group(
    tg: LocalTelegram, ada: Person, bo: Person, bot: telegram.Bot
) -> None:
    # given
    large = tg.group("Large", [bo], [ada], supergroup=True, known=True)

    # when
    await ada.say(large, "/new", send_as=large)

    # then
    message = (await bot.get_updates(timeout=0))[0].message
    assert message is not None
    assert message.from_user is not None
    assert message.sender_chat is not None
    assert (message.from_user.id, message.sender_chat.id) == (1087968824, large.id)
    with pytest.raises(CannotDo, match="Bo cannot write here as Large"):
        await bo.say(large, "/new", send_as=large)


async def test_an_admin_of_a_small_group_cannot_be_anonymous(ada: Person, fruit: Group) -> None:
    with pytest.raises(CannotDo):
        await ada.say(fruit, "/new", send_as=fruit)


async def test_only_admin_bots_delete_what_others_wrote(
    bo: Person, ada: Person, fruit: Group, bot: telegram.Bot
) -> None:
    # given
    said = await bo.say(fruit, "/new")

    # when / then
    with pytest.raises(BadRequest, match="Message can't be deleted"):
        await bot.delete_message(fruit.id, said.message_id)
    fruit.promote_bot()
    await bot.delete_message(fruit.id, said.message_id)
    assert fruit.messages == []
    with pytest.raises(CannotDo, match="only admins"):
        await bo.delete(await ada.say(fruit, "mine"))


async def test_what_people_delete_the_bot_cannot_edit(ada: Person, fruit: Group, bot: telegram.Bot) -> None:
    sent = await bot.send_message(fruit.id, "board")
    await ada.delete(fruit.messages[0])
    with pytest.raises(BadRequest, match="Message to edit not found"):
        await sent.edit_text("board 2")


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (lambda group, ada, bo: group.add_bot(), "already"),
        (lambda group, ada, bo: group.demote_bot(), "is no admin"),
        (lambda group, ada, bo: group.join(bo), "is in Fruit already"),
        (lambda group, ada, bo: group.demote(ada), "owns"),
        (lambda group, ada, bo: group.topic("x"), "has no topics"),
    ],
)
async def test_what_cannot_be_is_refused(fruit: Group, ada: Person, bo: Person, act: Any, why: str) -> None:
    with pytest.raises(CannotDo, match=why):
        act(fruit, ada, bo)
