"""Keyboards: what every theme must be, and what a level takes of it."""

from __future__ import annotations

import json
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
import regex

from codemojex.game.keyboards import THEMES, Level, keyboard, keyboard_of
from codemojex.game.refusals import BadOption

VECTORS = json.loads((Path(__file__).parent / "scores.json").read_text(encoding="utf-8"))

DICE = set("🎲🎯🏀⚽🎳🎰")

# Emoji 12 and later, of the planes that hold single emojis: the blocks that were filled after 2018.
AFTER_EMOJI_11 = regex.compile(
    "[\U0001f6d5-\U0001f6df\U0001f6fa-\U0001f6fc\U0001f7e0-\U0001f7f0\U0001f90c-\U0001f90f\U0001f93f"
    "\U0001f971\U0001f972\U0001f977-\U0001f979\U0001f97b\U0001f9a3-\U0001f9af\U0001f9ba-\U0001f9bf"
    "\U0001f9c3-\U0001f9cf\U0001fa70-\U0001faff]"
)

# Pairs that people take for each other on a small screen; no theme may have two of one group.
LOOK_ALIKES = [
    "🍎🍅🍏", "🍊🍑🥭", "🐶🐺", "🐱🐯", "🐵🐒🙈", "🐔🐓🐤", "🐮🐂🐄", "🐷🐖🐽", "🎂🍰🧁", "🍦🍧🍨", "🍜🍲🍝",
    "🌙🌛🌜", "⭐🌟", "🌲🌳🎄", "🌹🌷🌺", "🌊💧", "🚗🚕🚙", "🚂🚆🚃", "🛵🏍", "⛵🚤", "🛶🚣", "🏰🏯", "🎁🎀",
    "🎷🎺", "🎸🎻", "📚📖", "⏰🕐", "🔑🗝", "🌍🌎🌏",
]  # fmt: skip

SYMBOLS = [
    pytest.param(theme.name, symbol, id=f"{theme.name}-{symbol.name}")
    for theme in THEMES.values()
    for symbol in theme.symbols
]


def _themes():
    return [pytest.param(theme, id=theme.name) for theme in THEMES.values()]


@pytest.mark.parametrize(("theme", "symbol"), SYMBOLS)
def test_a_symbol_is_one_code_point_shown_as_an_emoji_by_default_since_emoji_11(theme, symbol):
    assert len(symbol.char) == 1
    assert regex.fullmatch(r"\p{Emoji_Presentation}", symbol.char)
    assert not regex.fullmatch(r"\p{Emoji_Modifier}|\p{Regional_Indicator}", symbol.char)
    assert not AFTER_EMOJI_11.fullmatch(symbol.char), unicodedata.name(symbol.char)
    assert symbol.char not in DICE


@pytest.mark.parametrize("theme", _themes())
def test_a_theme_has_eighteen_distinct_symbols_with_distinct_names(theme):
    assert len(theme.symbols) == 18
    assert len({symbol.char for symbol in theme.symbols}) == 18
    assert len({symbol.name for symbol in theme.symbols}) == 18
    assert all(symbol.name.strip() for symbol in theme.symbols)


@pytest.mark.parametrize("theme", _themes())
def test_no_theme_has_two_symbols_that_look_alike(theme):
    chars = {symbol.char for symbol in theme.symbols}
    for group in LOOK_ALIKES:
        assert len(chars & set(group)) <= 1, group


def test_there_are_several_themes_and_fruit_is_one():
    assert len(THEMES) >= 3
    assert "fruit" in THEMES
    assert all(name == theme.name and theme.title for name, theme in THEMES.items())


def test_levels_take_the_first_8_12_and_18():
    boards = [keyboard("fruit", level).chars for level in Level]
    assert [len(chars) for chars in boards] == [8, 12, 18]
    assert all(large[: len(small)] == small for small, large in pairwise(boards))


def test_the_default_keyboard_plays_every_score_vector():
    used = set(VECTORS["secret"]).union(*(row["guess"] for row in VECTORS["rows"]))
    assert used <= set(keyboard().chars)
    assert set("🍎🍌🍇🍓🍒🍍") <= set(keyboard("fruit", Level.EASY).chars)


def test_an_unknown_theme_is_refused_by_name():
    with pytest.raises(BadOption) as refusal:
        keyboard("vegetables")
    assert refusal.value.option == "vegetables"


def test_a_game_keeps_the_symbols_it_was_opened_with_and_their_names():
    # when
    kept = keyboard_of("gone", Level.EASY, "🍎🐶\U0001f9ff")

    # then
    assert kept.chars == ("🍎", "🐶", "\U0001f9ff")
    assert [symbol.name for symbol in kept.symbols] == ["apple", "dog", "\U0001f9ff"]
