"""A guess on its way: pins where they are, the rest in order, exactly as the guess will be merged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemojex.game.keyboards import keyboard
from codemojex.game.pins import NO_PINS, merge
from codemojex.game.refusals import GuessRefused
from codemojex.texts import Texts
from codemojex.texts.slots import slots
from tests.texts import makers
from tests.texts.test_sentences import seen

TEXTS = Texts()
BOARD = keyboard()
PINS = (None, None, "🍌", None, None, None)


@pytest.mark.parametrize(
    ("draft", "pins", "said"),
    [
        ("", NO_PINS, "⬜⬜⬜⬜⬜⬜"),
        ("", (), "⬜⬜⬜⬜⬜⬜"),
        ("🍎🍇", NO_PINS, "🍎🍇⬜⬜⬜⬜"),
        ("🍎🍇", PINS, "🍎🍇🍌⬜⬜⬜"),
        ("🍎🍇🍓", PINS, "🍎🍇🍌🍓⬜⬜"),
        ("🍎🍇🍓🍒🍍🍋", PINS, "🍎🍇🍌🍒🍍🍋"),
    ],
)
def test_the_slots_show_pins_and_draft(draft: str, pins: tuple[str | None, ...], said: str) -> None:
    assert slots(draft, pins) == said
    assert TEXTS.toast(draft, pins) == said


@given(st.permutations(BOARD.chars), st.sets(st.integers(0, 5), max_size=5), st.booleans())
def test_a_full_draft_is_shown_as_the_guess_it_makes(chars: list[str], pinned: set[int], six: bool) -> None:
    # given
    pins = tuple(chars[i] if i in pinned else None for i in range(6))
    draft = chars[6:12] if six else chars[6 : 12 - len(pinned)]

    # when
    try:
        guess = merge(draft, pins, BOARD)
    except GuessRefused:
        guess = ()

    # then
    assert guess
    assert slots(draft, pins) == "".join(guess)


def test_the_line_of_a_composer_names_the_pins() -> None:
    said = seen(TEXTS.composer_line("🍎🍇", PINS, BOARD))
    assert said == "🎯 Your guess: 🍎🍇🍌⬜⬜⬜\n📌 🍌 at 3"
    assert "📌" not in TEXTS.composer_line("🍎🍇", NO_PINS, BOARD)


def test_a_draft_shows_nothing_that_is_not_on_the_keyboard() -> None:
    assert "🐶" not in TEXTS.composer_line("🐶🍇", PINS, BOARD)


def test_pins_say_what_is_left_to_send() -> None:
    assert "Send the 5 emojis that are missing" in TEXTS.pinned(PINS)
    assert "All six places are pinned" in TEXTS.pinned(makers.SECRET)
    assert "Nothing is pinned" in TEXTS.unpinned(NO_PINS)
    assert "📌 Pinned: ⬜⬜🍌⬜⬜⬜" in TEXTS.unpinned(PINS)
