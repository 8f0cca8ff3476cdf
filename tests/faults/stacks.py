"""What a process that does nothing waits for: SIGUSR1 has it print where every task and greenlet stands."""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import signal
import sys
import traceback
from types import FrameType
from typing import Any

from greenlet import greenlet


def listen() -> None:
    """Print the stacks on SIGUSR1."""
    signal.signal(signal.SIGUSR1, _print)


def _print(number: int, frame: FrameType | None) -> None:
    faulthandler.dump_traceback(file=sys.stderr)
    for found in gc.get_objects():
        if isinstance(found, asyncio.Task) and not found.done():
            print(f"task {found.get_name()}", *_waits(found.get_coro()), sep="\n", file=sys.stderr)
        elif isinstance(found, greenlet) and found.gr_frame is not None:
            print("greenlet", *traceback.format_stack(found.gr_frame)[-12:], sep="\n", file=sys.stderr)
    sys.stderr.flush()


def _waits(coroutine: Any) -> list[str]:
    """A line for each coroutine that awaits the next."""
    lines = []
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None) or getattr(coroutine, "gi_frame", None)
        if frame is None:
            lines.append(f"    {coroutine!r:.200}")
            break
        lines.append(f"    {frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_name}")
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)
    return lines
