"""Polling that commits before it confirms.

A batch is handled in one transaction; only when that is committed does the next `getUpdates` carry
an offset past it. A process that dies in between gets the same batch again, and the `updates` table
knows what was done.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
import time

import structlog
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError

from codemojex.beats import rest
from codemojex.bot.intake import Intake
from codemojex.bot.marks import RawUpdate
from codemojex.bot.source import UpdateSource
from codemojex.calls import trouble
from codemojex.flood import wait_s
from codemojex.store.engine import StoreDown

log = structlog.get_logger(__name__)

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 15.0

# Telegram ends the earlier of two polls. Who has polled alone for a while answers that by polling again at
# once, which ends the newcomer's; so the one in office stays, and the newcomer asks again much later.
_IN_OFFICE_S = 10.0
_INSIST_S = 0.3
_INSISTS = 5
_FORGET_S = 5.0
_STANDBY_S = (12.0, 20.0)


class Poller:
    """Brings updates from Telegram to the intake, in order, none confirmed before it is committed.

    Attributes:
        last_good_at: when `getUpdates` last answered, monotonic seconds; None before the first time.
        trouble: why it did not answer since; empty when it did.
        standby: another process polls with this token, and this one waits for it to leave.
    """

    def __init__(self, source: UpdateSource, intake: Intake) -> None:
        self.last_good_at: float | None = None
        self.standby = False
        self.trouble = ""
        self._since: float | None = None  # in office since then
        self._conflicts, self._met_at = 0, float("-inf")
        self._source = source
        self._intake = intake
        self._offset: int | None = None
        self._stop = asyncio.Event()
        self._wait_s = _FIRST_WAIT_S

    async def run(self) -> None:
        """Poll until `stop`.

        Raises:
            InvalidToken: Telegram does not know this token; polling on would never work.
        """
        while not self._stop.is_set():
            batch = await self._fetch()
            if batch:
                await self._commit(batch)
        # Best effort: what is committed need not come again. If this is lost the updates come
        # again and are recognised.
        if self._offset is not None:
            with contextlib.suppress(TelegramError, asyncio.TimeoutError):
                async with asyncio.timeout(2):
                    await self._source.fetch(self._offset, limit=1, held_s=0)

    def stop(self) -> None:
        """Fetch no more; `run` returns once the batch in hand is committed."""
        self._stop.set()

    async def _fetch(self) -> list[RawUpdate]:
        self._since = self._since or time.monotonic()
        fetching = asyncio.ensure_future(self._source.fetch(self._offset, held_s=self._held_s()))
        stopping = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait([fetching, stopping], return_when=asyncio.FIRST_COMPLETED)
            if not fetching.done():
                return []
            batch = list(fetching.result())
        except InvalidToken:
            raise
        except Conflict:
            await self._meet_another()
        except RetryAfter as error:
            self.trouble = f"Telegram asks to wait {wait_s(error):.0f} s"
            await rest(self._stop, wait_s(error))
        except TelegramError as error:
            await self._back_off(error)
        else:
            self._well()
            return batch
        finally:
            for task in (fetching, stopping):
                task.cancel()
            await asyncio.gather(fetching, stopping, return_exceptions=True)
        return []

    def _held_s(self) -> int | None:
        """For how many seconds Telegram is to hold the next poll."""
        if self.standby:
            return math.ceil(_IN_OFFICE_S)  # once it is answered, nobody has ended it for long enough
        # The first is answered at once, so that a bot to which nobody writes is known to work.
        return 0 if self.last_good_at is None else None

    async def _commit(self, batch: list[RawUpdate]) -> None:
        """Have the batch committed; wait out a database that does not answer, confirming nothing."""
        wait_s = _FIRST_WAIT_S
        while True:
            try:
                offset = await self._intake.take(batch)
            except StoreDown as error:
                log.warning("updates wait at Telegram: the database does not answer", error=str(error))
                if self._stop.is_set():
                    return
                await rest(self._stop, wait_s * random.uniform(0.5, 1.0))  # jitter
                wait_s = min(wait_s * 2, _LONGEST_WAIT_S)
            else:
                if offset is None:
                    await rest(self._stop, _LONGEST_WAIT_S)  # nothing in it can be confirmed
                else:
                    self._offset = offset
                return

    async def _meet_another(self) -> None:
        """Somebody else polled: insist when this process is the one in office, else stand by."""
        now = time.monotonic()
        self._conflicts = self._conflicts + 1 if now - self._met_at < _FORGET_S else 1
        self._met_at = now
        if self._in_office() and self._conflicts <= _INSISTS:
            await rest(self._stop, _INSIST_S * random.uniform(0.5, 1.0))
            return
        self._since = None
        if not self.standby:
            log.warning("another process polls with this token; standing by until it leaves")
        self.standby = True
        await rest(self._stop, random.uniform(*_STANDBY_S))

    def _in_office(self) -> bool:
        return self._since is not None and time.monotonic() - self._since >= _IN_OFFICE_S

    async def _back_off(self, error: Exception) -> None:
        if self._wait_s == _FIRST_WAIT_S:
            log.warning("Telegram does not answer; trying on", error=trouble(error))
        self.trouble = type(error).__name__
        await rest(self._stop, self._wait_s * random.uniform(0.5, 1.0))  # jitter
        self._wait_s = min(self._wait_s * 2, _LONGEST_WAIT_S)

    def _well(self) -> None:
        """A poll was answered and nobody came between."""
        if self._wait_s > _FIRST_WAIT_S:
            log.info("Telegram answers again")
        # One answer may slip in before the one in office insists; only time tells that nobody does.
        if self.standby and self._in_office():
            log.info("the other process has left; polling now")
            self.standby = False
        self.trouble = ""
        self._wait_s = _FIRST_WAIT_S
        self.last_good_at = time.monotonic()
