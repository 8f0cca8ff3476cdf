"""The one door: a chat on a terminal, on one that can only print lines, or on a pipe."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TextIO

from prompt_toolkit.utils import is_dumb_terminal

from codemojex.localtg import Person
from codemojex.terminal.completing import Choices
from codemojex.terminal.hearing import Hearing
from codemojex.terminal.letters import Keyboard, Letters, Slots
from codemojex.terminal.line import converse
from codemojex.terminal.pipe import talk
from codemojex.terminal.screen import Screen
from codemojex.texts.console import ConsoleTexts, console


@dataclass(frozen=True, slots=True)
class Seat:
    """What else there is at the place of whoever chats.

    Attributes:
        pins: gives what is pinned to each of the six places now.
        names: every name of an emoji, in lower case, with its emoji.
        words: gives the terminal's words, in the language of the moment.
        greeting: where a game stands that goes on; empty without one. A pipe is not greeted.
        downloads: the folder for files that the bot sends; None keeps none.
    """

    pins: Callable[[], Slots] = tuple
    names: Mapping[str, str] = field(default_factory=dict)
    words: Callable[[], ConsoleTexts] = console
    greeting: str = ""
    downloads: Path | None = None


async def chat(
    person: Person,
    *,
    settled: Callable[[], Awaitable[None]],
    keyboard: Keyboard,
    seat: Seat | None = None,
    choices: Choices = MappingProxyType({}),
    stdin: TextIO,
    stdout: TextIO,
    tty: bool,
) -> int:
    """Let whoever sits at ``stdin`` be ``person``; the exit code, 0 when the input ended.

    Args:
        settled: returns once everything sent so far has its answer.
        keyboard: (letter, emoji, name) of each symbol, or a callable giving the current ones.
        choices: what Tab offers after a command.
        tty: True draws a prompt, colours and a toolbar, or asks line by line where TERM says that the
            terminal can do no more; False sends each line of ``stdin`` as a message and prints the answers
            as plain text, one message at a time.

    Raises:
        TimeoutError: ``settled`` did, on a pipe or line by line.
    """
    seat = Seat() if seat is None else seat
    letters = Letters(keyboard, seat.pins, seat.names, seat.words)
    hearing = Hearing(person, letters, seat.downloads, talkative=tty)
    if tty and is_dumb_terminal():
        return await converse(person, settled, letters, hearing, seat.greeting, stdin, stdout)
    if tty:
        screen = Screen(person, letters, hearing, choices)
        return await screen.run(settled, seat.greeting, stdin, stdout)
    return await talk(person, settled, letters, hearing, stdin, stdout)
