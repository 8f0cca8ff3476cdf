"""A question to a server, asked by whoever wants to know, and never twice at the same time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")

FRESH_S = 1.0
PATIENCE_S = 2.0


class Look(Generic[T]):
    """Asks a server and remembers what it said.

    Whoever asks while an answer is fresh gets that answer; whoever asks while a question is on its way waits for that
    one, and not for long. So neither many askers nor a server that hangs make questions pile up.

    Args:
        ask: asks the server; what it raises says why there is no answer.
        explain: what to tell an operator of that.

    Attributes:
        found: the last answer, None where the last question has none.
        trouble: why there is none; empty where there is one, or nobody has asked yet.
        good_at: when there was one last, monotonic seconds; None before the first.
    """

    def __init__(self, ask: Callable[[], Awaitable[T]], explain: Callable[[Exception], str]) -> None:
        self.found: T | None = None
        self.trouble = ""
        self.good_at: float | None = None
        self._ask = ask
        self._explain = explain
        self._asked_at = float("-inf")
        self._asking: asyncio.Task[None] | None = None

    async def refresh(self) -> None:
        """Have a fresh answer, or the reason why there is none; after two seconds that is the reason."""
        if self._asking is None:
            if time.monotonic() - self._asked_at < FRESH_S:
                return
            self._asked_at = time.monotonic()
            self._asking = asyncio.create_task(self._once(), name="ops: look")
        asking = self._asking
        # It is never cut off: a driver's connection would be lost with it, and the next question be no better.
        await asyncio.wait([asking], timeout=max(0.0, self._asked_at + PATIENCE_S - time.monotonic()))
        if not asking.done():
            self.found = None
            self.trouble = f"no answer for {time.monotonic() - self._asked_at:.0f} s"

    async def close(self) -> None:
        """Give up the question on its way."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)

    async def _once(self) -> None:
        try:
            self.found = await self._ask()
        except Exception as error:
            self.found, self.trouble = None, self._explain(error)
        else:
            self.trouble, self.good_at = "", time.monotonic()
        finally:
            self._asking = None
