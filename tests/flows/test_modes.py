"""Modes, keyboards and themes: what a player is told, and with which symbols it is played."""

from __future__ import annotations

import pytest

from codemojex.game.keyboards import THEMES, Level, keyboard

NEAR = "🍌🍎🍇🍓🍒🍍"  # four in place, two elsewhere; 560


async def test_classic_tells_points_and_never_a_mark_for_a_position(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new classic")

    # when
    await ada.guesses(NEAR)

    # then
    assert "560/600" in ada.last
    assert not any(word in ada.last for word in ("in place", "elsewhere", "✅", "❌", "🟩", "🟨"))


async def test_pegs_counts_what_is_right_and_what_is_misplaced(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new pegs")

    # when
    await ada.guesses(NEAR)

    # then
    assert "4 in place · 2 elsewhere" in ada.last
    assert "560" not in ada.last


async def test_the_end_of_a_pegs_game_tells_pegs_and_no_points(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new pegs")

    # when
    await ada.guesses(NEAR)
    await ada.says("/giveup")

    # then
    assert "Your best: 4 in place, 2 elsewhere." in ada.last
    assert not ada.saw("560/600")


@pytest.mark.parametrize(
    ("mode", "told"),
    [("classic", "560/600"), ("pegs", "4 in place, 2 elsewhere"), ("blind", "that was your guess number 1")],
)
async def test_the_same_guess_again_costs_nothing_and_tells_what_its_mode_tells(game, mode, told):
    # given
    ada = await game.person("Ada")
    await ada.says(f"/new {mode}")
    await ada.guesses(NEAR)

    # when
    await ada.guesses(NEAR)

    # then
    assert ada.last.startswith("You've tried these six already")
    assert told in ada.last
    assert len(await ada.chat.guessed()) == 1


async def test_the_same_guess_again_before_its_score_is_known_is_refused_too(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    async with game.paused():
        await ada.guesses(NEAR, NEAR)

    # then
    assert ada.saw("You've tried these six already: that was your guess number 1.")
    assert len(await ada.chat.guessed()) == 1


async def test_blind_says_nothing_until_the_end(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new blind")

    # when
    await ada.guesses(NEAR)
    await ada.says("/board")
    before = "\n".join(ada.chat.texts)
    await ada.says("/giveup")

    # then
    assert not any(word in before for word in ("560", "in place", "elsewhere", "best"))
    assert "560/600" in ada.last


@pytest.mark.parametrize("mode", ["classic", "pegs", "blind"])
async def test_a_crack_wins_in_every_mode(game, mode):
    # given
    ada = await game.person("Ada")
    await ada.says(f"/new {mode}")

    # when
    await ada.guesses(ada.chat.secret)

    # then
    assert ada.chat.winner == "Ada"


@pytest.mark.parametrize("level", list(Level))
async def test_a_keyboard_has_as_many_symbols_as_its_level_says(game, level):
    # given
    ada = await game.person("Ada")

    # when
    await ada.says(f"/new {level}")

    # then
    assert ada.chat.played.keyboard == "".join(keyboard("fruit", level).chars)
    assert len(ada.chat.played.keyboard) == {"easy": 8, "normal": 12, "hard": 18}[level]
    assert all(symbol in ada.chat.messages[-1].text for symbol in ada.chat.played.keyboard)


@pytest.mark.parametrize("theme", THEMES)
async def test_every_theme_can_be_played(game, theme):
    # given
    ada = await game.person("Ada")

    # when
    await ada.says(f"/new hard {theme}")
    await ada.guesses(ada.chat.secret)

    # then
    assert ada.chat.winner == "Ada"
    assert len(set(ada.chat.secret)) == 6


async def test_options_come_in_any_order_and_what_is_none_is_explained(game):
    # given
    ada = await game.person("Ada")

    # when
    await ada.says("/new 15 animals pegs hard")
    played = ada.chat.played
    await ada.says("/giveup", "/new chess")

    # then
    assert (played.level, played.mode, played.theme) == ("hard", "pegs", "animals")
    assert played.closes_at is not None
    assert "I can't make sense of “chess”" in ada.last
    assert len(ada.chat.games) == 1


@pytest.mark.game(secret=None, dice=7)
async def test_known_dice_draw_the_same_secret_again(game):
    # given
    ada = await game.person("Ada")

    # when
    await ada.says("/new")

    # then
    assert ada.chat.secret == "🍍🍇🍋🍎🍌🍑"  # random.Random(7)
