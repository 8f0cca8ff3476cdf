"""Time as an argument: the notifier asks one of these, and a test hands it another."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime


class Clock:
    """The machine's own time, unless told another for what is written down."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now

    def monotonic(self) -> float:
        """Seconds that only grow, for waits within this process."""
        return time.monotonic()

    def now(self) -> datetime:
        """Aware UTC, for what is written down and compared by other processes."""
        return self._now()

    async def wait(self, event: asyncio.Event, timeout_s: float | None) -> None:
        """Return when ``event`` is set or, given a timeout, when so many seconds have passed."""
        try:
            async with asyncio.timeout(timeout_s):
                await event.wait()
        except TimeoutError:
            return
