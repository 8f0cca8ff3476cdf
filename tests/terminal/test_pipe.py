"""The chat on a pipe: lines in, plain answers out, exit code 0."""

from __future__ import annotations

import asyncio
import io
import os
import threading
from pathlib import Path
from typing import TextIO

import pytest

from codemojex.localtg import Person
from codemojex.terminal import chat
from codemojex.terminal.pipe import lines
from codemojex.texts.console import console
from tests.terminal.conftest import KEYS, EchoBot

EMPTY = console().empty()


async def talk(echo: EchoBot, you: Person, typed: bytes, folder: Path) -> tuple[int, str]:
    """Chat over a real pipe; the exit code and what was printed."""
    reading, writing = os.pipe()

    def feed() -> None:
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(typed)

    feeder = threading.Thread(target=feed)
    feeder.start()
    with (
        os.fdopen(reading, encoding="utf-8") as stdin,
        (folder / "out").open("w+", encoding="utf-8") as stdout,
    ):
        code = await chat(you, settled=echo.settled, keyboard=KEYS, stdin=stdin, stdout=stdout, tty=False)
        feeder.join()
        stdout.seek(0)
        return code, stdout.read()


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        (b"", ""),
        (b"/new\n", "you said /new\n"),
        (b"/new", "you said /new\n"),
        (b"/new\r\nhi\r\n", "you said /new\n\nyou said hi\n"),
        (b"abcdef\n", "you said 🍎🍌🍇🍓🍒🍍\n"),
        (b"edit me\n", "you said edit me\n\n(edited) thought better of it\n"),
        (b"\xff\xfe\n", "you said \ufffd\ufffd\n"),
        ("🎯\n".encode(), "you said dice 🎯\n"),
        (b"\n/new\n", f"({EMPTY})\n\nyou said /new\n"),
        (b" \t\xe2\x80\x8b\n", f"({EMPTY})\n"),
    ],
)
async def test_each_line_is_a_message_and_each_answer_is_printed(
    echo: EchoBot, you: Person, tmp_path: Path, typed: bytes, printed: str
) -> None:
    assert await talk(echo, you, typed, tmp_path) == (0, printed)


async def test_an_answer_is_printed_before_the_next_line_is_sent(
    echo: EchoBot, you: Person, tmp_path: Path
) -> None:
    # given
    numbers = [f"line {number}" for number in range(80)]

    # when
    code, printed = await talk(echo, you, "\n".join(numbers).encode(), tmp_path)

    # then
    assert code == 0
    assert printed.split("\n\n") == [f"you said {number}" for number in numbers[:-1]] + [
        f"you said {numbers[-1]}\n"
    ]


async def test_a_very_long_line_is_cut_to_one_message(echo: EchoBot, you: Person, tmp_path: Path) -> None:
    code, printed = await talk(echo, you, "🍎".encode() * 200_000 + b"\nnext\n", tmp_path)
    assert code == 0
    assert "(That line was cut to 4,096 characters, the most a message holds.)" in printed
    assert printed.endswith("you said next\n")
    assert [len(text) for text in echo.heard] == [4096, 4]


async def test_a_text_stream_without_a_descriptor_works(echo: EchoBot, you: Person) -> None:
    stdout = io.StringIO()
    code = await chat(
        you, settled=echo.settled, keyboard=KEYS, stdin=io.StringIO("/new\nhi"), stdout=stdout, tty=False
    )
    assert (code, stdout.getvalue()) == (0, "you said /new\n\nyou said hi\n")


async def test_what_was_told_before_the_first_line_is_printed(
    echo: EchoBot, you: Person, tmp_path: Path
) -> None:
    await you.send("from earlier")
    assert await talk(echo, you, b"", tmp_path) == (0, "you said from earlier\n")


async def test_a_reader_that_went_away_ends_the_chat_quietly(echo: EchoBot, you: Person) -> None:
    # given
    reading, writing = os.pipe()
    os.close(reading)

    # when
    with os.fdopen(writing, "w", encoding="utf-8") as stdout:
        code = await chat(
            you, settled=echo.settled, keyboard=KEYS, stdin=io.StringIO("/new\n"), stdout=stdout, tty=False
        )

    # then
    assert code == 1


def test_a_chat_that_is_ended_from_outside_leaves_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    # given: more lines than are read ahead, and a chat that takes one
    died: list[object] = []
    monkeypatch.setattr(threading, "excepthook", died.append)
    reading, writing = os.pipe()
    os.write(writing, b"line\n" * 200)

    async def take_one(stdin: TextIO) -> str:
        return await anext(lines(stdin))

    # when
    with os.fdopen(reading, encoding="utf-8") as stdin:
        said = asyncio.run(take_one(stdin))
        os.close(writing)
        for thread in threading.enumerate():
            if thread.name == "stdin":
                thread.join(5)
                assert not thread.is_alive()

    # then
    assert said == "line"
    assert died == []


async def test_an_input_that_breaks_has_ended(echo: EchoBot, you: Person) -> None:
    # given
    class Broken(io.StringIO):
        def read(self, size: int | None = -1, /) -> str:
            raise OSError(5, "Input/output error")

    # when
    stdout = io.StringIO()
    code = await chat(you, settled=echo.settled, keyboard=KEYS, stdin=Broken(), stdout=stdout, tty=False)

    # then
    assert code == 0


async def test_a_stream_that_knows_no_emoji_still_gets_an_answer(
    echo: EchoBot, you: Person, tmp_path: Path
) -> None:
    with (tmp_path / "out").open("w+", encoding="ascii") as stdout:
        code = await chat(
            you, settled=echo.settled, keyboard=KEYS, stdin=io.StringIO("abcdef"), stdout=stdout, tty=False
        )
        stdout.seek(0)
        assert (code, stdout.read()) == (0, "you said ??????\n")
