"""Parsing: a message's text to six symbols, by every path that people's keyboards take."""

from __future__ import annotations

import time

import pytest
import wcwidth
from hypothesis import example, given
from hypothesis import strategies as st

from codemojex.game.keyboards import Level, keyboard
from codemojex.game.parsing import MAX_CODE_POINTS, check_guess, clusters, looks_like_guess, parse_guess
from codemojex.game.refusals import Empty, NotSix, Repeated, TooLong, Unknown

FRUIT = keyboard()
SIX = ("🍎", "🍌", "🍇", "🍓", "🍒", "🍍")
INVISIBLE = "\u200b\u200c\u2060\ufeff\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

# What shapes clusters: emojis, tones, joiners, selectors, flags, keycaps, marks, Hangul, conjuncts, CRLF.
PIECES = st.sampled_from(
    [*SIX, *INVISIBLE, "🏽", "\u200d", "\ufe0f", "\ufe0e", "🇩", "🇪", "1", "\u20e3", "a", "e\u0301", "\u0308",
     "각", "ᄀ", "ᅡ", "क", "\u094d", "ष", "\u0e33", "👩", "🚀", "❤", "\U000e0067", "\U000e007f", "\u0600",
     "\r\n", " "]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.characters(exclude_categories=("Cs",)), max_size=60).map("".join)


def _seen(text):
    """The same rule over another library's graphemes."""
    kept = "".join(char for char in text if char not in INVISIBLE and not char.isspace())
    found = (
        cluster.replace("\ufe0f", "").replace("\ufe0e", "").removesuffix("\u200d")
        for cluster in wcwidth.iter_graphemes(kept)
    )
    return [cluster for cluster in found if cluster]


def test_six_plain_emojis_are_a_guess():
    assert parse_guess("🍎🍌🍇🍓🍒🍍", FRUIT) == SIX


def test_selectors_white_space_and_invisible_characters_change_nothing():
    """The recorded message that reached bots as `variation-selectors`."""
    assert parse_guess("🍎️ 🍌︎\n🍇​🍓🍒🍍‎", FRUIT) == SIX


@pytest.mark.parametrize("char", INVISIBLE, ids=lambda char: f"U+{ord(char):04X}")
def test_each_invisible_character_is_dropped_wherever_it_stands(char):
    assert parse_guess(char + char.join(SIX) + char, FRUIT) == SIX


def test_a_joiner_left_over_from_a_deleted_half_is_dropped():
    assert parse_guess("🍎🍌🍇🍓🍒🍍\u200d", FRUIT) == SIX


@pytest.mark.parametrize("selector", ["", "\ufe0f", "\ufe0e"])
def test_a_symbol_that_arrives_with_and_without_selector_is_the_same(selector):
    nature = keyboard("nature")
    assert parse_guess(f"⚡{selector}🌵🍄🌻🌊🌈", nature)[0] == "⚡"


@given(TEXTS)
@example("🍎️ 🍌︎\n🍇​🍓🍒🍍‎")
@example("\ufe0f🍎\u200d")
@example("\u200d\u200d🍎🏽\u200d🍌")
def test_symbols_are_what_another_library_counts_too(text):
    assert clusters(text) == _seen(text)


@given(
    st.permutations(list(FRUIT.chars)), st.lists(st.sampled_from(["", " ", *INVISIBLE, "\ufe0f"]), min_size=6)
)
def test_any_six_distinct_symbols_are_read_back_in_their_order(chars, noise):
    six = tuple(chars[:6])
    assert parse_guess("".join(map(str.__add__, six, noise)), FRUIT) == six


@given(TEXTS)
def test_whatever_arrives_is_a_guess_or_a_refusal(text):
    try:
        guess = parse_guess(text, FRUIT)
    except (NotSix, Unknown, Repeated):
        return
    assert len(set(guess)) == 6
    assert set(guess) <= set(FRUIT.chars)


@pytest.mark.parametrize("text", ["", " \n\t", INVISIBLE, "\ufe0f", "\u200d", "\u3000\u00a0"])
def test_nothing_to_see_is_empty(text):
    with pytest.raises(Empty) as refusal:
        parse_guess(text, FRUIT)
    assert (refusal.value.reason, refusal.value.count) == ("empty", 0)


@pytest.mark.parametrize(
    ("text", "count"), [("🍎🍌🍇🍓🍒🍍🥝", 7), ("🍎🍌🍇🍓🍒", 5), ("🍎", 1), ("hello you", 8)]
)
def test_more_or_fewer_than_six_are_counted(text, count):
    with pytest.raises(NotSix) as refusal:
        parse_guess(text, FRUIT)
    assert (refusal.value.reason, refusal.value.count) == ("not_six", count)


@pytest.mark.parametrize("length", [MAX_CODE_POINTS + 1, 4_000])
def test_a_long_message_is_not_looked_at(length):
    with pytest.raises(TooLong) as refusal:
        parse_guess("🍎" * length, FRUIT)
    assert (refusal.value.reason, refusal.value.length, refusal.value.limit) == ("too_long", length, 256)
    assert isinstance(refusal.value, NotSix)


def test_the_longest_message_that_is_looked_at_is_256_code_points():
    assert parse_guess("".join(SIX) + " " * 250, FRUIT) == SIX


@pytest.mark.parametrize("text", ["🍎\u200d" * 2_000, "\u200d" * 200_000, "🍎\u200d" * 128])
def test_a_joiner_chain_costs_nothing(text):
    """The recorded message that cost other bots their event loop as `joiner-chain`."""
    costs = []
    for _ in range(5):
        began = time.thread_time()
        with pytest.raises(NotSix):
            parse_guess(text, FRUIT)
        looks_like_guess(text)
        costs.append(time.thread_time() - began)
    assert min(costs) < 0.010


def test_unknown_symbols_are_named_by_position():
    with pytest.raises(Unknown) as refusal:
        parse_guess("🍎🚀🍇🍓x🍍", FRUIT)
    assert refusal.value.found == ((2, "🚀"), (5, "x"))
    assert (refusal.value.reason, refusal.value.position, refusal.value.shown) == ("unknown", 2, "🚀")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param("🍎🏽", id="a skin tone"),
        pytest.param("🍎\u200d🍌", id="a joined pair"),
        pytest.param("\uff11", id="a full-width digit"),
        pytest.param("🍏", id="a look-alike"),
        pytest.param("🥥", id="a symbol of the larger keyboard"),
    ],
)
def test_another_symbol_is_never_folded_into_one_of_the_keyboard(other):
    with pytest.raises(Unknown) as refusal:
        parse_guess(f"{other} 🍇🍓🍒🍍🥝", FRUIT)
    assert refusal.value.found == ((1, other),)


def test_a_tower_of_marks_is_shown_cut():
    with pytest.raises(Unknown) as refusal:
        parse_guess("z" + "\u0301" * 100 + "🍎🍌🍇🍓🍒", FRUIT)
    assert refusal.value.shown == "z" + "\u0301" * 7 + "…"


def test_a_repeated_symbol_names_both_positions():
    with pytest.raises(Repeated) as refusal:
        parse_guess("🍎🍌🍇🍌🍒🍍", FRUIT)
    repeated = refusal.value
    assert (repeated.reason, repeated.first, repeated.position, repeated.symbol) == ("repeated", 2, 4, "🍌")


def test_an_unknown_symbol_is_named_before_a_repeated_one():
    with pytest.raises(Unknown):
        parse_guess("🍎🍎🚀🍌🍒🍍", FRUIT)


def test_symbols_that_come_from_elsewhere_are_checked_the_same_way():
    assert check_guess(list(SIX), FRUIT) == SIX
    with pytest.raises(Unknown):
        check_guess([*SIX[:5], "🥥"], FRUIT)
    assert check_guess([*SIX[:5], "🥥"], keyboard("fruit", Level.HARD))[5] == "🥥"


@pytest.mark.parametrize(
    "text", ["🍎🍌🍇🍓🍒🍍", "🍎", "🍎 🍌\u200b🚀", "❤️", "👩\u200d🚀", "🇩🇪", "🍎🏽", "🍎" * 4_000]
)
def test_emojis_alone_look_like_a_guess(text):
    assert looks_like_guess(text)


@pytest.mark.parametrize("text", ["", "hello", "🍎 apple", "123456", "/new", "🍎🍌🍇🍓🍒.", INVISIBLE])
def test_words_digits_and_nothing_do_not_look_like_a_guess(text):
    assert not looks_like_guess(text)
