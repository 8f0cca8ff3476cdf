"""The one door: a chat on a terminal, or on a pipe."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TextIO

from codemojex.localtg import Person
from codemojex.terminal.letters import Keyboard, Letters
from codemojex.terminal.pipe import talk
from codemojex.terminal.screen import Screen


async def chat(
    person: Person,
    *,
    settled: Callable[[], Awaitable[None]],
    keyboard: Keyboard,
    stdin: TextIO,
    stdout: TextIO,
    tty: bool,
) -> int:
    """Let whoever sits at ``stdin`` be ``person``; the exit code, 0 when the input ended.

    Args:
        settled: returns once everything sent so far has its answer.
        keyboard: (letter, emoji, name) of each symbol, or a callable giving the current ones.
        tty: True draws a prompt, colours and a toolbar; False sends each line of ``stdin`` as a
            message and prints the answers as plain text, one message at a time.
    """
    letters = Letters(keyboard)
    if tty:
        return await Screen(person, letters, stdin, stdout).run(settled)
    return await talk(person, settled, letters, stdin, stdout)
