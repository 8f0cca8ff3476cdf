"""One queue, as an operator sees and steers it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from .errors import MalformedArgument
from .ids import is_valid, parse
from .lanes import Lanes
from .resp import Reply, checked
from .rows import Rows
from .scripts import script
from .steering import DRAIN_SLICE, LANES_SLICE
from .verdicts import Counts
from .views import Ages, Throughput

LOOK = 1_000
"""Lanes, or jobs of an unordered set, that one look takes in."""

_STEP = 1_000  # keys of the server that one step of an obliteration looks at


class Admin(Rows):
    """Look at a queue, stop its claims, let them go on, empty it, remove it.

    Its verbs raise ``ServerRefused``, ``NotSent`` and ``Uncertain``, as their names say; all but ``remove`` and
    ``add_log`` may be repeated.
    """

    async def pause(self) -> None:
        """No claim hands out a job until :meth:`resume`; enqueues, settles and leases go on.

        Source: lua/pause.lua
        """
        await self._conn.run(script("pause"), (self._keys.meta,), ())

    async def resume(self) -> None:
        """Claims hand out jobs again, and a parked worker is woken if something waits.

        Source: lua/resume.lua
        """
        k = self._keys
        await self._conn.run(script("resume"), (k.meta, k.pending), (k.base,))

    async def paused(self) -> bool:
        """Whether claims are stopped."""
        return await self._conn.command("HGET", self._keys.meta, "paused") is not None

    async def counts(self) -> Counts:
        """How many jobs are in each state, lanes included, in one round trip and at one moment.

        With more than a thousand lanes these are counted afterwards, by some at a time.

        Source: lua/counts.lua
        """
        k = self._keys
        keys = (k.pending, k.active, k.schedule, k.dead)
        figures = [int(figure) for figure in await self._conn.run(script("counts"), keys, (k.base, LOOK))]
        if figures[-1] < 0:
            figures[-1] = sum((await self._lanes.depths()).values())
        return Counts(*figures)

    async def ages(self) -> Ages:
        """How old the oldest job of each state is."""
        k = self._keys
        pending, dead, active, due, time, ring = await self._pipeline(
            ("ZRANGE", k.pending, 0, 0), ("ZRANGE", k.dead, 0, 0), ("ZRANGE", k.active, 0, LOOK - 1, "WITHSCORES"),
            ("ZRANGE", k.schedule, 0, LOOK - 1, "WITHSCORES"), ("TIME",), ("LRANGE", k.ring, 0, LOOK - 1),
        )  # fmt: skip
        now = int(time[0]) * 1_000 + int(time[1]) // 1_000
        held, scheduled = _with_scores(active), _with_scores(due)
        heads: list[bytes] = []
        for at in range(0, len(ring), LANES_SLICE):
            lanes = [k.lane(group.decode()) for group in ring[at : at + LANES_SLICE]]
            heads += [
                id for some in await self._pipeline(*(("ZRANGE", key, 0, 0) for key in lanes)) for id in some
            ]
        return Ages(
            pending=_oldest(pending, now),
            in_lanes=_oldest(heads, now),
            active=_oldest(list(held), now),
            scheduled=_oldest(list(scheduled), now),
            dead=_oldest(dead, now),
            overdue=_since(scheduled.values(), now),
            lapsed=_since(held.values(), now),
        )

    async def throughput(self, seconds: float = 1.0) -> Throughput:
        """How many jobs a second are completed and fail for good, from two looks ``seconds`` apart."""
        if not 0 < seconds <= 3_600:
            raise MalformedArgument(f"seconds is {seconds!r}: give more than 0, 3,600 at most")
        before, began = await self.counts(), asyncio.get_running_loop().time()
        await asyncio.sleep(seconds)
        after, took = await self.counts(), asyncio.get_running_loop().time() - began
        completed, failed = after.completed - before.completed, after.failed - before.failed
        return Throughput(completed / took, failed / took, took)

    async def drain(self, *, scheduled: bool = False, lanes: bool = False) -> int:
        """Remove the jobs that wait, for good; those in flight, the dead and those of flows stay.

        Removed by 200 a step; what is enqueued meanwhile may go too.

        Args:
            scheduled: those that wait for their time as well.
            lanes: those that wait in lanes as well.

        Returns:
            How many were removed.

        Source: lua/drain.lua
        """
        removed = await self._drain(self._keys.pending)
        if scheduled:
            removed += await self._drain(self._keys.schedule)
        if lanes:
            for group in await self._lanes.groups():
                removed += await self._lanes.drain(group)
        return removed

    async def obliterate(self, *, force: bool = False, budget: int | None = None) -> bool:
        """Remove everything a paused queue has: jobs, lanes, counters, and the pause itself, last.

        It looks through the server's keys, a thousand a step, so that no other client waits; stopped half way,
        by an error or by ``budget``, it is simply called again. Jobs enqueued meanwhile may go too.

        Args:
            force: also when jobs are in flight; their workers find them gone.
            budget: stop once about so many of its keys are removed.

        Returns:
            Whether nothing is left.

        Raises:
            WrongState: the queue is not paused, or jobs are in flight and it is not forced. Nothing was done.

        Source: lua/obliterate.lua
        """
        k = self._keys
        cursor, removed = "0", 0
        while budget is None or removed < budget:
            args = (k.base, "force" if force else "", cursor, _STEP)
            answer, gone = await self._conn.run(script("obliterate"), (k.meta, k.active), args)
            cursor, removed = answer.decode(), removed + int(gone)
            if cursor == "0":
                return True
        return False

    @property
    def _lanes(self) -> Lanes:
        return Lanes(self._conn, self._keys.queue)

    async def _drain(self, source: str) -> int:
        removed = kept = 0
        while True:
            args = (self._keys.base, kept, DRAIN_SLICE)
            gone, stayed = await self._conn.run(script("drain"), (source,), args)
            removed += int(gone)
            kept += int(stayed)
            if gone + stayed < DRAIN_SLICE:
                return removed

    async def _pipeline(self, *commands: tuple[str | int, ...]) -> list[Reply]:
        return [checked(reply) for reply in await self._conn.pipeline(commands)] if commands else []


def _oldest(ids: list[bytes], now: int) -> int | None:
    minted = [parse(id.decode()).unix_ms for id in ids if is_valid(id.decode(errors="replace"))]
    return max(0, now - min(minted)) if minted else None


def _since(moments: Iterable[int], now: int) -> int | None:
    """How long ago the first of these moments was; ``None`` when it is still to come."""
    past = now - min(moments, default=now)
    return past if past > 0 else None


def _with_scores(reply: list[Any]) -> dict[bytes, int]:
    """Members and scores of either protocol: flat pairs of text, or pairs with doubles."""
    if reply and isinstance(reply[0], list):
        return {id: int(float(score)) for id, score in reply}
    return {id: int(float(score)) for id, score in zip(reply[::2], reply[1::2], strict=True)}
