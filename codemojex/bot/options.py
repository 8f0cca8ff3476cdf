"""The words after `/new`: `[easy|normal|hard] [classic|pegs|blind] [theme] [minutes]`, in any order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from codemojex.game.keyboards import THEMES, Level, Mode, keyboard
from codemojex.game.refusals import BadMinutes, BadOption, OneOfAKind
from codemojex.play.games import LEAST_MINUTES, MOST_MINUTES, GameOptions

_NUMBER = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?")
_WHOLE = re.compile(r"0*([0-9]{1,4})")


def read_options(
    words: Sequence[str], fixed_secret: tuple[str, ...] | None, defaults: GameOptions
) -> GameOptions:
    """Read the words in any order; each kind of option once, or the same again.

    A fixed secret is kept for keyboards that have its symbols; any other game draws one.

    Raises:
        BadOption: a word is none of the known ones.
        OneOfAKind: two words of one kind that differ.
        BadMinutes: a number that is no time a game can have.
    """
    chosen: dict[str, object] = {}
    said: dict[str, str] = {}
    for word in words:
        kind, value = _read(word)
        if chosen.setdefault(kind, value) != value:
            raise OneOfAKind(kind, said[kind], word)
        said.setdefault(kind, word)
    options = replace(defaults, fixed_secret=None, **chosen)  # type: ignore[arg-type]  # each read below
    chars = keyboard(options.theme, options.level).chars
    if fixed_secret is not None and set(fixed_secret) <= set(chars):
        return replace(options, fixed_secret=fixed_secret)
    return options


def _read(word: str) -> tuple[str, object]:
    """The name of the option that ``word`` sets, and its value."""
    low = word.lower()
    if low in {level.value for level in Level}:
        return "level", Level(low)
    if low in {mode.value for mode in Mode}:
        return "mode", Mode(low)
    if low in THEMES:
        return "theme", low
    if _NUMBER.fullmatch(low):
        return "minutes", _minutes(low)
    raise BadOption(word)


def _minutes(number: str) -> int:
    whole = _WHOLE.fullmatch(number)
    minutes = int(whole[1]) if whole else 0
    if not LEAST_MINUTES <= minutes <= MOST_MINUTES:
        raise BadMinutes(number, LEAST_MINUTES, MOST_MINUTES)
    return minutes
