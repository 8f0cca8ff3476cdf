"""The chat on a real terminal: a prompt that stays, messages that appear above it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session, in_terminal
from prompt_toolkit.application.current import get_app_session
from prompt_toolkit.filters import Condition
from prompt_toolkit.input import create_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout.processors import AfterInput
from prompt_toolkit.output import create_output
from prompt_toolkit.patch_stdout import patch_stdout

from codemojex.localtg import EventKind, Person
from codemojex.terminal.buttons import Press
from codemojex.terminal.completing import ChatCompleter, Choices
from codemojex.terminal.footer import STYLE, footer, preview
from codemojex.terminal.hearing import Hearing
from codemojex.terminal.letters import Letters
from codemojex.terminal.paper import Paper
from codemojex.terminal.sending import prepare, press, send, slip

_PATIENCE_S = 5.0
"""How long answers may still take when the person leaves."""
_REDRAWN_S = 1.0
"""How long pins, letters and a language that changed elsewhere may wait until the prompt shows them."""
_LEAVING_S = 3.0
"""How long a second Ctrl-C leaves."""


class Screen:
    """One person's chat on one terminal."""

    def __init__(self, person: Person, letters: Letters, hearing: Hearing, choices: Choices) -> None:
        self._person = person
        self._letters = letters
        self._hearing = hearing
        self._choices = choices
        self._help_due = False
        self._leaving: asyncio.TimerHandle | None = None

    async def run(
        self, settled: Callable[[], Awaitable[None]], greeting: str, stdin: TextIO, stdout: TextIO
    ) -> int:
        """Chat until Ctrl-D, or Ctrl-C twice; then show what is still on its way."""
        with create_app_session(input=create_input(stdin), output=create_output(stdout)):
            output = get_app_session().output
            self._paper = Paper(self._letters, output.write_raw, lambda: output.get_size().columns)
            self._paper.header(greeting)
            output.flush()
            follower = asyncio.create_task(self._follow())
            try:
                with patch_stdout(raw=True):
                    await self._converse(self._session())
            finally:
                follower.cancel()
                await asyncio.gather(follower, return_exceptions=True)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(settled(), _PATIENCE_S)
            self._catch_up()
            self._paper.note(self._letters.words().bye())
            output.flush()
        return 0

    async def _converse(self, session: PromptSession[str]) -> None:
        while True:
            try:
                typed = await session.prompt_async()
            except EOFError:
                return
            self._stay()
            for line in typed.splitlines():
                await self._say(line)

    async def _say(self, line: str) -> None:
        wrong = slip(line, self._letters, self._commands())
        if wrong:
            async with in_terminal():
                self._paper.said(line.strip())
                self._paper.note(wrong)
            return
        pressed = await press(self._person, self._hearing.buttons, line)
        if pressed is not None:
            async with in_terminal():
                self._paper.said(f"[{pressed.label}]" if isinstance(pressed, Press) else line.strip())
                if isinstance(pressed, str):
                    self._paper.note(pressed)
            return
        text, note = prepare(line, self._letters)
        if not text:
            return
        self._help_due = self._help_due or text.split("@")[0].split()[0] == "/help"
        async with in_terminal():
            self._paper.said(text)
            if note:
                self._paper.note(note)
        refused = await send(self._person, text, self._letters)
        if refused:
            async with in_terminal():
                self._paper.note(refused)

    async def _follow(self) -> None:
        """Show what the bot does, as it comes, above the prompt."""
        stream = self._person.events()
        while True:
            if not self._hearing.up_to_date:
                async with in_terminal():
                    self._catch_up()
            await anext(stream)

    def _catch_up(self) -> None:
        for heard in self._hearing.news():
            self._paper.told(heard)
            if self._help_due and heard.event.kind is EventKind.MESSAGE:
                self._help_due = False
                self._paper.letters()

    # -- the prompt --------------------------------------------------------------------------------

    def _session(self) -> PromptSession[str]:
        session: PromptSession[str] = PromptSession(
            message=[("class:prompt", "\n      ❯ ")],
            placeholder=lambda: [("class:hint", self._letters.words().placeholder(self._letters.free()))],
            completer=ChatCompleter(self._letters, self._commands, self._choices),
            complete_while_typing=Condition(lambda: session.default_buffer.text.startswith("/")),
            bottom_toolbar=lambda: footer(
                self._letters, session.default_buffer.text, self._leaving is not None
            ),
            input_processors=[AfterInput(lambda: preview(self._letters, session.default_buffer.text))],
            key_bindings=self._keys(),
            style=STYLE,
            erase_when_done=True,
            reserve_space_for_menu=6,
            refresh_interval=_REDRAWN_S,
        )
        session.default_buffer.on_text_changed += lambda _: self._stay()
        return session

    def _commands(self) -> list[tuple[str, str]]:
        """The bot's menu in the language of the moment, and what the terminal itself understands."""
        described = self._letters.words().commands()
        names = [name for name, _ in self._person.commands]
        own = [name for name in ("press", "help") if name not in names]
        known = {**dict(self._person.commands), **described}
        return [(name, known[name]) for name in [*names, *own]]

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("c-c")
        def _(event: KeyPressEvent) -> None:
            empty = not event.current_buffer.text
            if empty and self._leaving is not None:
                event.app.exit(exception=EOFError())
                return
            event.current_buffer.reset()
            self._stay()
            self._leaving = asyncio.get_running_loop().call_later(_LEAVING_S, self._stay)

        return keys

    def _stay(self) -> None:
        """A Ctrl-C before means nothing any more: something was typed, or time has passed."""
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
