"""Letters that stand for symbols."""

from __future__ import annotations

import pytest

from codemojex.terminal.footer import preview
from codemojex.terminal.letters import Letters, Slots
from codemojex.terminal.sending import slip
from codemojex.texts.console import console, names
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


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("apple banana grapes strawberry cherries pineapple", "🍎🍌🍇🍓🍒🍍"),
        ("Apple, BANANA, grapes, strawberry, cherries, pineapple", "🍎🍌🍇🍓🍒🍍"),
        (":apple::banana::grapes::strawberry::cherries::pineapple:", "🍎🍌🍇🍓🍒🍍"),
        (":apple: b 🍇 d cherries :pineapple:", "🍎🍌🍇🍓🍒🍍"),
        ("яблоко банан виноград клубника вишня ананас", "🍎🍌🍇🍓🍒🍍"),
        ("hot dog apple banana grapes cherries lemon", "🌭🍎🍌🍇🍒🍋"),
        (":hot_dog: apple banana grapes cherries lemon", "🌭🍎🍌🍇🍒🍋"),
        ("apple", "apple"),
        ("an apple a day", "an apple a day"),
        ("/pin 1 a", "/pin 1 🍎"),
        ("/pin 1 Banana", "/pin 1 🍌"),
        ("/PIN  6   :kiwi:", "/PIN  6   🥝"),
        ("/pin 1 z", "/pin 1 z"),
        ("/pin 1", "/pin 1"),
        ("/pin", "/pin"),
        ("/guess abcdef", "/guess 🍎🍌🍇🍓🍒🍍"),
        ("/new hard", "/new hard"),
        ("/join abcdef", "/join abcdef"),
    ],
)
def test_names_are_symbols_and_so_is_what_follows_pin_and_guess(typed: str, sent: str) -> None:
    assert Letters(KEYS, names=names()).translate(typed) == sent


def pinned(*slots: str | None) -> Letters:
    row: Slots = slots
    return Letters(KEYS, lambda: row, names())


@pytest.mark.parametrize(
    ("typed", "sent", "said"),
    [
        ("cdef", "🍇🍓🍒🍍", None),
        ("grapes d e f", "🍇🍓🍒🍍", None),
        ("abcdef", "🍎🍌🍇🍓🍒🍍", None),
        ("hi", "hi", None),
        ("cdz", "cdz", "z is no letter of this keyboard: a-h, and 4 are needed beside your pins."),
        ("cdez", "cdez", "z is no letter of this keyboard: a-h."),
        ("abcdefgh", "abcdefgh", "“abcdefgh” has 8 letters; 4 are needed beside your pins."),
    ],
)
def test_with_pins_a_guess_has_fewer_letters(typed: str, sent: str, said: str | None) -> None:
    letters = pinned("🍎", "🍌")
    assert letters.free() == 4
    assert letters.translate(typed) == sent
    assert letters.slip(typed) == said


@pytest.mark.parametrize(
    ("slots", "typed", "drawn"),
    [
        ((), "abc", "   🍎🍌🍇 · · ·"),
        ((), "apple b", "   🍎🍌 · · · ·"),
        (("🍎", None, "🍌"), "c", "   🍎🍇🍌 · · ·"),
        ((None, None, "🍌"), "c", "   🍇 · 🍌 · · ·"),
        (("🍎",), "abcdef", "   🍎🍌🍇🍓🍒🍍"),
        (("🍎",), "hello", ""),
    ],
)
def test_the_prompt_shows_the_guess_with_its_pins(
    slots: tuple[str | None, ...], typed: str, drawn: str
) -> None:
    assert "".join(part[1] for part in preview(pinned(*slots), typed)) == drawn


def test_a_word_among_names_that_is_none_is_named() -> None:
    letters = Letters(KEYS, names=names())
    said = letters.slip("apple banana grape strawberry cherries pineapple")
    assert said == "grape is no emoji that I know. /rules names them all."
    assert letters.slip("apple banana grapes strawberry cherries pineapple") is None
    assert letters.slip("I had an apple and a banana for lunch") is None


def test_slips_are_explained_in_the_language_of_the_moment() -> None:
    letters = Letters(KEYS, words=lambda: console("ru"))
    assert letters.slip("abz") == "Буквы z нет на этой клавиатуре: a-h, и для попытки нужно шесть."
    assert letters.slip("bad") == "В «bad» 3 буквы; для попытки нужно шесть."
