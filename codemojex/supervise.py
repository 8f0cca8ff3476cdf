"""Parts that run side by side: a part that fails is started again, one that cannot work ends them all."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import structlog

from codemojex.beats import rest

log = structlog.get_logger(__name__)

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 15.0


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that runs until it is stopped.

    Attributes:
        name: how the log calls it.
        run: returns when `stop` was called; whatever it raises is a failure.
        stop: asks `run` to return; returns at once.
    """

    name: str
    run: Callable[[], Awaitable[None]]
    stop: Callable[[], None]


class Supervisor:
    """Runs parts, and stops them in the order given.

    Attributes:
        restarts: how often each part failed and was started again, by its name.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        *,
        fatal: tuple[type[Exception], ...] = (),
        grace_s: float = 6.0,
        stopping: asyncio.Event | None = None,
    ) -> None:
        self.restarts = {part.name: 0 for part in parts}
        self._parts = parts
        self._fatal = fatal
        self._grace_s = grace_s
        self._stopping = stopping or asyncio.Event()

    def stop(self) -> None:
        """Ask everything to stop; `run` returns when it has."""
        self._stopping.set()

    async def run(self) -> None:
        """Run every part until `stop` or a fatal error; then stop them in order, within the grace.

        Raises:
            the fatal error that ended a part.
        """
        tasks = {part.name: asyncio.create_task(self._keep(part), name=part.name) for part in self._parts}
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait([stopping, *tasks.values()], return_when=asyncio.FIRST_COMPLETED)
            self._stopping.set()
            await self._wind_down(tasks)
        finally:
            stopping.cancel()
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(stopping, *tasks.values(), return_exceptions=True)
        for task in tasks.values():
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error

    async def _wind_down(self, tasks: dict[str, asyncio.Task[None]]) -> None:
        """Stop the parts one after the other: what feeds a part ends before the part does."""
        deadline = asyncio.get_running_loop().time() + self._grace_s
        for part in self._parts:
            part.stop()
            left = max(0.1, deadline - asyncio.get_running_loop().time())
            done, _ = await asyncio.wait([tasks[part.name]], timeout=left)
            if not done:
                log.warning("a part did not stop in time and is cut off; nothing is lost", part=part.name)

    async def _keep(self, part: Part) -> None:
        """Run a part again whenever it fails, ever later."""
        wait_s = _FIRST_WAIT_S
        while True:
            began = asyncio.get_running_loop().time()
            try:
                await part.run()
                return
            except self._fatal:
                raise
            except Exception:
                log.exception("a part failed and is started again", part=part.name)
                self.restarts[part.name] += 1
            if asyncio.get_running_loop().time() - began > 60:
                wait_s = _FIRST_WAIT_S
            if self._stopping.is_set():
                return
            await rest(self._stopping, wait_s)
            wait_s = min(wait_s * 2, _LONGEST_WAIT_S)
