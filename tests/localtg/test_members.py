"""Members and admins: they come and go, and the bot may ask who is what."""

from __future__ import annotations

import pytest
import telegram
from telegram.error import BadRequest

from codemojex.localtg import CannotDo, Group, LocalTelegram, Person


async def test_members_come_and_go_by_service_messages(
    tg: LocalTelegram, ada: Person, bo: Person, fruit: Group, bot: telegram.Bot
) -> None:
    # given
    cy = tg.person("Cy")

    # when
    fruit.join(cy, by=ada)
    fruit.leave(bo)

    # then
    joined, left = [update.message for update in await bot.get_updates(timeout=0)]
    assert joined is not None
    assert left is not None
    assert [user.first_name for user in joined.new_chat_members] == ["Cy"]
    assert left.left_chat_member is not None
    assert left.left_chat_member.id == bo.id
    with pytest.raises(CannotDo, match="Bo is not in Fruit"):
        await bo.say(fruit, "hello?")


async def test_changes_of_members_reach_an_admin_bot_that_asks_for_them(
    tg: LocalTelegram, bo: Person, fruit: Group, bot: telegram.Bot
) -> None:
    # given
    await bot.get_updates(timeout=0, allowed_updates=["chat_member"])
    fruit.promote(bo)
    fruit.promote_bot()

    # when
    fruit.demote(bo)

    # then
    (update,) = await bot.get_updates(timeout=0)
    assert update.chat_member is not None
    assert update.chat_member.old_chat_member.status == "administrator"
    assert update.chat_member.new_chat_member.status == "member"


async def test_the_bot_may_ask_who_is_what(
    tg: LocalTelegram, ada: Person, bo: Person, fruit: Group, bot: telegram.Bot
) -> None:
    # given
    stranger = tg.person("Cy")
    dee = tg.person("Dee")
    fruit.join(dee)
    fruit.promote(dee)
    fruit.leave(bo, by=ada)

    # when
    people = [ada.id, dee.id, bo.id, stranger.id, bot.id]
    found = [(await bot.get_chat_member(fruit.id, user)).status for user in people]

    # then
    assert found == ["creator", "administrator", "kicked", "left", "member"]
    admins = await bot.get_chat_administrators(fruit.id)
    assert [admin.user.first_name for admin in admins] == ["Ada", "Dee"]
    fruit.promote_bot()
    assert bot.id in [admin.user.id for admin in await bot.get_chat_administrators(fruit.id)]
    with pytest.raises(BadRequest, match="User not found"):
        await bot.get_chat_member(fruit.id, 1)


async def test_a_private_chat_has_a_member_and_no_administrators(ada: Person, bot: telegram.Bot) -> None:
    await ada.send("hi")
    assert (await bot.get_chat_member(ada.id, ada.id)).status == "member"
    with pytest.raises(BadRequest, match="There are no administrators in the private chat"):
        await bot.get_chat_administrators(ada.id)


async def test_members_alone_do_not_become_admins(tg: LocalTelegram, ada: Person, bo: Person) -> None:
    group = tg.group("Fruit", members=[ada, bo])
    assert [group.status(person) for person in (ada, bo, group.owner)] == ["member", "member", "creator"]
