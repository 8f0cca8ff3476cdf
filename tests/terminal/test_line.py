"""The chat on a terminal that can only print lines."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
from collections.abc import AsyncIterator

import pytest

from codemojex.localtg import Person
from codemojex.terminal import chat
from tests.terminal.conftest import KEYS, EchoBot
from tests.terminal.test_screen import Terminal


@contextlib.asynccontextmanager
async def seated(echo: EchoBot, you: Person) -> AsyncIterator[tuple[Terminal, asyncio.Task[int]]]:
    master, slave = pty.openpty()
    terminal, loop = Terminal(master), asyncio.get_running_loop()
    loop.add_reader(master, terminal.read)
    with (
        os.fdopen(os.dup(slave), encoding="utf-8") as stdin,
        os.fdopen(slave, "w", encoding="utf-8") as stdout,
    ):
        chatting = asyncio.create_task(
            chat(you, settled=echo.settled, keyboard=lambda: KEYS, stdin=stdin, stdout=stdout, tty=True)
        )
        try:
            await terminal.shows("\n> ")
            yield terminal, chatting
            terminal.press("\x04")
            await chatting
        finally:
            chatting.cancel()
            await asyncio.gather(chatting, return_exceptions=True)
            loop.remove_reader(master)
            os.close(master)


@pytest.fixture(autouse=True)
def _dumb_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")


async def test_each_line_is_answered_below_it_without_a_single_escape(echo: EchoBot, you: Person) -> None:
    async with seated(echo, you) as (terminal, chatting):
        # when
        terminal.press("/new\n")
        await terminal.shows("you said /new\r\n\r\n> ")
        terminal.press("abcdef\n")
        await terminal.shows("> abcdef\r\n\r\nyou said 🍎🍌🍇🍓🍒🍍\r\n\r\n> ")
        terminal.press("\x04")

        # then
        assert await asyncio.wait_for(chatting, 60) == 0
        await terminal.shows("Bye!")
        assert "\x1b" not in terminal.drawn
        assert terminal.drawn.startswith("codemojex: crack a hidden code")


async def test_the_letters_are_shown_at_first_and_with_help(echo: EchoBot, you: Person) -> None:
    row = "Letters: a🍎 b🍌 c🍇 d🍓 e🍒 f🍍 g🥝 h🍋"
    async with seated(echo, you) as (terminal, _):
        assert row in terminal.text
        terminal.press("/new\n/help\n")
        await terminal.shows(lambda text: text.count(row) == 2)
        assert terminal.text.rindex("you said /help") < terminal.text.rindex(row)


async def test_a_slip_is_explained_and_an_empty_line_sends_nothing(echo: EchoBot, you: Person) -> None:
    async with seated(echo, you) as (terminal, _):
        terminal.press("abz\n\nhi\n")
        await terminal.shows("(z is no letter of this keyboard: a-h, and a guess needs six.)")
        await terminal.shows("you said hi")
        assert echo.heard == ["hi"]
