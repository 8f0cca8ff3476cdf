"""Pins: what they make of the symbols a player sends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemojex.game.keyboards import keyboard
from codemojex.game.parsing import check_guess
from codemojex.game.pins import NO_PINS, merge, placed, read_guess
from codemojex.game.refusals import (
    BadPosition,
    Empty,
    GuessRefused,
    NotFilling,
    NotOneSymbol,
    NotOnKeyboard,
    NotSix,
    PinTaken,
    Repeated,
    TooLong,
    Unknown,
)

KEYS = keyboard()
A, B, C, D, E, F, G, H = KEYS.chars[:8]
TWO = (None, B, None, None, E, None)  # pins at 2 and 5


def test_without_pins_a_guess_is_what_was_sent():
    assert merge([A, B, C, D, E, F], NO_PINS, KEYS) == (A, B, C, D, E, F)
    assert merge([A, B, C, D, E, F], (), KEYS) == (A, B, C, D, E, F)


def test_as_many_symbols_as_free_positions_fill_them_in_order():
    assert merge([A, C, D, F], TWO, KEYS) == (A, B, C, D, E, F)


def test_of_six_symbols_those_at_pinned_positions_give_way():
    assert merge([A, G, C, D, H, F], TWO, KEYS) == (A, B, C, D, E, F)


def test_what_stands_under_a_pin_is_not_even_looked_at():
    assert merge([A, "🚀", C, D, "🚀", F], TWO, KEYS) == (A, B, C, D, E, F)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7, 12])
def test_any_other_number_of_symbols_is_refused_with_what_is_free(count):
    with pytest.raises(NotFilling) as refusal:
        merge(KEYS.chars[:count], TWO, KEYS)
    assert (refusal.value.count, refusal.value.free) == (count, 4)
    assert isinstance(refusal.value, NotSix)


def test_the_merged_guess_is_validated_at_its_own_positions():
    with pytest.raises(Repeated) as twice:
        merge([A, C, B, F], TWO, KEYS)
    assert (twice.value.first, twice.value.position, twice.value.symbol) == (2, 4, B)
    with pytest.raises(Unknown) as unknown:
        merge([A, C, "🚀", F], TWO, KEYS)
    assert unknown.value.position == 4


def test_six_pins_are_a_guess_by_themselves():
    assert merge([], (A, B, C, D, E, F), KEYS) == (A, B, C, D, E, F)
    with pytest.raises(Empty):
        merge([], TWO, KEYS)


def test_text_is_read_like_any_guess():
    assert read_guess(f" {A}\ufe0f {C} {D}{F}", TWO, KEYS) == (A, B, C, D, E, F)
    with pytest.raises(TooLong):
        read_guess(A * 257, TWO, KEYS)


def test_a_pin_goes_where_it_is_put_and_takes_the_place_of_what_was_there():
    assert placed(NO_PINS, 3, f" {A} ", KEYS) == (None, None, A, None, None, None)
    assert placed(TWO, 2, C, KEYS) == (None, C, None, None, E, None)
    assert placed(TWO, 2, B, KEYS) == TWO
    assert placed(TWO, 6, F, KEYS) == (None, B, None, None, E, F)


@pytest.mark.parametrize("position", [-1, 0, 7, 99])
def test_there_are_six_positions(position):
    with pytest.raises(BadPosition) as refusal:
        placed(NO_PINS, position, A, KEYS)
    assert refusal.value.position == str(position)


@pytest.mark.parametrize(("text", "count"), [("", 0), (" \u200b", 0), (A + B, 2), ("x" * 300, 256)])
def test_a_pin_is_one_symbol(text, count):
    with pytest.raises(NotOneSymbol) as refusal:
        placed(NO_PINS, 1, text, KEYS)
    assert refusal.value.count == count


@pytest.mark.parametrize("symbol", ["🚀", "x", "🥕"])
def test_a_pin_is_on_the_keyboard(symbol):
    with pytest.raises(NotOnKeyboard) as refusal:
        placed(NO_PINS, 1, symbol, KEYS)
    assert refusal.value.shown == symbol


def test_a_symbol_is_pinned_once():
    with pytest.raises(PinTaken) as refusal:
        placed(TWO, 1, E, KEYS)
    assert (refusal.value.symbol, refusal.value.position) == (E, 5)


_SLOTS = st.permutations(KEYS.chars).flatmap(
    lambda chars: st.tuples(*(st.sampled_from([None, char]) for char in chars[:6]))
)


@given(pins=_SLOTS, symbols=st.lists(st.sampled_from((*KEYS.chars, "🚀")), max_size=8))
def test_whatever_is_sent_becomes_a_guess_that_holds_every_pin_or_is_refused(pins, symbols):
    try:
        six = merge(symbols, pins, KEYS)
    except GuessRefused:
        return
    assert check_guess(six, KEYS) == six
    assert all(pin in (None, symbol) for pin, symbol in zip(pins, six, strict=True))
    free = [symbol for pin, symbol in zip(pins, six, strict=True) if pin is None]
    assert free == [s for s, pin in zip(symbols, pins, strict=False) if pin is None] or free == symbols
