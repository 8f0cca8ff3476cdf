"""Who may act, and what never counts: edits, forwards, channels, anonymous admins, bots, dice, unknown updates."""

from __future__ import annotations

import pytest

NEAR = "🍌🍎🍇🍓🍒🍍"  # 560
FAR = "🍍🍒🍓🍇🍌🍎"  # 240


async def test_an_edited_message_never_counts_and_is_told_once(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    await ada.says("hello")

    # when
    await ada.edits(ada.chat.secret)
    await ada.edits(NEAR)

    # then
    assert await ada.chat.guessed() == []
    assert sum("edited message doesn't count" in text for text in ada.chat.texts) == 1


async def test_an_edited_guess_is_not_guessed_again(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")
    await group.bo.guesses(FAR)

    # when
    await group.bo.edits(group.secret)

    # then
    assert [each.symbols for each in await group.guessed()] == [FAR]
    assert group.played.open


@pytest.mark.parametrize("hidden", [False, True])
async def test_a_forwarded_guess_does_not_count(game, hidden):
    # given
    ada, bo = await game.person("Ada"), await game.person("Bo")
    await ada.says("/new")
    await bo.says("/new")
    await ada.guesses(NEAR)

    # when
    await bo.forwards(ada.said, hidden=hidden)

    # then
    assert "Forwarded guesses don't count" in bo.last
    assert await bo.chat.guessed() == []


async def test_an_anonymous_admin_cannot_score_and_is_told_once(game):
    # given
    group = await game.group("Fruit", "Bo", admins=["Ada"], supergroup=True)
    await group.bo.says("/new")

    # when
    await group.ada.says(group.secret, NEAR, send_as=group.group)

    # then
    assert await group.guessed() == []
    assert sum("anonymous admins and channels can't play" in text for text in group.texts) == 1


async def test_an_anonymous_admin_may_end_the_game_of_the_group(game):
    # given
    group = await game.group("Fruit", "Bo", "Cy", admins=["Ada"], supergroup=True)
    await group.bo.says("/new")
    await group.bo.guesses(FAR)
    await group.cy.guesses(FAR)

    # when
    await group.ada.says("/giveup", send_as=group.group)

    # then
    assert group.played.closed_reason == "gave_up"


async def test_who_writes_as_a_channel_cannot_score(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo", supergroup=True)
    news = game.telegram.channel("News", [group.bo.person], bot=False)
    await group.ada.says("/new")

    # when
    await group.bo.says(group.secret, send_as=news)

    # then
    assert await group.guessed() == []
    assert "channels can't play" in group.last


async def test_channel_posts_and_what_a_linked_channel_forwards_are_ignored(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo", supergroup=True)
    news = game.telegram.channel("News", [group.bo.person])
    news.link(group.group)
    await group.ada.says("/new")
    said = len(group.messages)

    # when
    await group.bo.person.say(news, group.secret)
    await game.rest()

    # then
    assert await group.guessed() == []
    assert len(group.messages) == said


async def test_a_lone_dice_is_passed_over(game):
    # given
    group = await game.group("Fruit", "Ada")
    await group.ada.says("/new")
    said = len(group.messages)

    # when
    for emoji in "🎲🎯🏀⚽🎳🎰":
        await group.ada.throws(emoji)

    # then
    assert await group.guessed() == []
    assert len(group.messages) == said


async def test_another_bot_does_not_play(game):
    # given
    group = await game.group("Fruit", "Ada")
    await group.ada.says("/new")
    robot = {"id": 6_000_000_001, "is_bot": True, "first_name": "Robot"}
    said = len(group.messages)

    # when
    game.telegram.inject({"message": group.ada.said.raw | {"from": robot, "text": NEAR, "message_id": 900}})
    await game.rest()

    # then
    assert await group.guessed() == []
    assert len(group.messages) == said


async def test_an_update_of_a_kind_nobody_knows_holds_nobody_up(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    game.telegram.inject({"something_new": {"id": 7}})
    await ada.guesses(NEAR)

    # then
    assert "560/600" in ada.last


async def test_the_same_message_twice_is_one_guess(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    await ada.guesses(NEAR)

    # when: again under another update id, and again
    game.telegram.inject({"message": ada.said.raw}, {"message": ada.said.raw})
    await game.rest()

    # then
    assert len(await ada.chat.guessed()) == 1


async def test_two_thousand_joiners_cost_nothing(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    await ada.says("\u200d".join("🍎" * 1_000))

    # then
    assert "too long" in ada.last
    assert await ada.chat.guessed() == []
