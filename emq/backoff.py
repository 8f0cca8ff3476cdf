"""How long to wait before trying again."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

Backoff: TypeAlias = Callable[[int], int]
"""From the number of attempts made so far (1 or more) to milliseconds until the next."""

_DOUBLINGS = 40


def fixed(ms: int) -> Backoff:
    """The same wait each time, whole milliseconds, 0 or more.

    Raises:
        ValueError: it is negative.
    """
    if ms < 0:
        raise ValueError(f"a backoff of {ms} ms makes no sense: give 0 or more")
    return lambda _attempts: ms


def full_jitter(inner: Backoff, *, dice: Callable[[], float] = random.random) -> Backoff:
    """Anything from 0 up to what ``inner`` says: spreads a crowd as widely as can be.

    Args:
        inner: the longest wait after each attempt.
        dice: a number from 0 to 1.
    """
    return lambda attempts: round(inner(attempts) * dice())


def doubling(first_ms: int, cap_ms: int) -> Backoff:
    """Double from ``first_ms`` up to ``cap_ms``, without any chance in it.

    Raises:
        ValueError: the bounds make no sense.
    """
    return exponential(first_ms, cap_ms, dice=lambda: 1.0)


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
