"""The outbound path: what the database says is untold goes to Telegram, chat by chat, within the budgets.

The rows are the outbox. What runs here holds the ids of chats with something to be told and nothing else; a
turn of a chat takes the next message from the database, sends it and writes down what became of it. Turns of
different chats run side by side, a chat has one at a time, and whatever one chat runs into (a flood wait, a
block, an error of its own) delays no other.

    wake(chats) -> rota: whose turn, and when -> teller: take, deliver, settle -> rota

Several notifiers may share one database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import structlog
from telegram import Bot

from codemojex.notices.clock import Clock
from codemojex.notices.counts import NoticeCounts
from codemojex.notices.delivery import TokenRefused
from codemojex.notices.ledger import Ledger, Voices
from codemojex.notices.options import NotifierOptions
from codemojex.notices.outage import Outage
from codemojex.notices.outgoing import (
    Blocked,
    Moved,
    Outgoing,
    Overslept,
    Rejected,
    Sent,
    Unknown,
    Unsent,
    Vanished,
)
from codemojex.notices.reactions import Reactions
from codemojex.notices.rota import Rota
from codemojex.notices.teller import Teller, Told
from codemojex.store.engine import Store, StoreDown

log = structlog.get_logger(__name__)

# After a lost answer the repeat is the last chance, so it should prove something: httpx keeps idle connections
# for 5 s, and past that a network that is down shows as a connection that cannot be made.
REPEAT_AFTER_S = 6.0


class Notifier:
    """Tells players what the outbox holds for them."""

    def __init__(
        self,
        store: Store,
        bot: Bot,
        voices: Voices,
        options: NotifierOptions | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.counts = NoticeCounts()
        self._options = options = options or NotifierOptions()
        self._clock = clock = clock or Clock()
        self._rota = Rota(options.budgets, options.held)
        self._telegram, self._database = Outage("Telegram"), Outage("the database")
        self._ledger = Ledger(store, voices, clock, options)
        self._teller = Teller(bot, self._ledger, self._database, clock, options.send_limit_s)
        self._reactions = Reactions(bot, options.send_limit_s, self._flooded)
        self._turns: set[asyncio.Task[None]] = set()
        self._stir, self._stopping = asyncio.Event(), asyncio.Event()
        self._refill_at = float("-inf")
        self._seen_to: int | None = None
        self._fatal: TokenRefused | None = None

    def wake(self, chat_ids: Iterable[int]) -> None:
        """These chats have something to be told. Never waits; the database keeps what does not fit."""
        self._rota.wake(chat_ids)
        self._stir.set()

    def look(self) -> None:
        """Look into the database now for chats that nobody woke. Never waits."""
        self._refill_at = float("-inf")
        self._stir.set()

    def waiting(self) -> int:
        """How many chats have, or may have, something to be told, as far as this notifier knows."""
        return self._rota.waiting() + self._rota.overflowed

    async def run(self) -> None:
        """Tell until `stop`; outages of Telegram and of the database are waited out.

        Raises:
            TokenRefused: Telegram does not know this bot. What waits is kept.
        """
        try:
            while not self._stopping.is_set() and self._fatal is None:
                self._stir.clear()
                await self._refill()
                self._start_turns()
                await self._clock.wait(self._stir, self._rest_s())
        finally:
            await self._finish()
        if self._fatal is not None:
            raise self._fatal

    def stop(self) -> None:
        """Start no more turns; `run` returns when the messages in flight are settled, or after the grace."""
        self._stopping.set()
        self._stir.set()

    async def _refill(self) -> None:
        """Look for chats nobody woke: at first, now and then, and when those left out find room."""
        now = self._clock.monotonic()
        roomy = self._rota.overflowed and self._rota.waiting() <= self._options.held // 2
        if now < self._database.over_at or (now < self._refill_at and not roomy):
            return
        self._refill_at = now + self._options.refill_s
        # Cleared before the read: a chat woken during it either fits or sets it again.
        self._rota.overflowed = False
        try:
            found = await self._ledger.chats(self._options.held, self._seen_to)
        except StoreDown as error:
            self._rota.overflowed = True
            self._database.failed(now, str(error))
            self._refill_at = self._database.over_at
        else:
            self._database.answered()
            self._rota.wake(found)
            # A full page means that there are more behind it; a last page, that some may have been left out
            # before it meanwhile. Both are read when there is room again.
            full = len(found) == self._options.held
            self._rota.overflowed |= full or self._seen_to is not None
            self._seen_to = found[-1] if full else None

    def _start_turns(self) -> None:
        now = self._clock.monotonic()
        while len(self._turns) < self._room(now):
            chat_id = self._rota.next(now)
            if chat_id is None:
                return
            turn = asyncio.create_task(self._turn(chat_id), name=f"notices: chat {chat_id}")
            self._turns.add(turn)
            turn.add_done_callback(self._turned)

    def _room(self, now: float) -> int:
        """How many turns there may be: none in an outage, then one to try whether it is over, else all."""
        if now < self._out_until():
            return 0
        return 1 if self._telegram.on or self._database.on else self._options.parallel

    def _out_until(self) -> float:
        return max(self._telegram.over_at, self._database.over_at)

    def _rest_s(self) -> float:
        """Seconds until there is something to do without being stirred."""
        now, at = self._clock.monotonic(), self._refill_at
        next_at = self._rota.next_at()
        if next_at is not None and (now < self._out_until() or len(self._turns) < self._room(now)):
            at = min(at, max(next_at, self._out_until()))
        return max(0.0, at - now)

    def _turned(self, turn: asyncio.Task[None]) -> None:
        self._turns.discard(turn)
        self._stir.set()

    async def _turn(self, chat_id: int) -> None:
        """One message of one chat; whatever happens, the chat is given back to the rota."""
        told = Told(None, None, more=True, wait_s=None)
        try:
            told = await self._teller.tell(chat_id)
            self._learn(chat_id, told)
        except StoreDown as error:
            self._database.failed(self._clock.monotonic(), str(error))
        except TokenRefused as error:
            self._fatal = error
        except Exception as error:
            # A fault here must not end the telling of everybody else. Its text may quote a player.
            log.error("a chat's turn failed", chat=chat_id, error=type(error).__name__)
            self._rota.back_off(chat_id, self._clock.monotonic())
        finally:
            now = self._clock.monotonic()
            again_at = None if told.wait_s is None else now + told.wait_s
            more = told.more or isinstance(told.outcome, Unsent | Overslept | Unknown | Vanished)
            spent = not isinstance(told.outcome, Overslept | None)
            self._rota.done(chat_id, now, spent=spent, more=more, again_at=again_at)

    def _learn(self, chat_id: int, told: Told) -> None:
        """What this turn says about the chat, about Telegram and about the database."""
        now = self._clock.monotonic()
        self._database.answered()
        match told.outcome:
            case None:
                return
            case Overslept():
                # Nothing was asked of Telegram, and the chat is not to blame: it goes again at once.
                self.counts.note(chat_id, told)
                return
            case Unsent(wait_s=float(wait_s)):
                self._rota.hold(chat_id, now + wait_s)
            case Unsent(unreachable=True, reason=reason):
                self._telegram.failed(now, reason)
            case Unsent():
                self._rota.back_off(chat_id, now)
            case Unknown():
                self._rota.hold(chat_id, now + REPEAT_AFTER_S)
            case Moved(chat_id=new):
                self._rota.move(chat_id, new, now)
            case Sent() | Rejected() | Blocked() | Vanished():
                self._rota.well(chat_id)
        if not (isinstance(told.outcome, Unsent) and told.outcome.unreachable):
            self._telegram.answered()
        self.counts.note(chat_id, told)
        if isinstance(told.outcome, Sent) and told.message is not None:
            self._react(told.message, now)

    def _react(self, message: Outgoing, now: float) -> None:
        """Put the emoji under a guess, where that costs nobody anything."""
        if message.reaction is not None and self._rota.spare(message.chat_id, now):
            self.counts.reactions += self._reactions.react(message.chat_id, message.reaction)

    def _flooded(self, chat_id: int, wait_s: float) -> None:
        self._rota.hold(chat_id, self._clock.monotonic() + wait_s)

    async def _finish(self) -> None:
        """Let turns in flight come to their end within the grace, then let them go."""
        if self._turns:
            await asyncio.wait(set(self._turns), timeout=self._options.grace_s)
        left = set(self._turns)
        for turn in left:
            turn.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await self._reactions.close()
        await self._ledger.close()
