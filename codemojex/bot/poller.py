"""Polling that commits before it confirms.

A batch is handled in one transaction; only when that is committed does the next `getUpdates` carry
an offset past it. A process that dies in between gets the same batch again, and the `updates` table
knows what was done.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time

import structlog
from telegram.error import Conflict, InvalidToken, NetworkError, RetryAfter, TelegramError, TimedOut

from codemojex.bot.intake import Intake
from codemojex.bot.source import RawUpdate, UpdateSource
from codemojex.store.engine import StoreDown

log = structlog.get_logger(__name__)

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 15.0
_STANDBY_S = 3.0


class Poller:
    """Brings updates from Telegram to the intake, in order, none confirmed before it is committed."""

    def __init__(self, source: UpdateSource, intake: Intake) -> None:
        self.last_good_at: float | None = None
        self.standby = False
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
                    await self._source.fetch(self._offset, limit=1, wait=False)

    def stop(self) -> None:
        """Fetch no more; `run` returns once the batch in hand is committed."""
        self._stop.set()

    async def _fetch(self) -> list[RawUpdate]:
        fetching = asyncio.ensure_future(self._source.fetch(self._offset))
        stopping = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait([fetching, stopping], return_when=asyncio.FIRST_COMPLETED)
            if not fetching.done():
                return []
            batch = list(fetching.result())
        except InvalidToken:
            raise
        except Conflict:
            await self._stand_by()
        except RetryAfter as error:
            seconds = error.retry_after
            await self._rest(seconds if isinstance(seconds, (int, float)) else seconds.total_seconds())
        except TimedOut:
            await self._rest(0.0)
        except NetworkError as error:
            await self._back_off(error)
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

    async def _commit(self, batch: list[RawUpdate]) -> None:
        """Have the batch committed; wait out a database that does not answer, confirming nothing."""
        wait_s = _FIRST_WAIT_S
        while True:
            try:
                await self._intake.take(batch)
            except StoreDown as error:
                log.warning("updates wait at Telegram: the database does not answer", error=str(error))
                if self._stop.is_set():
                    return
                await self._rest(wait_s * random.uniform(0.5, 1.0))  # jitter
                wait_s = min(wait_s * 2, _LONGEST_WAIT_S)
            else:
                self._offset = max(raw["update_id"] for raw in batch) + 1
                return

    async def _stand_by(self) -> None:
        if not self.standby:
            log.warning("another process polls with this token; standing by until it leaves")
        self.standby = True
        await self._rest(_STANDBY_S)

    async def _back_off(self, error: Exception) -> None:
        if self._wait_s == _FIRST_WAIT_S:
            log.warning("Telegram does not answer; trying on", error=type(error).__name__)
        await self._rest(self._wait_s * random.uniform(0.5, 1.0))  # jitter
        self._wait_s = min(self._wait_s * 2, _LONGEST_WAIT_S)

    def _well(self) -> None:
        if self.standby or self._wait_s > _FIRST_WAIT_S:
            log.info("Telegram answers again")
        self.standby = False
        self._wait_s = _FIRST_WAIT_S
        self.last_good_at = time.monotonic()

    async def _rest(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), seconds)
