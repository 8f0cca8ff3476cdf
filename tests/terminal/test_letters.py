"""Letters that stand for symbols."""

from __future__ import annotations

import pytest

from codemojex.terminal.letters import Letters
from codemojex.terminal.sending import slip
from tests.terminal.conftest import KEYS


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("abcdef", "🍎🍌🍇🍓🍒🍍"),
        ("ABCDEF", "🍎🍌🍇🍓🍒🍍"),
        ("a b c d e f", "🍎🍌🍇🍓🍒🍍"),
        ("abc🍓🍒🍍", "🍎🍌🍇🍓🍒🍍"),
        ("🍎\ufe0fbcdef", "🍎🍌🍇🍓🍒🍍"),
        ("aabcde", "🍎🍎🍌🍇🍓🍒"),
        ("abcde", "🍎🍌🍇🍓🍒"),
        ("abcdefg", "🍎🍌🍇🍓🍒🍍🥝"),
        ("bad", "bad"),
        ("abcdez", "abcdez"),
        ("/abcde", "/abcde"),
        ("hello", "hello"),
        ("", ""),
    ],
)
def test_six_letters_are_a_guess_and_words_stay_words(typed: str, sent: str) -> None:
    assert Letters(KEYS).translate(typed) == sent


def test_the_keyboard_of_the_moment_counts() -> None:
    # given
    now = [KEYS]
    letters = Letters(lambda: now[0])
    assert letters.translate("abcdef") == "🍎🍌🍇🍓🍒🍍"

    # when
    now[0] = [("a", "🐶", "dog"), ("b", "🐱", "cat")]

    # then
    assert letters.translate("ababab") == "🐶🐱🐶🐱🐶🐱"
    assert letters.example() == "ab"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("abcdez", "z is no letter of this keyboard: a-h."),
        ("abxdez", "x and z are no letters of this keyboard: a-h."),
        ("ABXZ", None),
        ("xabyczde", "x, y and z are no letters of this keyboard: a-h, and a guess needs six."),
        ("abz", "z is no letter of this keyboard: a-h, and a guess needs six."),
        ("abzz", None),
        ("bad", "“bad” has 3 letters; a guess needs six."),
        ("ABCD", "“ABCD” has 4 letters; a guess needs six."),
        ("abcdefgh", "“abcdefgh” has 8 letters; a guess needs six."),
        (" a b c d e z ", "z is no letter of this keyboard: a-h."),
        ("abcde", None),
        ("abcdef", None),
        ("abcdefg", None),
        ("ab", None),
        ("abcdefghabc", None),
        ("hello", None),
        ("abc def", None),
        ("abc1", None),
        ("/abc", None),
        ("/new", None),
        ("äbcd", None),
        ("abc🍓", None),
        ("", None),
    ],
)
def test_a_word_of_letters_that_is_no_guess_is_told_what_is_wrong_with_it(
    typed: str, said: str | None
) -> None:
    assert Letters(KEYS).slip(typed) == said


def test_without_a_keyboard_every_word_is_a_word() -> None:
    assert Letters(()).slip("abc") is None


def test_the_name_of_a_command_is_no_slip() -> None:
    assert slip("ahead", Letters(KEYS), []) is None
    assert slip("bead", Letters(KEYS), []) is not None
    assert slip("Bead", Letters(KEYS), [("bead", "a command")]) is None
