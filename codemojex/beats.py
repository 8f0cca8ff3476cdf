"""Waiting for the next beat."""

from __future__ import annotations

import asyncio
import contextlib


async def rest(stop: asyncio.Event, seconds: float) -> None:
    """Sleep for so many seconds, or until ``stop`` is set."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
