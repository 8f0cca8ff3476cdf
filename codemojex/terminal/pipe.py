"""The chat without a terminal: lines in, plain text out."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TextIO

from codemojex.localtg import Person
from codemojex.terminal.hearing import Hearing
from codemojex.terminal.letters import Letters
from codemojex.terminal.render import plain
from codemojex.terminal.sending import prepare, press, send

_CHUNK = 65_536
_AHEAD = 64
"""Lines read before the bot answered the first of them."""


async def talk(
    person: Person,
    settled: Callable[[], Awaitable[None]],
    letters: Letters,
    hearing: Hearing,
    stdin: TextIO,
    stdout: TextIO,
) -> int:
    """Send each line, wait for its answers, print them; 0 at the end of the input, 1 when nobody reads.

    Raises:
        TimeoutError: ``settled`` did; what came before is printed.
    """
    printer = Printer(hearing, letters, stdout)
    try:
        await settled()
        printer.print_new()
        async for line in lines(stdin):
            remarks = await say(person, line, letters, hearing)
            await settled()
            printer.print_new()
            for remark in remarks:
                printer.write(f"({remark})")
        await settled()
        printer.print_new()
    except BrokenPipeError:
        _close_quietly(stdout)
        return 1
    return 0


async def say(person: Person, line: str, letters: Letters, hearing: Hearing) -> list[str]:
    """Send a line, or press the button it names; remarks on what could not be done."""
    pressed = await press(person, hearing.buttons, line)
    if pressed is not None:
        return [pressed] if isinstance(pressed, str) else []
    text, note = prepare(line, letters)
    refused = await send(person, text, letters)
    return [remark for remark in (note, refused) if remark]


class Printer:
    """Prints what the bot does as plain text, one message after another."""

    def __init__(self, hearing: Hearing, letters: Letters, stdout: TextIO) -> None:
        self._hearing = hearing
        self._letters = letters
        self._stdout = stdout
        self._first = True

    def print_new(self) -> None:
        """Everything that was not printed yet."""
        for heard in self._hearing.news():
            self.write(plain(heard, self._letters.words().edited()))

    def write(self, text: str) -> None:
        """One message, a blank line before it unless it is the first."""
        before = "" if self._first else "\n"
        self._first = False
        encoding = self._stdout.encoding or "utf-8"
        shown = text.encode(encoding, "replace").decode(encoding)
        self._stdout.write(f"{before}{shown}\n")
        self._stdout.flush()

    def ask(self, prompt: str) -> None:
        """Leave the cursor behind ``prompt``."""
        self._stdout.write(prompt)
        self._stdout.flush()


async def lines(stdin: TextIO) -> AsyncIterator[str]:
    """The lines of ``stdin``, without blocking the loop and without holding up its end.

    Reads the descriptor itself in a daemon thread: a thread inside a buffered reader would hold
    its lock when the interpreter ends. A last line without a newline counts; CRLF is one newline;
    an input that fails, like a terminal that was closed, has ended.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue()
    ahead, left = threading.Semaphore(_AHEAD), threading.Event()

    def hand_over(line: str | None) -> None:
        # The loop is gone when the chat was ended from outside; then nobody wants the rest.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(queue.put_nowait, line)

    def pump() -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in _split(_chunks(stdin)):
                ahead.acquire()
                if left.is_set() or loop.is_closed():
                    return
                hand_over(line)
        hand_over(None)

    threading.Thread(target=pump, name="stdin", daemon=True).start()
    try:
        while (line := await queue.get()) is not None:
            ahead.release()
            yield line
    finally:
        left.set()
        ahead.release()


def _chunks(stdin: TextIO) -> Iterator[str]:
    try:
        descriptor = stdin.fileno()
    except (OSError, ValueError):
        yield stdin.read()
        return
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while data := os.read(descriptor, _CHUNK):
        yield decoder.decode(data)
    yield decoder.decode(b"", final=True)


def _split(chunks: Iterator[str]) -> Iterator[str]:
    pieces: list[str] = []
    for chunk in chunks:
        head, *rest = chunk.split("\n")
        pieces.append(head)
        for piece in rest:
            yield "".join(pieces).removesuffix("\r")
            pieces = [piece]
    if last := "".join(pieces).removesuffix("\r"):
        yield last


def _close_quietly(stdout: TextIO) -> None:
    """Let the interpreter's last flush of a broken pipe go nowhere instead of raising."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())
