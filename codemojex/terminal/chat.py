"""The one door: a chat on a terminal, on one that can only print lines, or on a pipe."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import MappingProxyType
from typing import TextIO

from prompt_toolkit.utils import is_dumb_terminal

from codemojex.localtg import Person
from codemojex.terminal.completing import Choices
from codemojex.terminal.letters import Keyboard, Letters
from codemojex.terminal.line import converse
from codemojex.terminal.pipe import talk
from codemojex.terminal.screen import Screen


async def chat(
    person: Person,
    *,
    settled: Callable[[], Awaitable[None]],
    keyboard: Keyboard,
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
    letters = Letters(keyboard)
    if tty and is_dumb_terminal():
        return await converse(person, settled, letters, stdin, stdout)
    if tty:
        return await Screen(person, letters, choices, stdin, stdout).run(settled)
    return await talk(person, settled, letters, stdin, stdout)
