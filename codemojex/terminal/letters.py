"""A letter for every symbol, so that a keyboard without emojis can play."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Key = tuple[str, str, str]
"""(letter, emoji, name) of one symbol."""
Keyboard = Sequence[Key] | Callable[[], Sequence[Key]]

SYMBOLS = 6
# One too few or too many is a slip worth the bot's explanation; other lengths are words.
_NEAR = range(SYMBOLS - 1, SYMBOLS + 2)
_WORD = re.compile("[A-Za-z]{3,8}")


class Letters:
    """Reads letters as the symbols of the keyboard as it is now (a new game may change it)."""

    def __init__(self, keyboard: Keyboard) -> None:
        self._keyboard = keyboard

    def row(self) -> Sequence[Key]:
        """The symbols as they stand now."""
        return self._keyboard() if callable(self._keyboard) else self._keyboard

    def symbols(self, text: str) -> list[str] | None:
        """The symbols a text of letters and emojis stands for; None when it holds anything else."""
        by_letter = {letter: char for letter, char, _ in self.row()}
        chars = set(by_letter.values())
        found = []
        for char in text:
            if char.isspace() or char in "\ufe0e\ufe0f":
                continue
            symbol = by_letter.get(char.lower(), char)
            if symbol not in chars:
                return None
            found.append(symbol)
        return found

    def translate(self, text: str) -> str:
        """What to send for a typed line: six letters become six emojis, the rest stays as it is."""
        found = self.symbols(text)
        return "".join(found) if found and len(found) in _NEAR else text

    def slip(self, text: str) -> str | None:
        """What is wrong with a word that was likely meant as a guess; None when it was not, or looks right.

        Likely: three to eight letters, most of them on the keyboard. What is five to seven letters of the
        keyboard goes to the bot as emojis, which knows better what is wrong with it.
        """
        parts = text.split()
        word = "".join(parts) if all(len(part) == 1 for part in parts) else text.strip()
        on_keyboard = {letter for letter, _, _ in self.row()}
        strange = [letter for letter in word.lower() if letter not in on_keyboard]
        if not _WORD.fullmatch(word) or 2 * len(strange) >= len(word):
            return None
        if not strange:
            return None if len(word) in _NEAR else f"“{word}” has {len(word)} letters; a guess needs six."
        *others, last = dict.fromkeys(strange)
        named = f"{', '.join(others)} and {last} are no letters" if others else f"{last} is no letter"
        needs = "" if len(word) == SYMBOLS else ", and a guess needs six"
        return f"{named} of this keyboard: {self.span()}{needs}."

    def span(self) -> str:
        """The letters in use, like ``a-l``."""
        letters = [letter for letter, _, _ in self.row()]
        return f"{letters[0]}-{letters[-1]}" if letters else ""

    def example(self) -> str:
        """Six letters, as one would type them."""
        return "".join(letter for letter, _, _ in self.row()[:SYMBOLS])
