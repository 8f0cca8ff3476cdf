"""Looks at everything a process has, whenever somebody asks."""

from __future__ import annotations

import asyncio
import time

import emq
from codemojex.ops import figures, readiness
from codemojex.ops.look import Look
from codemojex.ops.readiness import PartState
from codemojex.ops.watched import Watched
from codemojex.play.backlog import Backlog, backlog
from codemojex.store.errors import StoreError
from emq.metrics import Metric, of_queue


class Lookout:
    """Says how each part of a process is, and its figures."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._database: Look[Backlog] = Look(lambda: watched.store.read(backlog), _explain)
        self._queue: Look[list[Metric]] = Look(self._ask_queue, _explain)

    async def states(self) -> list[PartState]:
        """How each part is now."""
        await asyncio.gather(self._database.refresh(), self._queue.refresh())
        watched, now = self._watched, time.monotonic()
        states = [self._of_database(), self._of_queue()]
        if watched.bot is not None:
            states.insert(0, readiness.of_updates(watched.bot.entry, now))
        if watched.worker is not None:
            states.append(readiness.of_worker(watched.worker.worker.stats, now))
        return states

    async def figures(self) -> list[Metric]:
        """Every figure there is now; those of a server that does not answer are left out."""
        states = await self.states()
        found = list(figures.of_process(self._watched, states))
        if self._database.found is not None:
            found += figures.of_backlog(self._database.found, self._watched.clock())
        return found + (self._queue.found or [])

    async def close(self) -> None:
        """Give up the questions on their way."""
        await asyncio.gather(self._database.close(), self._queue.close())

    async def _ask_queue(self) -> list[Metric]:
        watched = self._watched
        found = [await of_queue(watched.queue, name) for name in (watched.guess_queue, watched.notify_queue)]
        return [metric for of_one in found for metric in of_one]

    def _of_database(self) -> PartState:
        return readiness.of_server("database", self._database.trouble, self._database.good_at)

    def _of_queue(self) -> PartState:
        name = self._watched.guess_queue
        server = readiness.of_server("queue", self._queue.trouble, self._queue.good_at)
        paused = any(
            metric.name == "emq_paused" and metric.samples.get((name,)) for metric in self._queue.found or ()
        )
        return readiness.of_queue(
            server, paused=paused, failing_s=self._watched.bursts.failing_s(), name=name
        )


def _explain(error: Exception) -> str:
    """What went wrong, in words; of what nobody foresaw its kind alone, for its text may quote a player."""
    if isinstance(error, StoreError | emq.EmqError):
        return str(error)
    return f"asking failed: {type(error).__name__}"
