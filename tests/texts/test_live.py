"""The live board of a group: one message, who leads, every guess it tells, and never too much of anything."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemojex.game.keyboards import Mode
from codemojex.localtg.html import parse
from codemojex.play.languages import LANGUAGES
from codemojex.texts import Texts, catalogs
from codemojex.texts.live import MAX_FEED
from codemojex.texts.markup import entities, fits, short
from tests.texts import makers
from tests.texts.test_sentences import seen

TEXTS = Texts()
GUESS = "".join(makers.NEAR)


def test_the_board_names_leaders_guesses_clock_and_how_to_guess() -> None:
    # given
    view = makers.board(makers.game(minutes=15), makers.row("Ada", hints=1), makers.row("Bob", 6, rank=2))

    # when
    said = seen(TEXTS.live_board(view, [makers.line("Bob")], makers.NOON + timedelta(minutes=3)))

    # then
    assert said == (
        "🔐 Crack the code: six different emojis, in order.\n"
        "12 guesses each. After each guess I tell you your points. ⏳ 12 minutes are left on the clock.\n"
        "\n"
        "1. Ada · 480/600 · 💡 −60 · 3 guesses\n"
        "2. Bob · 480/600 · 3 guesses\n"
        "\n"
        f"{GUESS} 420 · Bob\n"
        "\n"
        "Guess: /guess and six emojis, a reply to this message, or the buttons.\n"
        f"🔒 Sealed with {makers.COMMITMENT}"
    )


@pytest.mark.parametrize("code", LANGUAGES)
def test_where_six_emojis_are_enough_the_board_names_no_command(code: str) -> None:
    view = makers.board(makers.game())
    said = [
        seen(catalogs.of(code).live_board(view, [], makers.NOON, sees_all=sees)) for sees in (True, False)
    ]
    assert ["/guess" in each for each in said] == [False, True]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_board_that_is_over_still_shows_the_seal_beside_the_code(code: str) -> None:
    """The message was there before the game ended: what it sealed must not be edited away with the end."""
    said = seen(catalogs.of(code).live_board(makers.board(makers.game(closed=True)), [], makers.NOON))
    assert "".join(makers.SECRET) in said
    assert f" {makers.COMMITMENT}" in said[said.index("🔒") :]


@pytest.mark.parametrize(
    ("mode", "told", "said"),
    [
        (Mode.CLASSIC, {"total": 420}, f"{GUESS} 420 · Ada"),
        (Mode.CLASSIC, {"total": 600}, f"{GUESS} 🎉 · Ada"),
        (Mode.CLASSIC, {"total": 420, "late": True}, f"{GUESS} too late · Ada"),
        (Mode.PEGS, {"total": None, "exact": 4, "misplaced": 1}, f"{GUESS} ●4 ○1 · Ada"),
        (Mode.PEGS, {"total": None, "exact": 6, "misplaced": 0}, f"{GUESS} 🎉 · Ada"),
        (Mode.BLIND, {"total": None}, f"{GUESS} · Ada"),
    ],
)
def test_a_guess_says_what_the_mode_shows(mode: Mode, told: dict[str, Any], said: str) -> None:
    # when
    board = seen(TEXTS.live_board(makers.board(makers.game(mode)), [makers.line("Ada", **told)], makers.NOON))

    # then
    assert f"\n{said}\n" in board


def test_a_wish_to_give_up_is_shown_with_what_it_takes() -> None:
    # given
    view = makers.board(makers.game())

    # then
    assert "2 of 3 votes to give up" in TEXTS.live_board(view, [], makers.NOON, votes=2, needed=3)
    assert "give up" not in TEXTS.live_board(view, [], makers.NOON)


def test_the_board_of_a_game_that_is_over_shows_its_code_and_asks_for_no_guess() -> None:
    # when
    game = makers.game(closed=True, winner_id=5)
    said = seen(TEXTS.live_board(makers.board(game, makers.row("Ada", best=600)), [], makers.NOON))

    # then
    assert "🏆 Ada · 600/600" in said
    assert "".join(makers.SECRET) in said
    assert "/guess" not in said


def test_players_who_do_not_fit_are_counted() -> None:
    # given
    crowd = [makers.row(f"P{n}", n, rank=n) for n in range(1, 101)]

    # when
    said = seen(TEXTS.live_board(makers.board(makers.game(), *crowd), [], makers.NOON))

    # then
    shown = len(re.findall(r"^\d+\. P\d+ ·", said, re.MULTILINE))
    assert shown == 30
    assert "… and 70 more players" in said


@given(name=st.text(min_size=1, max_size=80), code=st.sampled_from(LANGUAGES), mode=st.sampled_from(Mode))
@settings(deadline=None)
def test_fifty_guesses_are_all_told_whatever_the_players_are_called(name: str, code: str, mode: Mode) -> None:
    # given
    feed = [makers.line(name, n, exact=1, misplaced=2) for n in range(MAX_FEED)]
    crowd = [makers.row(name, n, rank=n + 1, exact=1, misplaced=2) for n in range(40)]

    # when
    board = catalogs.of(code).live_board(
        makers.board(makers.game(mode, minutes=90), *crowd), feed, makers.NOON, votes=5, needed=21
    )

    # then
    assert fits(board)
    assert seen(board).count(GUESS) == MAX_FEED


@given(st.text(max_size=200))
def test_a_short_name_holds_no_link_and_turns_nothing(name: str) -> None:
    # when
    said, found = parse(short(name), lambda _: None)

    # then
    assert found == []
    assert entities(short(name)) == 0
    assert len(short(name)) <= 36
    assert "\u202e" not in said
    assert said.count("\u2068") == said.count("\u2069") <= 1


@pytest.mark.parametrize(
    ("name", "said"),
    [("Ada Lovelace", "Ada Lovelace"), ("Ada Lovelace of Ockham", "Ada Lovelace…"), ("&<>", "&<>")],
)
def test_a_short_name_is_the_name_as_far_as_it_goes(name: str, said: str) -> None:
    assert seen(short(name)) == said
