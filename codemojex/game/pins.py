"""Pins: symbols that keep their position, so that a guess need only say the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from codemojex.game.keyboards import CODE_LENGTH, Keyboard
from codemojex.game.parsing import MAX_CODE_POINTS, check_guess, clusters
from codemojex.game.refusals import (
    BadPosition,
    Empty,
    NotFilling,
    NotOneSymbol,
    NotOnKeyboard,
    PinTaken,
    TooLong,
)

# What stands at each of the six positions; None where there is no pin.
Slots = tuple[str | None, ...]

NO_PINS: Final[Slots] = (None,) * CODE_LENGTH


def read_guess(text: str, pins: Sequence[str | None], keyboard: Keyboard) -> tuple[str, ...]:
    """The guess that ``text`` makes with ``pins``; see `merge`.

    Raises:
        TooLong: over 256 code points; nothing else was looked at.
        Empty, NotSix, NotFilling, Unknown, Repeated: as they say.
    """
    if len(text) > MAX_CODE_POINTS:
        raise TooLong(len(text), MAX_CODE_POINTS)
    return merge(clusters(text), pins, keyboard)


def merge(symbols: Sequence[str], pins: Sequence[str | None], keyboard: Keyboard) -> tuple[str, ...]:
    """Six symbols with every pin in its position.

    ``symbols`` are six, of which those at pinned positions give way to the pins, or exactly as many as there
    are other positions, which they fill in their order.

    Args:
        pins: six slots, or nothing at all.

    Raises:
        NotFilling: they are neither; without pins it is NotSix.
        Empty, NotSix, Unknown, Repeated: the merged six are no guess; positions are those of the six.
    """
    if not any(pins):
        return check_guess(symbols, keyboard)
    free = sum(pin is None for pin in pins)
    if free and not symbols:
        raise Empty
    if len(symbols) == CODE_LENGTH:
        six = [symbol if pin is None else pin for symbol, pin in zip(symbols, pins, strict=True)]
    elif len(symbols) == free:
        rest = iter(symbols)
        six = [next(rest) if pin is None else pin for pin in pins]
    else:
        raise NotFilling(len(symbols), free)
    return check_guess(six, keyboard)


def placed(pins: Sequence[str | None], position: int, text: str, keyboard: Keyboard) -> Slots:
    """``pins`` with the one symbol that ``text`` holds at ``position``, in place of what was there.

    Raises:
        BadPosition: positions go from 1 to 6.
        NotOneSymbol: ``text`` is not one symbol.
        NotOnKeyboard: it is none of the keyboard's.
        PinTaken: it is pinned to another position.
    """
    check_position(position)
    found = clusters(text[:MAX_CODE_POINTS])
    if len(found) != 1:
        raise NotOneSymbol(len(found))
    [symbol] = found
    if symbol not in keyboard.chars:
        raise NotOnKeyboard(symbol)
    if symbol in pins and pins.index(symbol) != position - 1:
        raise PinTaken(symbol, pins.index(symbol) + 1)
    return (*pins[: position - 1], symbol, *pins[position:])


def check_position(position: int) -> None:
    """Refuse a position that no code has.

    Raises:
        BadPosition: positions go from 1 to 6.
    """
    if not 1 <= position <= CODE_LENGTH:
        raise BadPosition(position)
