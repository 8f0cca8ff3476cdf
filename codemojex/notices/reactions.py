"""Emojis under players' messages: a kindness that is never worth a wait, nor a second try."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from telegram import Bot
from telegram.error import RetryAfter, TelegramError

from codemojex.flood import wait_s
from codemojex.notices.outgoing import Reaction

_MOST = 8  # at once


class Reactions:
    """Sends reactions beside everything else; what fails is let go."""

    def __init__(self, bot: Bot, limit_s: float, flooded: Callable[[int, float], None]) -> None:
        """``flooded`` is told of a chat that has to wait, and for how many seconds."""
        self._bot = bot
        self._limit_s = limit_s
        self._flooded = flooded
        self._running: set[asyncio.Task[None]] = set()

    def react(self, chat_id: int, reaction: Reaction) -> bool:
        """Send a reaction; False when too many are on their way. Never waits and never fails."""
        if len(self._running) >= _MOST:
            return False
        task = asyncio.create_task(self._send(chat_id, reaction), name="reaction")
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return True

    async def close(self) -> None:
        """Give up what is on its way."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _send(self, chat_id: int, reaction: Reaction) -> None:
        try:
            async with asyncio.timeout(self._limit_s):
                await self._bot.set_message_reaction(chat_id, reaction.message_id, reaction.emoji)
        except RetryAfter as error:
            self._flooded(chat_id, wait_s(error))
        except (TelegramError, TimeoutError):
            return
