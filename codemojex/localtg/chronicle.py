"""Everything the bot did, in one numbered line, for whoever follows all chats from another process."""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import islice

from codemojex.localtg.model import Event

_KEPT = 50_000
_MOST = 1_000
_LONGEST_WAIT_S = 50.0


class Chronicle:
    """The latest events, by number; older ones are forgotten."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=_KEPT)
        self._next = 0
        self._more = asyncio.Event()

    def note(self, event: Event) -> None:
        """Write down what the bot did; what people do is not."""
        if event.by is None:
            self._events.append(event)
            self._next += 1
            self._more.set()

    async def after(self, since: int, wait_s: float) -> tuple[int, list[Event]]:
        """The events from number ``since`` on, at most 1,000, and the number to go on with.

        Args:
            since: below 0: none, only the number of the next.
            wait_s: how long to wait for the first.
        """
        if since < 0:
            return self._next, []
        if since >= self._next:
            self._more.clear()
            try:
                async with asyncio.timeout(min(wait_s, _LONGEST_WAIT_S)):
                    await self._more.wait()
            except TimeoutError:
                return self._next, []
        first = self._next - len(self._events)
        start = max(since, first)
        found = list(islice(self._events, start - first, start - first + _MOST))
        return start + len(found), found
