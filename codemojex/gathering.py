"""Calls that arrive while one is served are served together by the next: batches without a timer.

A lone call waits for nothing. Under load a hundred chats share one transaction.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_LAST_BATCH_S = 1.0


class Gathering(Generic[T, R]):
    """Turns single calls into batches of at most ``most``, one batch at a time, in the order they came.

    Args:
        serve: a result for each item, in order; or nothing is done and it raises.
        outages: errors that are no call's own fault. Any other sends the calls of its batch again, each alone, so that
            one that cannot be served fails by itself.
    """

    def __init__(
        self,
        serve: Callable[[Sequence[T]], Awaitable[Sequence[R]]],
        most: int,
        outages: tuple[type[Exception], ...] = (),
    ) -> None:
        self._serve = serve
        self._most = most
        self._outages = outages
        self._waiting: deque[tuple[T, asyncio.Future[R]]] = deque()
        self._serving: asyncio.Task[None] | None = None

    async def ask(self, item: T) -> R:
        """The result for ``item``; an outage is raised to each of a batch, another error to whom it belongs."""
        answer: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, answer))
        if self._serving is None or self._serving.done():
            self._serving = asyncio.create_task(self._serve_all(), name="gathering")
        return await answer

    async def close(self) -> None:
        """Let the batch in flight end, for a moment; give up what is not served yet."""
        for _, answer in self._waiting:
            answer.cancel()
        self._waiting.clear()
        if self._serving is not None:
            await asyncio.wait([self._serving], timeout=_LAST_BATCH_S)
            self._serving.cancel()
            await asyncio.gather(self._serving, return_exceptions=True)

    async def _serve_all(self) -> None:
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(self._most, len(self._waiting)))]
            await self._serve_batch([call for call in batch if not call[1].done()])

    async def _serve_batch(self, batch: Sequence[tuple[T, asyncio.Future[R]]]) -> None:
        try:
            results = await self._serve([item for item, _ in batch])
        except Exception as error:
            if len(batch) > 1 and not isinstance(error, self._outages):
                for call in batch:
                    await self._serve_batch([call])
                return
            for _, answer in batch:
                if not answer.done():
                    answer.set_exception(error)
        except BaseException:
            for _, answer in batch:
                answer.cancel()  # nobody else would end their wait
            raise
        else:
            for (_, answer), result in zip(batch, results, strict=True):
                if not answer.done():
                    answer.set_result(result)
