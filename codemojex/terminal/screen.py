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

from codemojex.localtg import Event, EventKind, Person
from codemojex.terminal.completing import ChatCompleter, Choices
from codemojex.terminal.footer import STYLE, footer, preview
from codemojex.terminal.letters import Letters
from codemojex.terminal.paper import Paper
from codemojex.terminal.sending import prepare, send, slip

_PATIENCE_S = 5.0
"""How long answers may still take when the person leaves."""
_HELP = ("help", "Letters, Tab and keys of this terminal, and the rules")


class Screen:
    """One person's chat on one terminal."""

    def __init__(
        self, person: Person, letters: Letters, choices: Choices, stdin: TextIO, stdout: TextIO
    ) -> None:
        self._person = person
        self._letters = letters
        self._choices = choices
        self._stdin = stdin
        self._stdout = stdout
        self._shown = 0
        self._help_due = False
        self._leaving = False

    async def run(self, settled: Callable[[], Awaitable[None]]) -> int:
        """Chat until Ctrl-D, or Ctrl-C twice; then show what is still on its way."""
        with create_app_session(input=create_input(self._stdin), output=create_output(self._stdout)):
            output = get_app_session().output
            self._paper = Paper(output.write_raw, lambda: output.get_size().columns)
            self._paper.header(self._letters)
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
            self._paper.note("Bye!")
            output.flush()
        return 0

    async def _converse(self, session: PromptSession[str]) -> None:
        while True:
            try:
                typed = await session.prompt_async()
            except EOFError:
                return
            self._leaving = False
            for line in typed.splitlines():
                await self._say(line)

    async def _say(self, line: str) -> None:
        wrong = slip(line, self._letters, self._commands())
        if wrong:
            async with in_terminal():
                self._paper.said(line.strip())
                self._paper.note(wrong)
            return
        text, note = prepare(line, self._letters)
        if not text:
            return
        self._help_due = self._help_due or text.split("@")[0].split()[0] == "/help"
        async with in_terminal():
            self._paper.said(text)
            if note:
                self._paper.note(note)
        refused = await send(self._person, text)
        if refused:
            async with in_terminal():
                self._paper.note(refused)

    async def _follow(self) -> None:
        """Show what the bot does, as it comes, above the prompt."""
        stream = self._person.events()
        while True:
            if self._shown < len(self._person.inbox):
                async with in_terminal():
                    self._catch_up()
            await anext(stream)

    def _catch_up(self) -> None:
        events = self._person.inbox[self._shown :]
        self._shown += len(events)
        for event in events:
            self._show(event)

    def _show(self, event: Event) -> None:
        self._paper.told(event)
        if self._help_due and event.kind is EventKind.MESSAGE:
            self._help_due = False
            self._paper.letters(self._letters)

    # -- the prompt --------------------------------------------------------------------------------

    def _session(self) -> PromptSession[str]:
        session: PromptSession[str] = PromptSession(
            message=[("class:prompt", "\n      ❯ ")],
            placeholder=[("class:hint", "six letters or emojis, or a command")],
            completer=ChatCompleter(self._letters, self._commands, self._choices),
            complete_while_typing=Condition(lambda: session.default_buffer.text.startswith("/")),
            bottom_toolbar=lambda: footer(self._letters, session.default_buffer.text, self._leaving),
            input_processors=[AfterInput(lambda: preview(self._letters, session.default_buffer.text))],
            key_bindings=self._keys(),
            style=STYLE,
            erase_when_done=True,
            reserve_space_for_menu=6,
        )
        return session

    def _commands(self) -> list[tuple[str, str]]:
        menu = self._person.commands
        return menu if any(name == "help" for name, _ in menu) else [*menu, _HELP]

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("c-c")
        def _(event: KeyPressEvent) -> None:
            empty = not event.current_buffer.text
            if empty and self._leaving:
                event.app.exit(exception=EOFError())
                return
            event.current_buffer.reset()
            self._leaving = True

        return keys
