"""The words after `/new`: `[easy|normal|hard] [classic|pegs|blind] [theme] [minutes]`, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from codemojex.game.keyboards import THEMES, Level, Mode, keyboard
from codemojex.game.refusals import BadOption
from codemojex.play.games import GameOptions

_LONGEST_MINUTES = 24 * 60


def read_options(
    words: Sequence[str], fixed_secret: tuple[str, ...] | None, defaults: GameOptions
) -> GameOptions:
    """Read the words in any order; each kind of option at most once.

    A fixed secret is kept for keyboards that have its symbols; any other game draws one.

    Raises:
        BadOption: a word is none of the known ones, or a kind comes twice.
    """
    chosen: dict[str, object] = {}

    def choose(kind: str, value: object, word: str) -> None:
        if kind in chosen:
            raise BadOption(word)
        chosen[kind] = value

    for word in words:
        low = word.lower()
        if low in {level.value for level in Level}:
            choose("level", Level(low), word)
        elif low in {mode.value for mode in Mode}:
            choose("mode", Mode(low), word)
        elif low in THEMES:
            choose("theme", low, word)
        elif low.isascii() and low.isdigit() and 1 <= int(low[:6]) <= _LONGEST_MINUTES:
            choose("minutes", int(low), word)
        else:
            raise BadOption(word)
    options = replace(defaults, fixed_secret=None, **chosen)  # type: ignore[arg-type]  # each checked above
    chars = keyboard(options.theme, options.level).chars
    if fixed_secret is not None and set(fixed_secret) <= set(chars):
        return replace(options, fixed_secret=fixed_secret)
    return options
