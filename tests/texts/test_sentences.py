"""Sentences: what a player reads, exact where it matters, and never more than the mode allows."""

from __future__ import annotations

import asyncio
import dataclasses
import re

import pytest

from codemojex.game.keyboards import Level, Mode
from codemojex.localtg.html import parse
from codemojex.play.games import Cause
from codemojex.play.views import Standing
from codemojex.texts import Texts, commands
from codemojex.texts.markup import messages
from codemojex.texts.proof import by_hand
from codemojex.texts.results import bar, pegs
from tests.texts import makers

TEXTS = Texts()
# What can end a game that somebody plays alone.
ALONE = [cause for cause in Cause if cause is not Cause.DAY_OVER]


def seen(markup: str) -> str:
    """What Telegram shows for ``markup``; refuses what Telegram refuses."""
    return parse(markup, lambda _: None)[0]


def test_a_classic_result_names_points_percent_best_and_rank_beside_a_bar() -> None:
    # given
    data = makers.result(total=420, percent=70, best=480, rank=2, of=5, number=4, limit=30)

    # then
    assert (
        seen(TEXTS.notice("result", data)) == "🍌🍎🍇🍓🍒🍍  420/600 · 70 % · best 480 · 2nd of 5\n▰▰▰▰▰▰▰▱▱▱"
    )


def test_a_first_guess_alone_says_its_points_and_what_is_left() -> None:
    # when
    said = seen(TEXTS.notice("result", makers.result()))

    # then
    assert said == "🍌🍎🍇🍓🍒🍍  560/600 · 93 %\n▰▰▰▰▰▰▰▰▰▱\n11 guesses left"


def test_a_better_guess_than_before_is_celebrated_and_a_worse_one_recalls_the_best() -> None:
    assert "✨ best so far" in TEXTS.notice("result", makers.result(number=2, new_best=True))
    assert "best 560" in TEXTS.notice("result", makers.result(number=3, total=400, percent=67))


@pytest.mark.parametrize(
    ("number", "said"), [(11, "one guess left"), (12, "no guesses left"), (7, "5 guesses left")]
)
def test_the_last_guesses_are_counted_down(number: int, said: str) -> None:
    assert said in TEXTS.notice("result", makers.result(number=number))


def test_in_company_only_the_last_few_guesses_are_counted() -> None:
    assert "left" not in TEXTS.notice("result", makers.result(of=3, number=24, limit=30))
    assert "5 guesses left" in TEXTS.notice("result", makers.result(of=3, number=25, limit=30))


def test_a_guess_without_points_has_no_rank() -> None:
    # when
    said = TEXTS.notice("result", makers.result(total=0, percent=0, best=0, rank=None, of=4, number=3))

    # then
    assert seen(said).startswith("🍌🍎🍇🍓🍒🍍  0/600 · 0 %\n▱▱▱▱▱▱▱▱▱▱")


def test_a_crack_is_told_proudly() -> None:
    # when
    said = seen(TEXTS.notice("result", makers.result(total=600, percent=100, best=600, number=2)))

    # then
    assert said == "🍌🍎🍇🍓🍒🍍  600/600 · 100 %\n▰▰▰▰▰▰▰▰▰▰\n🎉 That's the code!"


def test_the_bar_is_full_for_a_crack_only() -> None:
    assert [bar(total).count("▰") for total in (0, 20, 60, 300, 560, 600)] == [0, 0, 1, 5, 9, 10]


def test_pegs_say_how_many_are_in_place_and_never_which() -> None:
    assert (
        seen(TEXTS.notice("result", makers.pegs()))
        == "🍌🍎🍇🍓🍒🍍  4 in place · 1 elsewhere\n●●●●○·\n11 guesses left"
    )
    assert pegs(0, 0) == "······"
    assert pegs(6, 0) == "●●●●●●"


def test_a_blind_result_tells_nothing_even_of_data_that_holds_points() -> None:
    # when
    said = seen(TEXTS.notice("result", makers.blind(total=560, percent=93, exact=4, misplaced=2, best=560)))

    # then
    assert said == "🍌🍎🍇🍓🍒🍍  noted · 11 guesses left"


def test_a_late_guess_is_told_that_it_does_not_count() -> None:
    assert "too late" in TEXTS.notice("late", makers.result(late=True))


@pytest.mark.parametrize(("guesses", "said"), [(1, "very first guess"), (2, "in 2 guesses")])
def test_the_winner_is_told_how_many_guesses_it_took(guesses: int, said: str) -> None:
    assert said in TEXTS.notice("ended", makers.ended(guesses=guesses))


@pytest.mark.parametrize(("name", "said"), [("<3</a>", "<3</a> cracked"), ("\u3164", "Player 5 cracked")])
def test_everybody_else_is_told_who_won(name: str, said: str) -> None:
    # when
    told = seen(TEXTS.notice("ended", makers.ended(you_won=False, winner=name, best=480)))

    # then
    assert said in told
    assert "Your best: 480/600" in told


@pytest.mark.parametrize("cause", ALONE)
def test_the_end_shows_the_code_and_its_nonce_whatever_the_cause(cause: Cause) -> None:
    # when
    told = seen(TEXTS.notice("ended", makers.ended(reason=str(cause), you_won=False, best=None)))

    # then
    assert "".join(makers.SECRET) in told
    assert makers.NONCE in told


def test_each_cause_of_an_end_has_a_sentence_of_its_own() -> None:
    heads = {TEXTS.notice("ended", makers.ended(reason=str(c), you_won=False)).split("\n")[0] for c in ALONE}
    assert len(heads) == len(ALONE)


def test_an_unknown_kind_of_notice_has_no_sentence() -> None:
    with pytest.raises(KeyError):
        TEXTS.notice("riddle", {})


def test_a_new_game_shows_the_keyboard_by_name_and_the_commitment() -> None:
    # when
    said = seen(TEXTS.new_game(makers.game(minutes=15)))

    # then
    assert "A new code is hidden" in said
    assert "🍎 apple · 🍌 banana · 🍇 grapes" in said
    assert makers.COMMITMENT in said
    assert "You have 12 guesses." in said
    assert "ends in 15 minutes" in said


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("level", Level)
def test_nothing_said_of_an_open_game_spells_its_secret(mode: Mode, level: Level) -> None:
    # given
    game = makers.game(mode, level)
    board = makers.board(game, makers.row("Ada"), mine=Standing(480, 1, 1, 3))

    # when
    said = [TEXTS.new_game(game), TEXTS.not_a_guess(game), *TEXTS.board(board, makers.NOON), TEXTS.help()]

    # then
    told = re.sub(r"[\s·]", "", seen("\n".join(said)))
    assert "".join(makers.SECRET) not in told
    assert makers.NONCE not in told


def test_an_open_game_is_not_verified() -> None:
    with pytest.raises(ValueError, match="open game"):
        TEXTS.verify(makers.game())


async def test_the_line_to_verify_by_hand_prints_the_commitment_in_a_shell() -> None:
    for shell in ("bash", "sh"):
        # given
        line = by_hand(makers.SECRET, makers.NONCE)

        # when
        ran = await asyncio.create_subprocess_exec(
            shell, "-c", line, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        out, err = await ran.communicate()

        # then
        assert out.decode().split() == [makers.COMMITMENT, "-"], err


def test_verify_shows_the_line_as_it_has_to_be_typed() -> None:
    # when
    said = seen(TEXTS.verify(makers.game(closed=True)))

    # then
    assert by_hand(makers.SECRET, makers.NONCE) in said
    assert makers.COMMITMENT in said
    assert "✅" in said


def test_verify_says_so_when_the_commitment_was_not_kept() -> None:
    # given
    forged = dataclasses.replace(makers.game(closed=True), commitment="0" * 64)

    # then
    assert "❌" in TEXTS.verify(forged)


def test_the_board_lists_players_and_what_is_left_to_the_reader() -> None:
    # given
    rows = [
        makers.row("Ada"),
        makers.row("<3</a>", 6, rank=2, best=420, guesses=4),
        makers.row("\u3164", 5_000_001_234, rank=None, best=None, guesses=1),
    ]

    # when
    [said] = TEXTS.board(makers.board(makers.game(), *rows, mine=Standing(420, 2, 2, 4)), makers.NOON)

    # then
    assert seen(said) == (
        "📋 The game so far\n"
        "1. Ada · 480/600 · 3 guesses\n"
        "2. <3</a> · 420/600 · 4 guesses\n"
        "– Player 1234 · 1 guess\n"
        "\n"
        "You are 2nd of 2. You have 8 guesses left."
    )


def test_a_board_of_many_is_cut_between_its_rows() -> None:
    # given
    rows = [makers.row(f"Player number {n}", n, rank=n) for n in range(1, 301)]

    # when
    parts = TEXTS.board(makers.board(makers.game(), *rows), makers.NOON)

    # then
    told = "\n".join(seen(part) for part in parts)
    assert len(parts) > 1
    # One board must not become twenty messages; whoever looks is told their own place below it.
    assert all(f"\n{n}. Player number {n} · 480/600 · 3 guesses" in told for n in range(1, 101))
    assert "Player number 101" not in told
    assert "200 more" in told


def test_the_board_of_a_pegs_game_shows_pegs_and_of_a_blind_one_nothing() -> None:
    # given
    pegs_row = makers.row("Ada", best=None, exact=3, misplaced=2)
    blind_row = makers.row("Ada", rank=None, best=None)

    # when
    [pegs_board] = TEXTS.board(makers.board(makers.game(Mode.PEGS), pegs_row), makers.NOON)
    [blind_board] = TEXTS.board(makers.board(makers.game(Mode.BLIND), blind_row), makers.NOON)

    # then
    assert "1. Ada · 3 in place, 2 elsewhere · 3 guesses" in seen(pegs_board)
    assert "– Ada · 3 guesses" in seen(blind_board)
    assert "points show at its end" in blind_board


def test_the_board_of_a_closed_game_names_winner_and_code() -> None:
    # when
    game = makers.game(closed=True, winner_id=5)
    [said] = TEXTS.board(makers.board(game, makers.row("Ada", best=600)), makers.NOON)

    # then
    assert "🏆 Ada · 600/600" in seen(said)
    assert "The code was 🍎🍌🍇🍓🍒🍍." in seen(said)


def test_the_menu_of_commands_is_plain_words_within_telegrams_limits() -> None:
    for name, what in commands():
        assert re.fullmatch(r"[a-z]{1,32}", name)
        assert 1 <= len(what) <= 256
        assert f"/{name} – {what}" in seen(TEXTS.help())


def test_a_result_and_the_end_merge_into_one_message() -> None:
    # when
    parts = messages([TEXTS.notice("result", makers.result()), TEXTS.notice("ended", makers.ended())], "\n\n")

    # then
    assert len(parts) == 1
