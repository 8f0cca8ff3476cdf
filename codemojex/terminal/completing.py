"""What Tab offers: commands of the bot's menu, the words that may follow one, and symbols by their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from codemojex.terminal.letters import Letters

Choices = Mapping[str, Sequence[Sequence[str]]]
"""By command, without its slash, and by the words behind it where they matter: groups of words, of each of which one
may follow."""

_WORD = re.compile(r"[^\W\d_]+\Z")


class ChatCompleter(Completer):
    """``/n`` becomes ``/new``, ``/new h`` becomes ``/new hard``, ``ban`` becomes 🍌."""

    def __init__(
        self, letters: Letters, commands: Callable[[], Sequence[tuple[str, str]]], choices: Choices
    ) -> None:
        self._letters = letters
        self._commands = commands
        self._choices = choices

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        before = document.text_before_cursor
        if before.startswith("/"):
            command, space, words = before.partition(" ")
            if space:
                yield from self._matching_choices(command[1:].lower(), words.lower().split(" "))
            else:
                yield from self._matching_commands(before)
            return
        word = _WORD.search(before)
        if word is not None:
            yield from self._matching_symbols(word.group())

    def _matching_commands(self, begun: str) -> Iterable[Completion]:
        for name, description in self._commands():
            if f"/{name}".startswith(begun.lower()):
                yield Completion(f"/{name}", -len(begun), display_meta=description)

    def _matching_choices(self, command: str, words: Sequence[str]) -> Iterable[Completion]:
        *said, begun = words
        typed = " ".join([command, *said])
        for group in self._choices.get(typed, self._choices.get(command, ())):
            if not set(said) & set(group):
                yield from (Completion(word, -len(begun)) for word in group if word.startswith(begun))

    def _matching_symbols(self, begun: str) -> Iterable[Completion]:
        for _, char, name in self._letters.row():
            if name.lower().startswith(begun.lower()):
                yield Completion(char, -len(begun), display=f"{char} {name}")
