"""The words after `/new`: any order, each kind once, and a refusal that names what does not fit."""

from __future__ import annotations

import pytest

from codemojex.bot.options import read_options
from codemojex.game.keyboards import Level, Mode
from codemojex.game.refusals import BadMinutes, BadOption, OneOfAKind
from codemojex.play.games import GameOptions


def _read(words: str) -> GameOptions:
    return read_options(words.split(), None, GameOptions())


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("", GameOptions()),
        ("15 animals PEGS hard", GameOptions(Level.HARD, Mode.PEGS, "animals", 15)),
        ("1", GameOptions(minutes=1)),
        ("1440", GameOptions(minutes=1_440)),
        ("007", GameOptions(minutes=7)),
        ("hard Hard", GameOptions(level=Level.HARD)),
    ],
)
def test_words_are_read_in_any_order(words: str, options: GameOptions) -> None:
    assert _read(words) == options


@pytest.mark.parametrize(
    ("words", "kind", "first", "option"),
    [
        ("easy hard", "level", "easy", "hard"),
        ("pegs easy blind", "mode", "pegs", "blind"),
        ("fruit 5 Food", "theme", "fruit", "Food"),
        ("10 20", "minutes", "10", "20"),
    ],
)
def test_two_of_a_kind_are_refused_as_such(words: str, kind: str, first: str, option: str) -> None:
    with pytest.raises(OneOfAKind) as refusal:
        _read(words)
    assert (refusal.value.kind, refusal.value.first, refusal.value.option) == (kind, first, option)


@pytest.mark.parametrize(
    "number", ["0", "000", "1441", "100000", "-5", "+5", "1.5", "0,5", "00001500000", "9" * 5_000]
)
def test_a_number_that_is_no_time_names_the_range(number: str) -> None:
    with pytest.raises(BadMinutes) as refusal:
        _read(number)
    assert (refusal.value.least, refusal.value.most) == (1, 1_440)


@pytest.mark.parametrize("word", ["foods", "15m", "--", "½", "<b>"])
def test_a_word_that_means_nothing_is_refused_as_that(word: str) -> None:
    with pytest.raises(BadOption) as refusal:
        _read(word)
    assert type(refusal.value) is BadOption
    assert refusal.value.option == word
