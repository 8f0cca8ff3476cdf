"""Pins and hints: what is kept in place, what is named, and what it costs."""

from __future__ import annotations

import pytest

NEAR = "🍌🍎🍇🍓🍒🍍"  # 560
FAR = "🍍🍒🍓🍇🍌🍎"  # 240


async def test_pins_fill_their_positions(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new", "/pin 1 🍎", "/pin 3 🍇")

    # when: four symbols for the other places, then six of which two give way
    await ada.guesses("🍌🍓🍒🍋")
    await ada.guesses("🥝🍌🍑🍓🍒🍍")

    # then
    assert [each.symbols for each in await ada.chat.guessed()] == ["🍎🍌🍇🍓🍒🍋", "🍎🍌🍇🍓🍒🍍"]
    assert ada.saw("🍎🍌🍇🍓🍒🍋")
    assert ada.chat.winner == "Ada"


async def test_a_merged_guess_is_checked(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new", "/pin 1 🍎")

    # when
    await ada.guesses("🍎🍇🍓🍒🍍")

    # then
    assert "twice" in ada.last
    assert await ada.chat.guessed() == []


@pytest.mark.parametrize(
    ("command", "said"),
    [("/pin 7 🍌", "1"), ("/pin 0 🍌", "1"), ("/pin 3 🥦", "🥦"), ("/pin 4 🍎", "🍎"), ("/pin x", "x")],
)
async def test_a_pin_that_cannot_be_is_refused(game, command, said):
    # given
    ada = await game.person("Ada")
    await ada.says("/new", "/pin 3 🍎")

    # when
    await ada.says(command)
    await ada.guesses("🍌🍇🍓🍒🍍")

    # then: only the first pin stands
    assert [each.symbols for each in await ada.chat.guessed()] == ["🍌🍇🍎🍓🍒🍍"]
    assert ada.saw(said)


async def test_unpin_frees_a_place_or_all(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new", "/pin 1 🍎", "/pin 2 🍌", "/pin 3 🍇")

    # when
    await ada.says("/unpin 2")
    await ada.guesses("🍓🍒🍍🍋")
    await ada.says("/unpin")
    await ada.guesses(NEAR)

    # then
    assert [each.symbols for each in await ada.chat.guessed()] == ["🍎🍓🍇🍒🍍🍋", NEAR]


async def test_pins_end_with_the_game(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new", "/pin 1 🍋", "/giveup", "/new")

    # when
    await ada.guesses(ada.chat.secret)

    # then
    assert ada.chat.winner == "Ada"


async def test_two_hints_name_two_symbols_of_the_secret_and_cost_sixty_each(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new 15")
    await ada.guesses(NEAR)

    # when
    told = []
    for _ in range(2):
        await ada.says("/hint")
        assert "60" in ada.last
        told += [symbol for symbol in ada.chat.secret if symbol in ada.last]
    await ada.says("/hint")
    refused = ada.last
    await game.pass_time(minutes=15)

    # then
    assert len(set(told)) == len(told) == 2
    assert "in the code" not in refused
    assert [(each.points, each.hints) for each in await game.finishes(ada.chat.played)] == [(440, 2)]


async def test_a_crack_wins_whatever_the_hints(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")
    await group.bo.alone.starts()
    await group.ada.guesses(NEAR)

    # when
    await group.bo.says("/hint", "/hint")
    await group.bo.guesses(group.secret)

    # then
    assert group.winner == "Bo"
    assert {each.name: each.points for each in await game.finishes(group.played)} == {"Ada": 560, "Bo": 480}


async def test_in_a_group_a_hint_is_told_in_private(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.ada.says("/new")

    # when: Bo has never started the bot, Ada has
    await group.bo.says("/hint")
    unknown = group.last
    await group.ada.alone.starts()
    await group.ada.says("/hint")

    # then
    assert "cost you nothing" in unknown
    assert "in the code" in group.ada.alone.last
    assert not group.saw("in the code")
    await group.ada.says("/giveup")
    assert {each.name: each.hints for each in await game.finishes(group.played)}.get("Bo", 0) == 0


async def test_who_blocked_the_bot_is_charged_for_no_hint_that_cannot_be_told(game):
    # given
    group = await game.group("Fruit", "Ada", "Bo")
    await group.bo.alone.starts()
    await group.ada.says("/new")
    await group.bo.alone.blocks()

    # when
    await group.bo.guesses(NEAR)
    await group.bo.says("/hint")
    blocked = group.last
    await group.bo.alone.unblocks()
    await group.bo.says("/hint")

    # then
    assert "cost you nothing" in blocked
    assert "in the code" in group.bo.alone.last
    await group.bo.says("/giveup")
    assert {each.name: each.hints for each in await game.finishes(group.played)} == {"Bo": 1}


async def test_a_player_without_points_is_not_placed(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    await ada.guesses("🥝🍑🍋🍉🍈🍐")

    # when
    await ada.says("/hint", "/giveup")

    # then
    assert [(each.points, each.rank) for each in await game.finishes(ada.chat.played)] == [(0, None)]
