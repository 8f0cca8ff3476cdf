"""Letters that stand for symbols."""

from __future__ import annotations

import pytest

from codemojex.terminal.letters import Letters
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
