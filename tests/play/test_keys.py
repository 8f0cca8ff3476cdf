"""Buttons: what they carry fits Telegram's limit, and what comes back is believed only in its form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemojex.game.keyboards import Level, keyboard
from codemojex.play.keys import MOST_BYTES, Action, Tap, key_rows, read_tap, tap_data

TAPS = st.builds(
    Tap,
    st.integers(1, 2**63 - 1),
    st.one_of(st.integers(0, 17), st.sampled_from(Action)),
    st.one_of(st.none(), st.integers(0, 10_000)),
)


@given(TAPS)
def test_a_button_is_read_as_it_was_written_and_fits(tap: Tap) -> None:
    data = tap_data(tap)
    assert len(data.encode()) <= MOST_BYTES
    assert read_tap(data) == tap


@given(st.text())
def test_nothing_else_is_a_button_and_nothing_raises(data: str) -> None:
    tap = read_tap(data)
    assert tap is None or tap_data(tap) == data or data.startswith("g:")


@pytest.mark.parametrize(
    "data",
    [
        None,
        "",
        "g:1:0",
        "g:0:0:0",
        "g:-1:0:0",
        "g:1:100:0",
        "g:1:submit:",
        "g:1:win:0",
        "g:1:0:0 ",
        "g:1:0:0\n",
        "g:١:0:0",
        f"g:{2**63}:0:0",
        "s:1:0:0",
    ],
)
def test_what_is_no_button_of_a_game_is_none(data: str | None) -> None:
    assert read_tap(data) is None


@pytest.mark.parametrize(("level", "rows"), [(Level.EASY, [6, 2, 3]), (Level.HARD, [6, 6, 6, 3])])
def test_a_keyboard_has_six_symbols_a_row_and_the_actions_below(level: Level, rows: list[int]) -> None:
    # given
    keys = keyboard(level=level)

    # when
    shown = key_rows(7, keys, None)["inline_keyboard"]

    # then
    assert [len(row) for row in shown] == rows
    symbols = [button["text"] for row in shown[:-1] for button in row]
    assert symbols == list(keys.chars)
    taps = [read_tap(button["callback_data"]) for button in shown[-1]]
    assert taps == [Tap(7, Action.DELETE, None), Tap(7, Action.CLEAR, None), Tap(7, Action.SUBMIT, None)]


def test_a_button_that_would_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="64 bytes"):
        tap_data(Tap(10**70, 0, 0))
