"""A letter for every symbol, so that a keyboard without emojis can play."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Key = tuple[str, str, str]
"""(letter, emoji, name) of one symbol."""
Keyboard = Sequence[Key] | Callable[[], Sequence[Key]]

SYMBOLS = 6
# One too few or too many is a slip worth the bot's explanation; other lengths are words.
_NEAR = range(SYMBOLS - 1, SYMBOLS + 2)


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

    def span(self) -> str:
        """The letters in use, like ``a-l``."""
        letters = [letter for letter, _, _ in self.row()]
        return f"{letters[0]}-{letters[-1]}" if letters else ""

    def example(self) -> str:
        """Six letters, as one would type them."""
        return "".join(letter for letter, _, _ in self.row()[:SYMBOLS])
