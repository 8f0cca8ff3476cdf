"""One turn of one chat: take its next message, send it, write down what became of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from telegram import Bot

from codemojex.notices.clock import Clock
from codemojex.notices.delivery import TokenRefused, deliver
from codemojex.notices.ledger import Ledger
from codemojex.notices.outage import Outage
from codemojex.notices.outgoing import Outcome, Outgoing, Overslept, Unsent
from codemojex.store.engine import StoreDown


@dataclass(frozen=True, slots=True)
class Told:
    """What a turn came to.

    Attributes:
        message, outcome: what was sent and what Telegram said, both None when there was nothing to send.
        more: whether the chat has more to be told.
        wait_s: None, or seconds after which to look again though nobody wakes the chat.
    """

    message: Outgoing | None
    outcome: Outcome | None
    more: bool
    wait_s: float | None


class Teller:
    """Takes turns; keeps nothing between them."""

    def __init__(self, bot: Bot, ledger: Ledger, database: Outage, clock: Clock, send_limit_s: float) -> None:
        self._bot = bot
        self._ledger = ledger
        self._database = database
        self._clock = clock
        self._send_limit_s = send_limit_s

    async def tell(self, chat_id: int) -> Told:
        """Send the next message of a chat, if it has one.

        Raises:
            StoreDown: nothing was taken and nothing sent.
            TokenRefused: nothing was sent, and the message is given back.
        """
        taken = await self._ledger.take(chat_id)
        message = taken.message
        if message is None:
            return Told(None, None, taken.more, taken.wait_s)
        try:
            outcome = await self._deliver(message, taken.send_by)
        except TokenRefused:
            await self._settle(message, Unsent(None, unreachable=False, reason="token refused"))
            raise
        await self._settle(message, outcome)
        return Told(message, outcome, taken.more, taken.wait_s)

    async def _deliver(self, message: Outgoing, send_by: float) -> Outcome:
        if self._clock.monotonic() > send_by:
            return Overslept()
        return await deliver(self._bot, message, self._send_limit_s)

    async def _settle(self, message: Outgoing, outcome: Outcome) -> None:
        """Write the outcome down, however long the database takes: only this process knows it."""
        while True:
            try:
                await self._ledger.settle(message, outcome)
            except StoreDown as error:
                now = self._clock.monotonic()
                self._database.failed(now, str(error))
                await self._clock.wait(asyncio.Event(), self._database.over_at - now)
            else:
                self._database.answered()
                return
