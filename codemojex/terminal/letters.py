"""Letters and names for symbols, so that a keyboard without emojis can play."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from string import ascii_lowercase
from types import MappingProxyType

from codemojex.texts.console import ConsoleTexts, console

Key = tuple[str, str, str]
"""(letter, emoji, name) of one symbol."""
Keyboard = Sequence[Key] | Callable[[], Sequence[Key]]
Slots = Sequence[str | None]
"""What is pinned to each place of a guess; None, or nothing at all, where nothing is."""

SYMBOLS = 6
_LONGEST_NAME = 3
"""Words of an emoji's name."""
# One too few or too many is a slip worth the bot's explanation; other lengths are words.
_NEAR = range(SYMBOLS - 1, SYMBOLS + 2)
_WORD = re.compile("[A-Za-z]{3,8}")
_COLONS = re.compile(r":([^\W\d_]+(?:[ _-][^\W\d_]+)*):")
_TAKES_SYMBOLS = re.compile(
    r"(/(?:guess|pin)(?:@\w+)?(?:\s+[1-6](?=\s))?\s+)(\S.*)", re.IGNORECASE | re.DOTALL
)


def lettered(chars: Sequence[str], words: ConsoleTexts) -> list[Key]:
    """The symbols of a keyboard with their letters, a to z, and their names in the language of ``words``."""
    return [(letter, char, words.symbol(char)) for letter, char in zip(ascii_lowercase, chars, strict=False)]


class Letters:
    """Reads letters and names as the symbols of the keyboard as it is now (a new game may change it).

    Args:
        keyboard: (letter, emoji, name) of each symbol, or a callable giving the current ones.
        pins: gives what is pinned now.
        names: every name of an emoji, in lower case, with its emoji; those of the keyboard count as well.
        words: gives the terminal's words, in the language of the moment.
    """

    def __init__(
        self,
        keyboard: Keyboard,
        pins: Callable[[], Slots] = tuple,
        names: Mapping[str, str] = MappingProxyType({}),
        words: Callable[[], ConsoleTexts] = console,
    ) -> None:
        self._keyboard = keyboard
        self._pins = pins
        self._names = {_plain(name): char for name, char in names.items()}
        self._chars = frozenset(names.values())
        self.words = words

    def row(self) -> Sequence[Key]:
        """The symbols as they stand now."""
        return self._keyboard() if callable(self._keyboard) else self._keyboard

    def pins(self) -> list[str | None]:
        """What is pinned to each of the six places."""
        return [*self._pins(), *[None] * SYMBOLS][:SYMBOLS]

    def free(self) -> int:
        """How many places are not pinned."""
        return self.pins().count(None)

    def is_symbol(self, text: str) -> bool:
        """Whether a text is one of the emojis that games are played with."""
        return text in self._chars or any(text == char for _, char, _ in self.row())

    def symbols(self, text: str) -> list[str] | None:
        """The symbols a text of letters, names and emojis stands for; None when it holds anything else."""
        names = self._all_names()
        parts = _COLONS.sub(lambda colons: f" {names.get(_plain(colons[1]), colons[0])} ", text)
        return self._read(parts.replace(",", " ").split(), names)

    def translate(self, text: str) -> str:
        """What to send for a typed line: letters and names become emojis where they are a guess or a pin.

        Everything else stays as it is.
        """
        command = _TAKES_SYMBOLS.fullmatch(text)
        if command is not None:
            found = self.symbols(command[2])
            return command[1] + "".join(found) if found else text
        found = self.symbols(text)
        return "".join(found) if found and self._is_near(len(found)) else text

    def slip(self, text: str) -> str | None:
        """What is wrong with a word that was likely meant as a guess; None when it was not, or looks right.

        Likely: three to eight letters, most of them on the keyboard; or several words, most of them names. What is
        about as many letters of the keyboard as a guess has goes to the bot as emojis, which knows better what is
        wrong with it.
        """
        parts = text.split()
        word = "".join(parts) if all(len(part) == 1 for part in parts) else text.strip()
        on_keyboard = {letter for letter, _, _ in self.row()}
        strange = [letter for letter in word.lower() if letter not in on_keyboard]
        if not _WORD.fullmatch(word):
            return self._strange_name(text)
        if 2 * len(strange) >= len(word):
            return None
        free = self.free()
        if not strange:
            return None if self._is_near(len(word)) else self.words().wrong_length(word, free)
        fits = len(word) in (SYMBOLS, free)
        return self.words().strange(list(dict.fromkeys(strange)), self.span(), None if fits else free)

    def span(self) -> str:
        """The letters in use, like ``a-l``."""
        letters = [letter for letter, _, _ in self.row()]
        return f"{letters[0]}-{letters[-1]}" if letters else ""

    def example(self) -> str:
        """Six letters, as one would type them."""
        return "".join(letter for letter, _, _ in self.row()[:SYMBOLS])

    # -- inside --------------------------------------------------------------------------------

    def _all_names(self) -> Mapping[str, str]:
        return {**self._names, **{_plain(name): char for _, char, name in self.row()}}

    def _read(self, parts: Sequence[str], names: Mapping[str, str]) -> list[str] | None:
        """Word by word: the longest name that begins there, else letters and emojis. A word alone is letters first."""
        found: list[str] = []
        at = 0
        while at < len(parts):
            spelled = self._spelled(parts[at])
            name, length = _name_at(parts, at, names)
            if name is not None and not (len(parts) == 1 and spelled and self._is_near(len(spelled))):
                found.append(name)
                at += length
            elif spelled is not None:
                found += spelled
                at += 1
            else:
                return None
        return found

    def _spelled(self, word: str) -> list[str] | None:
        by_letter = {letter: char for letter, char, _ in self.row()}
        known = self._chars.union(by_letter.values())
        found = []
        for char in word:
            if char in "\ufe0e\ufe0f":
                continue
            symbol = by_letter.get(char.lower(), char)
            if symbol not in known:
                return None
            found.append(symbol)
        return found

    def _strange_name(self, text: str) -> str | None:
        names, parts = self._all_names(), text.replace(",", " ").split()
        if text.startswith("/") or self.symbols(text) is not None:
            return None
        unknown, known, at = [], 0, 0
        while at < len(parts):
            name, length = _name_at(parts, at, names)
            if name is None and self._spelled(parts[at]) is None:
                unknown.append(parts[at])
            known += name is not None
            at += length
        return self.words().no_name(unknown) if known > max(1, len(unknown)) else None

    def _is_near(self, symbols: int) -> bool:
        return symbols in _NEAR or (symbols > 0 and abs(symbols - self.free()) <= 1)


def _name_at(parts: Sequence[str], at: int, names: Mapping[str, str]) -> tuple[str | None, int]:
    """The emoji of the longest name that begins at a word, and how many words that name has; (None, 1) without one."""
    for length in range(min(_LONGEST_NAME, len(parts) - at), 0, -1):
        char = names.get(_plain(" ".join(parts[at : at + length])))
        if char is not None:
            return char, length
    return None, 1


def _plain(name: str) -> str:
    """A name as it is looked up: hot_dog and Hot-Dog are hot dog."""
    return name.lower().replace("_", " ").replace("-", " ").replace("ё", "е")
