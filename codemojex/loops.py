"""Where a command's coroutine runs: on uvloop where it is installed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end; its result."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(make())
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(make())
