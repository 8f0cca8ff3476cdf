"""Keyboards: a theme's first 8, 12 or 18 symbols. The themes themselves are in ``themes``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import lru_cache
from types import MappingProxyType

from codemojex.game import themes
from codemojex.game.refusals import BadOption

CODE_LENGTH = 6
DEFAULT_THEME = "fruit"


class Level(StrEnum):
    """How large the keyboard is."""

    EASY = "easy"
    NORMAL = "normal"
    HARD = "hard"

    @property
    def size(self) -> int:
        """Symbols on the keyboard."""
        return _Size[self.name].value


class _Size(IntEnum):
    EASY = 8
    NORMAL = 12
    HARD = 18


class Mode(StrEnum):
    """What a player is told after a guess."""

    CLASSIC = "classic"  # total, percent, best, rank
    PEGS = "pegs"  # how many are exactly right, how many are right but misplaced
    BLIND = "blind"  # nothing until the end


@dataclass(frozen=True, slots=True)
class Symbol:
    """One emoji, a single code point, and its name for screen readers and for people who type."""

    char: str
    name: str


@dataclass(frozen=True, slots=True)
class Theme:
    """Eighteen symbols that belong together, the most distinct first."""

    name: str
    title: str
    symbols: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class Keyboard:
    """The symbols of one game, in the order in which they are shown."""

    theme: str
    level: Level
    symbols: tuple[Symbol, ...]

    @property
    def chars(self) -> tuple[str, ...]:
        """The emojis alone, in order."""
        return tuple(symbol.char for symbol in self.symbols)


THEMES: Mapping[str, Theme] = MappingProxyType(
    {
        name: Theme(name, title, tuple(Symbol(*pair) for pair in pairs))
        for name, (title, pairs) in themes.THEMES.items()
    }
)


def keyboard(theme: str = DEFAULT_THEME, level: Level = Level.NORMAL) -> Keyboard:
    """The keyboard of a theme at a level.

    Raises:
        BadOption: there is no such theme.
    """
    if theme not in THEMES:
        raise BadOption(theme)
    return Keyboard(theme, level, THEMES[theme].symbols[: level.size])


@lru_cache(maxsize=1_024)
def keyboard_of(theme: str, level: Level, chars: str) -> Keyboard:
    """The keyboard a running game was opened with, from its stored emojis.

    A theme may change between two versions of the program; a game keeps the symbols it started with.
    """
    names = {symbol.char: symbol.name for known in THEMES.values() for symbol in known.symbols}
    return Keyboard(theme, level, tuple(Symbol(char, names.get(char, char)) for char in chars))
