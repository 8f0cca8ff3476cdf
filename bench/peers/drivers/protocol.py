"""What every driver in Python is made of: JSON lines in, JSON lines out, and a count of handled jobs.

A driver is a module with coroutines or functions named for the verbs, each from a number of jobs to seconds.
It runs in the environment of its library and can import nothing else of this repository.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Awaitable, Callable

URL = sys.argv[1] if len(sys.argv) > 1 else ""
PAYLOAD = "x" * 100

Verb = Callable[[int], "float | Awaitable[float]"]


class Handled:
    """Counts handled jobs, from the first to the last; thread-safe enough for one more than it counts."""

    def __init__(self) -> None:
        self.expect(0)

    def expect(self, jobs: int) -> None:
        """Start to count anew."""
        self._jobs, self._done, self._began, self._ended = jobs, 0, 0.0, 0.0
        self._lock = threading.Lock()
        self._all = threading.Event()

    def one(self, *_: object) -> None:
        """A job was handled."""
        with self._lock:
            self._done += 1
            if self._done == 1:
                self._began = time.perf_counter()
            if self._done == self._jobs:
                self._ended = time.perf_counter()
                self._all.set()

    @property
    def all(self) -> bool:
        """Whether that were all of them."""
        return self._all.is_set()

    @property
    def seconds(self) -> float:
        """From the first job to the last."""
        return self._ended - self._began

    def wait(self) -> float:
        """Wait for the last in a thread; the seconds."""
        while not self._all.wait(0.5):
            pass
        return self.seconds

    async def gathered(self) -> float:
        """Wait for the last on an event loop; the seconds."""
        while not self.all:  # noqa: ASYNC110  # threads and loops count alike
            await asyncio.sleep(0.002)
        return self.seconds


handled = Handled()


AT_ONCE = 100


async def many(jobs: int, one: Callable[[], Awaitable[object]]) -> None:
    """Await ``one`` for each of so many jobs, a hundred at once: for libraries without a call for many."""

    async def some(count: int) -> None:
        for _ in range(count):
            await one()

    await asyncio.gather(*(some(jobs // AT_ONCE) for _ in range(AT_ONCE)))


def serve(*verbs: Verb, use_uvloop: bool = True) -> None:
    """Answer until the input ends. What the library prints goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    known = {verb.__name__: verb for verb in verbs}

    async def answer() -> None:
        for line in sys.stdin:
            asked = json.loads(line)
            print(json.dumps(await _said(known, asked["do"], asked["jobs"])), file=answers)

    _runner(use_uvloop)(answer())


async def _said(known: dict[str, Verb], verb: str, jobs: int) -> dict[str, object]:
    if verb not in known:
        return {"missing": "there is nothing like it"}
    try:
        found = known[verb](jobs)
        return {"seconds": await found if inspect.isawaitable(found) else found}
    except (Exception, asyncio.CancelledError) as error:
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"}


def _runner(use_uvloop: bool) -> Callable[..., object]:
    """uvloop's where it is installed: each peer at its best."""
    if use_uvloop:
        try:
            import uvloop
        except ImportError:
            pass
        else:
            return uvloop.run
    return asyncio.run
