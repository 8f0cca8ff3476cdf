"""The chat on a terminal that can only print lines (TERM=dumb): a prompt, a line, its answers."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from typing import TextIO

from codemojex.localtg import Person
from codemojex.terminal.hearing import Hearing
from codemojex.terminal.letters import Letters
from codemojex.terminal.pipe import Printer, lines, say
from codemojex.terminal.render import seen
from codemojex.terminal.sending import slip

_PROMPT = "\n> "


async def converse(
    person: Person,
    settled: Callable[[], Awaitable[None]],
    letters: Letters,
    hearing: Hearing,
    greeting: str,
    stdin: TextIO,
    stdout: TextIO,
) -> int:
    """Ask for a line, send it, print its answers, until Ctrl-D; 0 then, 1 when the terminal is gone.

    What the bot says by itself meanwhile is printed after the next line: never into one that is typed. An
    empty line sends nothing.

    Raises:
        TimeoutError: ``settled`` did.
    """
    printer, keyboard = Printer(hearing, letters, stdout), _Row(letters)
    with contextlib.suppress(BrokenPipeError):
        printer.write(letters.words().line(letters.example()))
        if greeting:
            printer.write(seen(greeting))
        await settled()
        printer.print_new()
        printer.write(keyboard.shown())
        printer.ask(_PROMPT)
        async for line in lines(stdin):
            wrong = slip(line, letters, person.commands)
            remarks = [wrong] if wrong else await _said(person, line, letters, hearing)
            await settled()
            printer.print_new()
            for remark in remarks:
                printer.write(f"({remark})")
            if keyboard.changed() or line.strip() == "/help":
                printer.write(keyboard.shown())
            printer.ask(_PROMPT)
        printer.write(letters.words().bye())
        return 0
    return 1


async def _said(person: Person, line: str, letters: Letters, hearing: Hearing) -> list[str]:
    return await say(person, line, letters, hearing) if line.strip() else []


class _Row:
    """The letters with their emojis, and whether they are others than were shown last."""

    def __init__(self, letters: Letters) -> None:
        self._letters = letters
        self._shown: list[str] = []

    def changed(self) -> bool:
        return self._cells() != self._shown

    def shown(self) -> str:
        self._shown = self._cells()
        return self._letters.words().letters(" ".join(self._shown))

    def _cells(self) -> list[str]:
        return [f"{letter}{char}" for letter, char, _ in self._letters.row()]
