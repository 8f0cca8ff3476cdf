"""Waiting for something that no one signal tells of."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

_REST_S = 60.0
# Asked again and again, ever less often: Telegram, the queue and the database have no signal in common.
_FIRST_LOOK_S, _LATER_LOOKS_S = 0.002, 0.015


async def until_none(busy: Callable[[], Awaitable[str | None]]) -> None:
    """Return once ``busy`` has nothing to say.

    Raises:
        AssertionError: it still had after a minute; the sentence says what.
    """
    said, pause_s = await busy(), _FIRST_LOOK_S
    try:
        async with asyncio.timeout(_REST_S):
            while said is not None:
                await asyncio.sleep(pause_s)
                said, pause_s = await busy(), min(pause_s * 1.5, _LATER_LOOKS_S)
    except TimeoutError:
        raise AssertionError(f"after {_REST_S:g} s still: {said}") from None
