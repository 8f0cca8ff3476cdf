"""Looking at processes from outside."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def alive(pid: int) -> bool:
    """Whether the process runs; one that ended and was not yet waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def children(pid: int) -> list[int]:
    """The processes that ``pid``'s threads started and that still run."""
    found: list[int] = []
    for listing in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(child) for child in listing.read_text().split()]
    return found


def eventually(condition: Callable[[], bool], within_s: float = 60.0) -> None:
    """Wait until ``condition()`` holds."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.005)
