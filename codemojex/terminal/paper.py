"""The scrolling part of the screen: who said what, when, in a gutter."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from codemojex.localtg import EventKind
from codemojex.terminal.hearing import Heard
from codemojex.terminal.letters import Letters
from codemojex.terminal.render import drawn, seen

_CLOCK = 5
_TITLE = "codemojex"
# A symbol and its name stay on one line: the space between them is a letter while lines are wrapped.
_NAMED = re.compile("(?<=[\U0001f300-\U0001faff])[ \u00a0](?=[^\\W\\d_])")
_GLUE = "\ue000"
_LONGEST_ECHO = 400


@dataclass(frozen=True, slots=True)
class _Gutter:
    """What stands left of a block: at its first line, and at the others."""

    first: str
    rest: str
    style: str


_SAID = _Gutter("❯", " ", "bold green")
_TOLD = _Gutter("●", "│", "magenta")
_EDITED = _Gutter("✎", "│", "blue")
_NOTED = _Gutter("·", " ", "yellow")


class Paper:
    """Lays out blocks of text for the width of the moment; ``write`` takes finished ANSI text.

    Args:
        columns: the width of the terminal, asked anew for each block.
    """

    def __init__(self, letters: Letters, write: Callable[[str], None], columns: Callable[[], int]) -> None:
        self._letters = letters
        self._write = write
        self._columns = columns
        self._minute = ""

    def header(self, greeting: str) -> None:
        """What this is, in one sentence, and the first thing to do; below it where a game stands that goes on."""
        words = self._letters.words()
        body = Text(f"{words.welcome()}\n{words.begin(self._letters.example(), playing=bool(greeting))}")
        self._highlight(body)
        with self._console() as console:
            console.print(
                Panel(body, title=Text(_TITLE, "bold magenta"), border_style="magenta", padding=(0, 1))
            )
        if greeting:
            self._block(Text(seen(greeting)), None, _TOLD)

    def said(self, text: str) -> None:
        """A line the person sent, a blank one above it: a new turn."""
        shown = seen(text)
        if len(shown) > _LONGEST_ECHO:
            shown = self._letters.words().long(shown[:_LONGEST_ECHO], len(shown))
        self._write("\n")
        self._block(Text(shown, "bold"), datetime.now().astimezone(), _SAID)

    def told(self, heard: Heard) -> None:
        """Something the bot did."""
        event = heard.event
        if event.kind is EventKind.ANSWER:
            self.note(seen(event.detail))
        else:
            gutter = _EDITED if event.kind is EventKind.EDITED else _TOLD
            self._block(Text("\n").join(drawn(heard)), event.at.astimezone(), gutter)
        for remark in heard.remarks:
            self.note(remark)

    def note(self, text: str) -> None:
        """A remark of the terminal itself."""
        self._block(Text(text, "dim"), None, _NOTED)

    def letters(self) -> None:
        """How to play without an emoji keyboard, as an addition to the bot's own help."""
        row, words = self._letters.row(), self._letters.words()
        cells = [f"{letter} {char} {name}" for letter, char, name in row]
        widest = max(map(cell_len, cells), default=0) + 2
        a_line = max(1, self._width() // widest)
        how = Text(words.help_letters(self._letters.example(), row[0][2] if row else ""))
        self._highlight(how)
        text = Text("\n").join([Text(words.help_title(), "bold"), how, Text()])
        for number, cell in enumerate(cells, 1):
            padded = cell if number % a_line == 0 else cell + " " * (widest - cell_len(cell))
            text.append(padded[0], "bold yellow").append(padded[1:])
            if number % a_line == 0 or number == len(cells):
                text.append("\n")
        text.append(words.help_keys())
        self._block(text, None, _NOTED)

    def _highlight(self, text: Text) -> None:
        """Commands, and the letters of the example."""
        text.highlight_regex(r"/[a-z]+", "bold cyan")
        if example := self._letters.example():
            text.highlight_regex(rf"\b{re.escape(example)}\b", "bold yellow")

    def _width(self) -> int:
        return max(20, self._columns() - _CLOCK - 4)

    def _block(self, text: Text, at: datetime | None, gutter: _Gutter) -> None:
        clock, sign = self._clock(at), gutter.first
        text.plain = _NAMED.sub(_GLUE, text.plain)
        with self._console() as console:
            for line in text.wrap(console, self._width()):
                line.plain = line.plain.replace(_GLUE, " ")
                console.print(
                    Text.assemble((clock, "dim"), " ", (sign, gutter.style), " ", line), soft_wrap=True
                )
                clock, sign = " " * _CLOCK, gutter.rest

    def _clock(self, at: datetime | None) -> str:
        """The time, once a minute."""
        minute = "" if at is None else f"{at:%H:%M}"
        if not minute or minute == self._minute:
            return " " * _CLOCK
        self._minute = minute
        return minute

    def _console(self) -> _Sheet:
        return _Sheet(self._write, self._columns())


class _Sheet:
    """One write: everything printed within goes out at once, so nothing flickers."""

    def __init__(self, write: Callable[[str], None], columns: int) -> None:
        self._write = write
        self._page = io.StringIO()
        self._console = Console(
            file=self._page, width=columns, force_terminal=True, highlight=False, emoji=False, markup=False
        )

    def __enter__(self) -> Console:
        return self._console

    def __exit__(self, *_: object) -> None:
        self._write(self._page.getvalue())
