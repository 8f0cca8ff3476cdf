"""How long to wait before trying again."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

Backoff: TypeAlias = Callable[[int], int]
"""From the number of attempts made so far (1 or more) to milliseconds until the next."""

_DOUBLINGS = 40


def exponential(first_ms: int, cap_ms: int, *, dice: Callable[[], float] = random.random) -> Backoff:
    """Double from ``first_ms`` up to ``cap_ms``, each time somewhere in the upper half of that.

    The chance in it keeps those that failed together from coming back together.

    Args:
        first_ms: the longest wait after the first attempt, 0 or more.
        cap_ms: the longest wait of all, ``first_ms`` or more.
        dice: a number from 0 to 1.

    Raises:
        ValueError: the bounds make no sense.
    """
    if not 0 <= first_ms <= cap_ms:
        raise ValueError(f"backoff goes from {first_ms} ms up to {cap_ms} ms: give 0 <= first_ms <= cap_ms")

    def delay_ms(attempts: int) -> int:
        longest = min(cap_ms, first_ms << min(max(attempts, 1) - 1, _DOUBLINGS))
        return round(longest * (0.5 + dice() / 2))

    return delay_ms
