"""The chat on a real pseudo-terminal."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pty
import re
import struct
import termios
from collections.abc import AsyncIterator, Callable

import pytest

from codemojex.localtg import Person
from codemojex.terminal import Seat, chat
from codemojex.texts.console import console, names
from tests.terminal.conftest import KEYS, EchoBot

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>78])")

CHOICES = {
    "new": [["easy", "normal", "hard"], ["classic", "pegs", "blind"], ["fruit", "animals"]],
    "settings": [["language", "mode"]],
    "settings language": [["en", "ru"]],
    "settings mode": [["classic", "pegs", "blind"]],
}

_WHERE = "\x1b[6n"
"""Asks a terminal for the place of its cursor; every real one answers."""


class Terminal:
    """The other end of a pseudo-terminal: what was drawn, and keys to press."""

    def __init__(self, master: int) -> None:
        self._master = master
        self.drawn = ""

    def read(self) -> None:
        with contextlib.suppress(OSError):
            drawn = os.read(self._master, 65_536).decode("utf-8", "replace")
            self.drawn += drawn
            for _ in range(drawn.count(_WHERE)):
                self.press("\x1b[9;1R")

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    @property
    def text(self) -> str:
        """Everything drawn so far, without colours and movements."""
        return _ESCAPES.sub("", self.drawn)

    async def shows(self, words: str | Callable[[str], bool], timeout_s: float = 60.0) -> None:
        """Wait until the words were drawn."""
        try:
            async with asyncio.timeout(timeout_s):
                while not (words(self.text) if callable(words) else words in self.text):
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise AssertionError(f"{words!r} was not drawn; the screen was:\n{self.text[-2000:]}") from None

    def forget(self) -> None:
        self.drawn = ""


@contextlib.asynccontextmanager
async def seated(
    echo: EchoBot, you: Person, columns: int = 80, seat: Seat | None = None, ready: str = "Enter sends"
) -> AsyncIterator[tuple[Terminal, asyncio.Task[int]]]:
    """A person at a terminal of so many columns, chatting."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    terminal, loop = Terminal(master), asyncio.get_running_loop()
    loop.add_reader(master, terminal.read)
    with (
        os.fdopen(os.dup(slave), encoding="utf-8") as stdin,
        os.fdopen(slave, "w", encoding="utf-8") as stdout,
    ):
        chatting = asyncio.create_task(
            chat(
                you,
                settled=echo.settled,
                keyboard=lambda: KEYS,
                choices=CHOICES,
                seat=seat,
                stdin=stdin,
                stdout=stdout,
                tty=True,
            )
        )
        try:
            await terminal.shows(ready)
            yield terminal, chatting
        finally:
            chatting.cancel()
            await asyncio.gather(chatting, return_exceptions=True)
            loop.remove_reader(master)
            os.close(master)


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal with colours, whoever runs the tests."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("COLORTERM", raising=False)


async def test_it_opens_with_what_this_is_and_what_to_do_first(echo: EchoBot, you: Person) -> None:
    async with seated(echo, you) as (terminal, _):
        assert "Crack a hidden code of six emojis" in terminal.text
        assert "/new starts a game" in terminal.text
        assert "like abcdef" in terminal.text
        assert "a🍎 b🍌 c🍇 d🍓 e🍒 f🍍 g🥝 h🍋" in terminal.text


async def test_six_letters_are_shown_and_sent_as_emojis(echo: EchoBot, you: Person) -> None:
    async with seated(echo, you) as (terminal, _):
        # when
        terminal.press("abc")
        await terminal.shows("🍎🍌🍇 · · ·")
        terminal.press("def\r")

        # then
        await terminal.shows("❯ 🍎🍌🍇🍓🍒🍍")
        await terminal.shows("● you said 🍎🍌🍇🍓🍒🍍")
        assert echo.heard == ["🍎🍌🍇🍓🍒🍍"]
        assert "\x1b[1m🍎🍌🍇🍓🍒🍍" in terminal.drawn  # bold, as the bot's HTML said


async def test_edits_appear_as_updates(echo: EchoBot, you: Person) -> None:
    async with seated(echo, you) as (terminal, _):
        terminal.press("edit me\r")
        await terminal.shows("✎ thought better of it")


async def test_help_adds_the_letters(echo: EchoBot, you: Person) -> None:
    async with seated(echo, you) as (terminal, _):
        terminal.press("/help\r")
        await terminal.shows("On this terminal")
        await terminal.shows("d 🍓 strawberry")
        assert terminal.text.index("you said /help") < terminal.text.index("On this terminal")


async def test_tab_completes_commands_and_names(echo: EchoBot, you: Person) -> None:
    async with seated(echo, you) as (terminal, _):
        # when
        terminal.press("/n")
        await terminal.shows("start a game")
        terminal.press("\t\r")
        await terminal.shows("you said /new")
        terminal.press("straw\t")
        await terminal.shows("🍓 · · · · ·")
        terminal.press("\r")

        # then
        await terminal.shows("you said 🍓")
        assert echo.heard == ["/new", "🍓"]


async def test_tab_completes_the_words_after_new(echo: EchoBot, you: Person) -> None:
    async with seated(echo, you) as (terminal, _):
        # when
        terminal.press("/new pegs ha")
        await terminal.shows("hard")
        terminal.press("\t\r")

        # then
        await terminal.shows("you said /new pegs hard")
        assert echo.heard == ["/new pegs hard"]


async def test_letters_that_are_no_guess_are_explained_here_and_not_sent(echo: EchoBot, you: Person) -> None:
    async with seated(echo, you) as (terminal, _):
        # when
        terminal.press("abxdez\r")
        await terminal.shows("x and z are no letters of this keyboard: a-h.")
        terminal.press("bad\r")
        await terminal.shows("“bad” has 3 letters; a guess needs six.")
        terminal.press("abcdef\r")
        await terminal.shows("you said 🍎🍌🍇🍓🍒🍍")

        # then
        assert echo.heard == ["🍎🍌🍇🍓🍒🍍"]


async def test_the_arrow_brings_the_last_line_back(echo: EchoBot, you: Person) -> None:
    async with seated(echo, you) as (terminal, _):
        terminal.press("hello\r")
        await terminal.shows("you said hello")
        terminal.press("\x1b[A\r")
        await terminal.shows(lambda text: text.count("you said hello") == 2)


async def test_control_d_ends_it_cleanly(echo: EchoBot, you: Person) -> None:
    async with seated(echo, you) as (terminal, chatting):
        terminal.press("last words\r\x04")
        assert await asyncio.wait_for(chatting, 60) == 0
        await terminal.shows("Bye!")
        assert terminal.text.index("you said last words") < terminal.text.index("Bye!")


async def test_control_c_clears_the_line_and_twice_leaves(echo: EchoBot, you: Person) -> None:
    async with seated(echo, you) as (terminal, chatting):
        # when
        terminal.press("never sent\x03")
        await terminal.shows("Ctrl-C once more leaves")
        terminal.press("hi\r")
        await terminal.shows("you said hi")
        assert not chatting.done()
        terminal.press("\x03\x03")

        # then
        assert await asyncio.wait_for(chatting, 60) == 0
        assert echo.heard == ["hi"]


async def test_the_hint_of_control_c_goes_when_something_is_typed_or_time_passes(
    echo: EchoBot, you: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with seated(echo, you) as (terminal, chatting):
        # when
        terminal.press("\x03")
        await terminal.shows("Ctrl-C once more leaves")
        terminal.forget()
        terminal.press("h")

        # then: the next Ctrl-C is a first one again
        await terminal.shows("Enter sends")
        terminal.press("\x7f\x03")
        await terminal.shows("Ctrl-C once more leaves")
        assert not chatting.done()

    # given
    monkeypatch.setattr("codemojex.terminal.screen._LEAVING_S", 1.0)
    monkeypatch.setattr("codemojex.terminal.screen._REDRAWN_S", 0.05)
    async with seated(echo, you) as (terminal, _):
        # when
        terminal.press("\x03")
        await terminal.shows("Ctrl-C once more leaves")
        terminal.forget()

        # then
        await terminal.shows("Enter sends")


async def test_a_number_presses_a_button_and_of_an_edit_only_the_news_are_shown(
    echo: EchoBot, you: Person
) -> None:
    async with seated(echo, you) as (terminal, _):
        # when
        terminal.press("offer go no\r")
        await terminal.shows("│ [1 go]  [2 no]")
        await terminal.shows("· Type a number to press its button.")
        terminal.press("2\r")

        # then
        await terminal.shows("❯ [no]")
        await terminal.shows("· pressed no")
        await terminal.shows("✎ now no")
        assert terminal.text.count("● you said offer go no") == 1


async def test_a_link_to_the_bot_is_opened_when_it_is_pasted(echo: EchoBot, you: Person) -> None:
    link = "https://t.me/codemojex_bot?start=r_B7G6ZU"
    async with seated(echo, you) as (terminal, _):
        terminal.press(f"say {link}\r")
        await terminal.shows("· Nobody else can open that link")
        terminal.press(f"{link}\r/join {link}\r")
        await terminal.shows(lambda text: text.count("● you said /start r_B7G6ZU") == 2)
        assert echo.heard[1:] == ["/start r_B7G6ZU"] * 2


async def test_it_speaks_the_language_of_the_player(echo: EchoBot, you: Person) -> None:
    seat = Seat(words=lambda: console("ru"), names=names())
    async with seated(echo, you, seat=seat, ready="Enter – отправить") as (terminal, _):
        assert "Взломай код" in terminal.text
        assert "шесть букв или эмодзи, или команда" in terminal.text
        terminal.press("/ne")
        await terminal.shows("начать игру")
        terminal.press("\x15/help\r")
        await terminal.shows("В этом терминале")
        terminal.press("\x03\x03")
        await terminal.shows("Пока!")
        for english in ("Enter sends", "Type", "On this terminal", "Bye"):
            assert english not in terminal.text


async def test_who_comes_back_sees_how_the_game_stands(echo: EchoBot, you: Person) -> None:
    seat = Seat(greeting="Your guesses so far\n1. 🍎🍌🍇🍓🍒🍍  420/600", pins=lambda: ("🍎", None, "🍌"))
    async with seated(echo, you, seat=seat) as (terminal, _):
        assert "Your game goes on" in terminal.text
        assert "/new starts a game" not in terminal.text
        assert "│ 1. 🍎🍌🍇🍓🍒🍍  420/600" in terminal.text
        assert "4 letters or emojis for the free places" in terminal.text


async def test_an_empty_line_sends_nothing(echo: EchoBot, you: Person) -> None:
    async with seated(echo, you) as (terminal, _):
        terminal.press("\r  \rhi\r")
        await terminal.shows("you said hi")
        assert echo.heard == ["hi"]


async def test_a_pasted_block_is_sent_line_by_line(echo: EchoBot, you: Person) -> None:
    async with seated(echo, you) as (terminal, _):
        terminal.press("\x1b[200~one\ntwo\x1b[201~\r")
        await terminal.shows("you said two")
        assert echo.heard == ["one", "two"]


@pytest.mark.parametrize("columns", [60, 120])
async def test_no_line_is_wider_than_the_terminal(echo: EchoBot, you: Person, columns: int) -> None:
    async with seated(echo, you, columns) as (terminal, _):
        terminal.press("word " * 30 + "\r")
        await terminal.shows("● you said")
        await terminal.shows(lambda text: text.count("Enter sends") > 1)
        blocks = re.findall(r"[●│] ([^\r\n│]*)[\r\n]", terminal.text)
        assert len(blocks) > 1
        assert columns - 20 < max(map(len, blocks)) + 8 <= columns


async def test_no_color_means_no_colour(echo: EchoBot, you: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    # given
    coloured = re.compile(r"\x1b\[[0-9;]*(?:3[0-7]|9[0-7]|38;5)[0-9;]*m")
    async with seated(echo, you) as (terminal, _):
        assert coloured.search(terminal.drawn)

    # when
    monkeypatch.setenv("NO_COLOR", "1")
    async with seated(echo, you) as (terminal, _):
        terminal.press("hi\r")
        await terminal.shows("you said hi")

        # then
        assert coloured.search(terminal.drawn) is None
