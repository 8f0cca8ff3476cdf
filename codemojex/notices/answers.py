"""Answers to taps on buttons: sent after the commit, beside the messages, each once or not at all.

Telegram shows a spinner on a button until its tap is answered, and forgets the tap within a minute. So an answer is
neither kept in the database nor repeated, and while Telegram hangs the oldest ones give way to new ones.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable

import structlog
from telegram import Bot
from telegram.error import TelegramError

from codemojex.calls import trouble
from codemojex.play.keys import CallbackAnswer

log = structlog.get_logger(__name__)


class Answers:
    """Answers taps, several at once.

    Attributes:
        sent, dropped, failed: how many answers Telegram took, gave way to newer ones, and came to nothing.
    """

    def __init__(self, bot: Bot, *, bound: int = 1_000, parallel: int = 8, limit_s: float = 5.0) -> None:
        self.sent = self.dropped = self.failed = 0
        self._bot = bot
        self._waiting: deque[CallbackAnswer] = deque()
        self._bound = bound
        self._parallel = parallel
        self._limit_s = limit_s
        self._stir, self._stopping = asyncio.Event(), asyncio.Event()
        self._running: set[asyncio.Task[None]] = set()

    def answer(self, answers: Iterable[CallbackAnswer]) -> None:
        """Send these. Never waits and never fails."""
        self._waiting.extend(answers)
        given_up = len(self._waiting) - self._bound
        for _ in range(given_up):
            self._waiting.popleft()
        if given_up > 0:
            self.dropped += given_up
            log.warning("taps stay unanswered: Telegram is slow", answers=given_up)
        self._stir.set()

    async def run(self) -> None:
        """Send until `stop`; those on their way may still arrive."""
        try:
            while not self._stopping.is_set():
                self._stir.clear()
                self._start()
                await self._stir.wait()
        finally:
            if self._running:
                await asyncio.wait(set(self._running), timeout=self._limit_s)
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)

    def stop(self) -> None:
        """Start no more; what waits is given up."""
        self._stopping.set()
        self._stir.set()

    def _start(self) -> None:
        while self._waiting and len(self._running) < self._parallel:
            task = asyncio.create_task(self._send(self._waiting.popleft()), name="answer to a tap")
            self._running.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._stir.set()

    async def _send(self, answer: CallbackAnswer) -> None:
        try:
            async with asyncio.timeout(self._limit_s):
                await self._bot.answer_callback_query(
                    answer.id,
                    text=answer.text,
                    show_alert=answer.alert,
                    connect_timeout=self._limit_s,
                    read_timeout=self._limit_s,
                    write_timeout=self._limit_s,
                    pool_timeout=self._limit_s,
                )
        except (TelegramError, TimeoutError) as error:
            # Too old, or Telegram is away: the player taps again.
            self.failed += 1
            log.debug("a tap stays unanswered", error=trouble(error))
        else:
            self.sent += 1
