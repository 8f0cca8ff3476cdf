"""Alone with the bot: guesses and what is said to them, the ways a game ends, and the proof afterwards."""

from __future__ import annotations

import hashlib
import re
import subprocess

import pytest

from tests.play.makers import WRONG

NEAR = "🍌🍎🍇🍓🍒🍍"  # 560
FAR = "🍍🍒🍓🍇🍌🍎"  # 240
MISS = "🥝🍑🍋🍉🍈🍐"  # 0


async def test_a_guess_is_answered_with_its_points_and_the_best_so_far(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    await ada.guesses(NEAR)
    first = ada.last
    await ada.guesses(FAR)

    # then
    assert "560/600 · 93 %" in first
    assert "240/600 · 40 %" in ada.last
    assert "best 560" in ada.last
    assert "10 guesses left" in ada.last


async def test_six_right_end_the_game_and_show_secret_and_nonce(game):
    # given
    bo = await game.person("Bo")
    await bo.says("/new")
    await bo.guesses(NEAR)

    # when
    await bo.guesses(bo.chat.secret)

    # then
    assert bo.chat.winner == "Bo"
    assert "You cracked it in 2 guesses" in bo.last
    assert bo.chat.secret in bo.last
    assert bo.chat.played.nonce in bo.last


async def test_giving_up_alone_ends_the_game_at_once(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    await ada.guesses(NEAR)

    # when
    await ada.says("/giveup")

    # then
    assert ada.chat.winner is None
    assert ada.chat.played.closed_reason == "gave_up"
    assert "You gave up" in ada.last
    assert ada.chat.secret in ada.last


async def test_the_clock_ends_the_game(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new 15")
    await ada.guesses(NEAR)

    # when
    await game.pass_time(minutes=14, seconds=50)
    before = ada.chat.played.open
    await game.pass_time(seconds=15)

    # then
    assert before
    assert ada.chat.played.closed_reason == "clock"
    assert "Time's up!" in ada.last


async def test_a_guess_after_the_clock_ran_out_is_refused(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new 1")
    await game.pass_time(minutes=2)

    # when
    await ada.guesses(ada.chat.secret)

    # then
    assert ada.chat.winner is None
    assert await ada.chat.guessed() == []


async def test_a_game_alone_has_no_clock_and_twelve_guesses(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    await game.pass_time(days=30)
    await ada.guesses(*WRONG[:12])

    # then
    assert ada.chat.played.closes_at is None
    assert ada.chat.played.closed_reason == "out_of_guesses"
    assert "That was your last guess" in ada.last
    assert len(await ada.chat.guessed()) == 12


async def test_there_is_one_game_at_a_time(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    await ada.says("/new hard")

    # then
    assert "A game is on already" in ada.last
    assert len(ada.chat.games) == 1


async def test_the_commitment_shown_at_the_start_is_that_of_the_secret_shown_at_the_end(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")
    shown = re.search(r"[0-9a-f]{64}", "".join(ada.chat.texts))

    # when
    await ada.says("/giveup")
    nonce = re.search(r"\b[0-9a-f]{32}\b", ada.last)

    # then
    sealed = "\x1e".join([*ada.chat.secret, nonce[0]])
    assert hashlib.sha256(sealed.encode()).hexdigest() == shown[0]


async def test_verify_proves_it_and_its_command_prints_the_same(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new", "/giveup")

    # when
    await ada.says("/verify")
    command = re.search(r"printf .* sha256sum", ada.last)

    # then
    assert "The code never changed" in ada.last
    printed = subprocess.run(["bash", "-c", command[0]], capture_output=True, text=True, check=True).stdout
    assert ada.chat.played.commitment in printed


async def test_an_open_game_cannot_be_verified(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    await ada.says("/verify")

    # then
    assert ada.chat.played.nonce not in ada.last
    assert "nothing to check yet" in ada.last


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("🍎🍌🍇🍓🍒", "I count 5"),
        ("🍎🍌🍇🍓🍒🍍🍋", "I count 7"),
        ("🍎🍌🍇🍓🍒🍎", "twice, at positions 1 and 6"),
        ("🍎🍌🍇🍓🍒🥦", "🥦 (position 6)"),
        ("🍎🍌🍇🍓🍒🏴‍☠️", "(position 6)"),
        ("👍🏽🍌🍇🍓🍒🍍", "(position 1)"),
    ],
)
async def test_what_is_no_guess_is_refused_with_the_reason_and_costs_nothing(game, text, reason):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    await ada.says(text)

    # then
    assert reason in ada.last
    assert "cost you nothing" in ada.last
    assert await ada.chat.guessed() == []


@pytest.mark.parametrize(
    "text", ["🍎 🍌 🍇 🍓 🍒 🍍", "🍎\ufe0f🍌\u200b🍇🍓🍒🍍\u2069", "/guess 🍎🍌🍇🍓🍒🍍"]
)
async def test_a_guess_may_be_written_in_many_ways(game, text):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    await ada.says(text)

    # then
    assert ada.chat.winner == "Ada"


@pytest.mark.game(guesses_per_second=1, guesses_burst=3)
async def test_a_flood_is_slowed_down_and_told_once(game):
    # given
    ada = await game.person("Ada")
    await ada.says("/new")

    # when
    now = game.clock()
    for wrong in WRONG[:8]:
        await ada.says(wrong, at=now)

    # then
    assert len(await ada.chat.guessed()) == 3
    assert sum("Easy!" in text for text in ada.chat.texts) == 1
