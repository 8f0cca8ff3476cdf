"""Answers to commands: which game /verify means, the clock of /board, what /help names, a secret refused."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import pytest

from codemojex.game.keyboards import THEMES, Level, keyboard
from codemojex.game.parsing import parse_guess
from codemojex.game.refusals import GuessRefused
from codemojex.play.views import Standing
from codemojex.texts import Texts
from codemojex.texts.markup import fits
from tests.texts import makers
from tests.texts.test_sentences import seen

TEXTS = Texts()


def test_verify_says_which_game_it_is_about_while_another_is_on() -> None:
    # when
    meanwhile = seen(TEXTS.verify(makers.game(closed=True), playing=True))

    # then
    assert meanwhile.startswith("This is about your last finished game.")
    assert meanwhile.endswith(seen(TEXTS.verify(makers.game(closed=True))))


def test_nothing_to_verify_yet_does_not_send_a_player_to_start_another_game() -> None:
    assert "/new" in TEXTS.nothing_to_verify()
    assert "/new" not in TEXTS.nothing_to_verify(playing=True)


def test_a_board_of_thousands_is_a_few_messages_that_end_with_ones_own_place() -> None:
    # given: the puzzle of a day, in the middle of it
    crowd = [makers.row(f"Player {n} & Co", n, rank=n) for n in range(1, 5_001)]
    mine = Standing(480, 4_321, 5_000, 1)

    # when
    said = TEXTS.board(makers.board(makers.game(), *crowd, mine=mine), makers.NOON)

    # then
    assert len(said) <= 3
    assert all(fits(message) for message in said)
    assert "100. Player 100" in said[-1]
    assert "… and 4900 more players" in said[-1]
    assert "4321st of 5000" in said[-1]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "⏳ 15 minutes are left on the clock."),
        (1, "⏳ 15 minutes are left on the clock."),
        (14 * 60, "⏳ One minute is left on the clock."),
        (14 * 60 + 1, "⏳ Less than a minute is left on the clock."),
        (15 * 60 - 0.001, "⏳ Less than a minute is left on the clock."),
        (15 * 60, "⏰ Time's up!"),
        (16 * 60, "⏰ Time's up!"),
    ],
)
def test_the_board_of_a_game_with_a_clock_says_what_is_left_of_it(seconds: float, said: str) -> None:
    # when
    [board] = TEXTS.board(
        makers.board(makers.game(minutes=15), makers.row("Ada")), makers.NOON + timedelta(seconds=seconds)
    )

    # then
    assert said in seen(board)


def test_a_board_speaks_of_no_clock_where_none_runs() -> None:
    closed = dataclasses.replace(makers.game(closed=True), closes_at=makers.NOON + timedelta(minutes=5))
    for game in (makers.game(), closed):
        [board] = TEXTS.board(makers.board(game, makers.row("Ada")), makers.NOON)
        assert "clock" not in board
        assert "minute" not in board


@pytest.mark.parametrize(
    ("secret", "said"),
    [
        ("🍎🍌🍇", "a secret has six different emojis; I count 3."),
        ("abcdef<", "a secret has six different emojis; I count 7."),
        (" ", "a secret has six different emojis; I count 0."),
        ("🍎" * 300, "that's far too long for a secret; six different emojis will do."),
        ("🍎🍎🍇🍓🍒🍍", "🍎 is in there twice, at positions 1 and 2; all six emojis must differ."),
        (
            "🐶🍌🍇🍓🍒🍍",
            "🐶 (position 1) is not on the easy fruit keyboard, which has 🍎 🍌 🍇 🍓 🍒 🍍 🍋 🍉.",
        ),
        ("🐶🍌🍇🍓🍒&", "🐶 (position 1), & (position 6) are not on the easy fruit keyboard, which has"),
    ],
)
def test_a_secret_that_cannot_be_one_is_refused_in_one_plain_sentence(secret: str, said: str) -> None:
    # given
    board = keyboard("fruit", Level.EASY)

    # when
    with pytest.raises(GuessRefused) as refusal:
        parse_guess(secret, board)

    # then
    assert TEXTS.bad_secret(refusal.value, board).startswith(said)


def test_help_names_every_theme_and_the_minutes_a_game_may_take() -> None:
    # when
    said = seen(TEXTS.help())

    # then
    assert f"Themes: {', '.join(THEMES)}." in said
    assert "minutes, 1 to 1440" in said


@pytest.mark.parametrize(
    ("minutes", "said"),
    [(1, "ends in a minute."), (2, "ends in 2 minutes."), (1_440, "ends in 1440 minutes.")],
)
def test_a_new_game_with_a_clock_names_its_end(minutes: int, said: str) -> None:
    assert f"The game {said}" in seen(TEXTS.new_game(makers.game(minutes=minutes)))
    assert "ends in" not in seen(TEXTS.new_game(makers.game()))
