"""Time as an argument: the notifier asks one of these, and a test hands it another."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime


class Clock:
    """The machine's own time."""

    def monotonic(self) -> float:
        """Seconds that only grow, for waits within this process."""
        return time.monotonic()

    def now(self) -> datetime:
        """Aware UTC, for what is written down and compared by other processes."""
        return datetime.now(UTC)

    async def wait(self, event: asyncio.Event, timeout_s: float | None) -> None:
        """Return when ``event`` is set or, given a timeout, when so many seconds have passed."""
        try:
            async with asyncio.timeout(timeout_s):
                await event.wait()
        except TimeoutError:
            return
