"""The emojis of a keyboard with their names: for screen readers, and for people who type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from codemojex.game.keyboards import THEMES, Keyboard, Theme
from codemojex.texts.language import Language
from codemojex.texts.markup import Html, as_html
from codemojex.texts.topic import rows

_A_ROW = 3
_DOT = " · "

# The key of each emoji's name: that of its English name, which the themes give.
KEYS: Mapping[str, str] = MappingProxyType(
    {
        symbol.char: f"symbol-{symbol.name.replace(' ', '-')}"
        for theme in THEMES.values()
        for symbol in theme.symbols
    }
)


def name(language: Language, char: str) -> Html:
    """What an emoji is called; the emoji itself when no theme of this version knows it."""
    key = KEYS.get(char)
    return as_html(char) if key is None else language.say(key)


def names(language: Language, chars: Sequence[str]) -> list[Html]:
    """Emojis with their names, three a row."""
    named = [f"{char} {name(language, char)}" for char in chars]
    return [Html(_DOT.join(named[i : i + _A_ROW])) for i in range(0, len(named), _A_ROW)]


def listed(language: Language, keyboard: Keyboard) -> Html:
    """The keyboard of a game, by name."""
    return rows(language.say("new-keyboard", len(keyboard.symbols)), *names(language, keyboard.chars))


def theme(language: Language, theme: Theme) -> Html:
    """Everything of a theme, by name."""
    named = ", ".join(f"{symbol.char} {name(language, symbol.char)}" for symbol in theme.symbols)
    title = language.say("rules-theme", title=language.say(f"theme-{theme.name}"), theme=theme.name)
    return rows(title, named)
