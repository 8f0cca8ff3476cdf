"""Telegram's budgets for sending: about one message a second to a private chat, 20 a minute to a
group, 30 a second in all. Off unless asked for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from codemojex.localtg.errors import too_many


@dataclass(slots=True)
class _Bucket:
    level: float
    at: float


@dataclass(frozen=True, slots=True)
class Budget:
    """``burst`` at once, then ``rate`` a second."""

    rate: float
    burst: int


PRIVATE = Budget(rate=1.0, burst=3)
GROUP = Budget(rate=20 / 60, burst=20)
EVERYTHING = Budget(rate=30.0, burst=30)


class Budgets:
    """Counts what was sent; a request beyond a budget is refused and costs nothing."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._buckets: dict[int | None, _Bucket] = {}

    def spend(self, chat_id: int) -> None:
        """Take one message to this chat (groups have negative ids) from the budgets.

        Raises:
            Refusal: 429 with ``retry_after`` in whole seconds.
        """
        now = self._clock()
        chat = self._bucket(chat_id, GROUP if chat_id < 0 else PRIVATE, now)
        everything = self._bucket(None, EVERYTHING, now)
        for bucket, budget in (
            (chat, GROUP if chat_id < 0 else PRIVATE),
            (everything, EVERYTHING),
        ):
            if bucket.level < 1:
                raise too_many(max(1, math.ceil((1 - bucket.level) / budget.rate)))
        chat.level -= 1
        everything.level -= 1

    def _bucket(self, key: int | None, budget: Budget, now: float) -> _Bucket:
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = _Bucket(budget.burst, now)
        bucket.level = min(budget.burst, bucket.level + (now - bucket.at) * budget.rate)
        bucket.at = now
        return bucket
