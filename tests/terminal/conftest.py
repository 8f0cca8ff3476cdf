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


def buttons(*labels: str) -> telegram.InlineKeyboardMarkup:
    """A row of buttons whose data is their label."""
    return telegram.InlineKeyboardMarkup(
        [[telegram.InlineKeyboardButton(label, callback_data=label) for label in labels]]
    )


class EchoBot:
    """Answers each message with its text in bold, edits what says "edit", offers buttons and files on demand.

    A pressed button is answered with its data, and its message says so below.
    """

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
                    if update.callback_query is not None:
                        await self._tapped(update.callback_query)
                    elif update.message is not None:
                        await self._answer(bot, update.message)
                    self._handled = update.update_id + 1

    async def _answer(self, bot: telegram.Bot, message: telegram.Message) -> None:
        text = message.text or f"dice {message.dice.emoji if message.dice else '?'}"
        self.heard.append(text)
        if text == "file":
            await bot.send_document(message.chat_id, b'{"you": 1}', filename="you.json")
            return
        offered = text.removeprefix("offer ").split() if text.startswith("offer ") else []
        sent = await bot.send_message(
            message.chat_id,
            f"you said <b>{text[:200]}</b>",
            parse_mode="HTML",
            reply_markup=buttons(*offered) if offered else None,
        )
        if "edit" in text:
            await sent.edit_text("thought better of it")

    async def _tapped(self, query: telegram.CallbackQuery) -> None:
        message = query.message
        assert isinstance(message, telegram.Message)
        self.heard.append(f"[{query.data}]")
        await query.answer(f"pressed {query.data}")
        await message.edit_text(f"{message.text}\nnow {query.data}", reply_markup=message.reply_markup)

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
