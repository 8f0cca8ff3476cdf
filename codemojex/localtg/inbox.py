"""How a test follows what a person sees."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from codemojex.localtg.model import Event, EventKind


class Stream:
    """Events as they come, from the moment the stream was made."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Event] = asyncio.Queue()

    def put(self, event: Event) -> None:
        self._queue.put_nowait(event)

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        return await self._queue.get()


def holds(words: str) -> Callable[[Event], bool]:
    """A predicate: a new or edited message whose text holds these words."""
    return lambda event: event.kind in (EventKind.MESSAGE, EventKind.EDITED) and words in event.text
