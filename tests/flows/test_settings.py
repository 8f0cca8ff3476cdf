"""What can be set: the language and the usual mode, of a person and of a group."""

from __future__ import annotations


async def test_a_person_chooses_their_language_whatever_telegram_says(game):
    # given
    ada = await game.person("Ada", language="en")

    # when
    await ada.says("/settings language ru", "/new")
    russian = "\n".join(ada.chat.texts)
    await ada.says("/settings language auto", "/giveup")

    # then
    assert "Спрятан новый код" in russian
    assert "You gave up" in ada.last


async def test_a_person_chooses_the_mode_of_games_without_one(game):
    # given
    ada = await game.person("Ada")

    # when
    await ada.says("/settings mode pegs", "/new")

    # then
    assert ada.chat.played.mode == "pegs"


async def test_buttons_choose_too(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/settings")

    # when
    await ada.presses("Русский")
    answer = await ada.presses("blind")
    await ada.says("/new")

    # then
    assert answer
    assert ada.chat.played.mode == "blind"
    assert ada.saw("Спрятан новый код")


async def test_in_a_group_admins_choose_and_nobody_else(game):
    # given
    group = await game.group("Fruit", "Bo", admins=["Ada"])

    # when
    await group.bo.says("/settings mode pegs")
    refused = group.last
    await group.ada.says("/settings mode blind", "/settings language ru", "/new")

    # then
    assert "admins" in refused
    assert group.played.mode == "blind"
    assert "Взломайте код" in await group.board()


async def test_what_cannot_be_set_is_said(game):
    # given
    ada = await game.person("Ada")

    # when
    await ada.says("/settings mode chess")

    # then
    assert ada.last
    await ada.says("/new")
    assert ada.chat.played.mode == "classic"


async def test_ping_rules_and_help_answer(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new animals")

    # when
    said = []
    for command in ("/ping", "/rules", "/help", "/nonsense"):
        await ada.says(command)
        said.append(ada.last)

    # then
    assert "🏓" in said[0]
    assert "🐶 dog" in said[1]  # the names of the symbols that are played with
    assert "/giveup" in said[2]
    assert "/nonsense" in said[3]


async def test_rules_without_a_game_name_the_symbols_of_every_theme(game):
    # given
    ada = await game.person("Ada")

    # when
    await ada.says("/rules")

    # then
    said = "\n".join(ada.chat.texts)
    assert all(name in said for name in ("apple", "dog", "pizza", "cactus", "rocket", "guitar"))
