"""What a guess is worth: 100 for each symbol in its place, 20 less for each place it is off, 0 for a miss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

CRACKED: Final = 600
HINT_COST: Final = 60

_FULL: Final = 100
_PER_PLACE: Final = 20


@dataclass(frozen=True, slots=True)
class Score:
    """One guess against one secret.

    Attributes:
        total: 0 to 600.
        percent: of 600, rounded.
        exact: symbols in their place.
        misplaced: symbols that are in the secret, but in another place.
    """

    total: int
    percent: int
    exact: int
    misplaced: int


def distances(secret: Sequence[str], guess: Sequence[str]) -> tuple[int | None, ...]:
    """How many places each guessed symbol is off; None where it is not in the secret."""
    place = {symbol: i for i, symbol in enumerate(secret)}
    return tuple(abs(place[symbol] - i) if symbol in place else None for i, symbol in enumerate(guess))


def points(distance: int | None) -> int:
    """What one symbol earns, 0 to 100."""
    return 0 if distance is None else _FULL - _PER_PLACE * distance


def score(secret: Sequence[str], guess: Sequence[str]) -> Score:
    """The score of six distinct symbols against six distinct symbols."""
    off = distances(secret, guess)
    total = sum(points(distance) for distance in off)
    exact = sum(distance == 0 for distance in off)
    return Score(total, percent(total), exact, sum(distance is not None for distance in off) - exact)


def percent(total: int) -> int:
    """``total`` of 600 in percent. Totals are multiples of 20, so no half is ever rounded."""
    return round(total / 6)


def net(best: int | None, hints: int) -> int:
    """What a player's best total is worth once their hints are paid; never below 0."""
    return max(0, (best or 0) - HINT_COST * hints)
