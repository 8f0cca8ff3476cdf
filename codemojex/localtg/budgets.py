"""Telegram's budgets for sending: about one message a second to a private chat, 20 a minute to a
group, 30 a second in all. Off unless asked for."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

from codemojex.localtg.errors import too_many

_PRIVATE_BURST = 3
_EVERYTHING_A_SECOND = 30
_GROUP_MOST, _GROUP_WINDOW_S = 20, 60.0
# Requests are counted as they arrive, which is a little later or earlier than they were sent.
_SLACK = 0.5


class _Bucket:
    """``burst`` at once, then ``rate`` a second."""

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate, self._burst = rate, burst
        self._level, self._at = float(burst), now

    def wait_s(self, now: float) -> float:
        """How long until one more fits; 0 when it fits now."""
        self._level = min(self._burst, self._level + (now - self._at) * self._rate)
        self._at = now
        return 0.0 if self._level >= 1 - _SLACK else (1 - self._level) / self._rate

    def take(self, now: float) -> None:
        self._level -= 1


class _Window:
    """At most ``most`` in any ``seconds``."""

    def __init__(self, most: int, seconds: float) -> None:
        self._seconds = seconds
        self._times: deque[float] = deque(maxlen=most)

    def wait_s(self, now: float) -> float:
        """How long until one more fits; 0 when it fits now."""
        full = len(self._times) == self._times.maxlen
        return max(0.0, self._times[0] + self._seconds - _SLACK - now) if full else 0.0

    def take(self, now: float) -> None:
        self._times.append(now)


class Budgets:
    """Counts what was sent; a request beyond a budget is refused and costs nothing."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._everything = _Bucket(_EVERYTHING_A_SECOND, _EVERYTHING_A_SECOND, clock())
        self._chats: dict[int, _Bucket | _Window] = {}

    def spend(self, chat_id: int) -> None:
        """Take one message, or one edit, to this chat (groups have negative ids) from the budgets.

        Raises:
            Refusal: 429 with ``retry_after`` in whole seconds.
        """
        now = self._clock()
        budgets = (self._of(chat_id, now), self._everything)
        wait_s = max(budget.wait_s(now) for budget in budgets)
        if wait_s > 0:
            raise too_many(max(1, math.ceil(wait_s)))
        for budget in budgets:
            budget.take(now)

    def _of(self, chat_id: int, now: float) -> _Bucket | _Window:
        found = self._chats.get(chat_id)
        if found is None:
            grouped = chat_id < 0
            found = _Window(_GROUP_MOST, _GROUP_WINDOW_S) if grouped else _Bucket(1.0, _PRIVATE_BURST, now)
            self._chats[chat_id] = found
        return found
