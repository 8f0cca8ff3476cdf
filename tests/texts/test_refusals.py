"""Refusals: each kind has a sentence of its own in each language, and says what was wrong."""

from __future__ import annotations

import pytest

from codemojex.game import refusals
from codemojex.game.refusals import GameRefused, GuessRefused
from codemojex.texts import Texts
from codemojex.texts.refusals import REFUSALS
from tests.texts.refused import REFUSED
from tests.texts.test_sentences import seen

TEXTS = Texts()


def _kinds(parent: type[Exception]) -> set[type[Exception]]:
    return {kind for child in parent.__subclasses__() for kind in {child, *_kinds(child)}}


def test_every_refusal_of_the_game_has_its_sentence_in_the_table() -> None:
    # given
    kinds = {
        kind
        for kind in _kinds(GuessRefused) | _kinds(GameRefused)
        if kind.__module__.startswith(f"{refusals.__name__}.")
    }

    # then
    assert {kind.reason for kind in kinds} == set(REFUSALS)
    assert {refusal.reason for refusal in REFUSED} == set(REFUSALS)


def test_no_two_refusals_say_the_same() -> None:
    said = [TEXTS.refused(refusal) for refusal in REFUSED]
    assert len(set(said)) == len(said)


def test_a_refusal_nobody_has_a_sentence_for_is_answered_all_the_same() -> None:
    # given
    class Novel(GameRefused):
        reason = "novel"

    # then
    assert TEXTS.refused(Novel()) == "That can't be done just now. /help lists what I understand."


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        (refusals.NotSix(7), "I count 7"),
        (refusals.Repeated(4, 1, "🍎"), "🍎 is in there twice, at positions 1 and 4."),
        (refusals.Unknown(((3, "🥝"),)), "🥝 (position 3) is not on this game's keyboard."),
        (refusals.Unknown(((1, "🐶"), (6, "<"))), "🐶 (position 1), < (position 6)."),
        (refusals.OutOfGuesses(12), "all 12 guesses"),
        (refusals.TooFast(1.0, tell=True), "one guess a second"),
        (refusals.TooFast(4.0, tell=True), "4 guesses a second"),
        (refusals.TooFast(0.2, tell=True), "one guess in 5 seconds"),
        (refusals.BadOption("fruits"), "“fruits”"),
        (refusals.BadOption("fruits"), "its minutes, 1 to 1440."),
        (refusals.OneOfAKind("level", "easy", "hard"), "Only one of easy, normal or hard fits"),
        (refusals.OneOfAKind("mode", "pegs", "blind"), "Only one of classic, pegs or blind fits"),
        (refusals.OneOfAKind("theme", "fruit", "food"), "Only one theme fits a game: fruit or food?"),
        (refusals.OneOfAKind("minutes", "10", "20"), "only one clock: 10 or 20 minutes?"),
        (refusals.BadMinutes("0", 1, 1_440), "“0” is no time for a game. Give it 1 to 1440 minutes"),
    ],
)
def test_a_refusal_names_what_was_wrong(refusal: GuessRefused | GameRefused, said: str) -> None:
    assert said in seen(TEXTS.refused(refusal) or "")


def test_a_flood_is_told_once() -> None:
    assert TEXTS.refused(refusals.TooFast(1.0, tell=True)) is not None
    assert TEXTS.refused(refusals.TooFast(1.0, tell=False)) is None
    assert TEXTS.refused(refusals.TooMuch(tell=False)) is None
