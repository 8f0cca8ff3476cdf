"""Has players told that their guesses are safe, when the queue takes none for longer than they would wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

import structlog

from codemojex.beats import rest
from codemojex.minting import mint
from codemojex.play import reassurance
from codemojex.store.engine import Store, StoreDown

log = structlog.get_logger(__name__)

_PATIENCE_S = 3.0
_EVERY_S = 1.0
_CHATS = 100


class Reassurer:
    """Looks on while the queue is in trouble, and costs nothing while it is not.

    Args:
        failing_s: for how long the queue has not taken what the burst buffer holds, in seconds.
        wake: has the notifier look after chats; the queue, which is away, cannot.
    """

    def __init__(
        self,
        store: Store,
        failing_s: Callable[[], float],
        wake: Callable[[Iterable[int]], None],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.told = 0
        self._store = store
        self._failing_s = failing_s
        self._wake = wake
        self._clock = clock
        self._stop = asyncio.Event()

    async def run(self) -> None:
        """Look every second until `stop`."""
        while not self._stop.is_set():
            if self._failing_s() >= _PATIENCE_S:
                try:
                    await self.once()
                except StoreDown as error:
                    log.warning("players are not told that their guesses are safe", error=str(error))
            await rest(self._stop, _EVERY_S)

    def stop(self) -> None:
        """Let `run` return after the look in hand."""
        self._stop.set()

    async def once(self) -> None:
        """Tell the chats that have waited for longer than they would like, some at a time."""
        now = self._clock()
        late = now - timedelta(seconds=_PATIENCE_S)
        refs = await self._store.transact(lambda tx: reassurance.reassure(tx, mint, now, late, _CHATS))
        if refs:
            log.warning("players are told that their guesses wait safely", chats=len(refs))
            self.told += len(refs)
            self._wake([ref.chat_id for ref in refs])
