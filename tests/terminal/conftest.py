"""A small bot over HTTP, and a person who will sit at the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import telegram

from codemojex.localtg import LocalTelegram, Person
from tests.localtg.conftest import client

KEYS = [
    ("a", "🍎", "apple"),
    ("b", "🍌", "banana"),
    ("c", "🍇", "grapes"),
    ("d", "🍓", "strawberry"),
    ("e", "🍒", "cherries"),
    ("f", "🍍", "pineapple"),
    ("g", "🥝", "kiwi"),
    ("h", "🍋", "lemon"),
]


class EchoBot:
    """Answers each message with its text in bold, and edits what says "edit"."""

    def __init__(self, tg: LocalTelegram) -> None:
        self.tg = tg
        self.heard: list[str] = []
        self.stopping = False
        self._handled = 0

    async def run(self) -> None:
        async with client(self.tg) as bot:
            await bot.set_my_commands([("new", "start a game"), ("help", "how to play")])
            while not self.stopping:
                for update in await bot.get_updates(offset=self._handled, timeout=20):
                    assert update.message is not None
                    await self._answer(bot, update.message)
                    self._handled = update.update_id + 1

    async def _answer(self, bot: telegram.Bot, message: telegram.Message) -> None:
        text = message.text or f"dice {message.dice.emoji if message.dice else '?'}"
        self.heard.append(text)
        sent = await bot.send_message(message.chat_id, f"you said <b>{text[:200]}</b>", parse_mode="HTML")
        if "edit" in text:
            await sent.edit_text("thought better of it")

    async def settled(self) -> None:
        while self.tg.pending():
            await asyncio.sleep(0.01)


@pytest.fixture
async def echo() -> AsyncIterator[EchoBot]:
    async with LocalTelegram() as tg:
        bot = EchoBot(tg)
        running = asyncio.create_task(bot.run())
        while not tg.world.commands and not running.done():  # its menu is what Tab offers
            await asyncio.sleep(0.01)
        yield bot
        # Not cancelled: a client cancelled while it connects leaks its socket.
        bot.stopping = True
        while not running.done():
            tg.world.updates.hang_up()
            await asyncio.sleep(0.01)
        await running


@pytest.fixture
def you(echo: EchoBot) -> Person:
    return echo.tg.person("You", language_code="en")
