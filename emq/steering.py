"""Steering lanes: parking one, limiting it, giving it weight, emptying it, moving its jobs."""

from __future__ import annotations

from collections.abc import Iterable

from .errors import Gone, MalformedArgument
from .holding import positive
from .ids import gate
from .moving import MOVE_SLICE, Moving
from .resp import checked
from .scripts import script

DRAIN_SLICE = 200
"""Jobs removed in one script call."""

LANES_SLICE = 500
"""Lanes asked about in one flush."""

HEAVIEST = 1_000


class Steering(Moving):
    """The verbs of an operator over the lanes of one queue.

    A group is a branded id of any namespace. All of them raise:
        MalformedId: a group or an id is not a branded id; nothing was sent.
        ServerRefused, NotSent, Uncertain: as their names say. Repeating is safe.
    """

    async def pause(self, group: str) -> bool:
        """Park a lane: its jobs wait, those in flight go on. False when it was parked already.

        Source: lua/lane_pause.lua
        """
        k = self._keys
        return bool(await self._conn.run(script("lane_pause"), (k.paused, k.ring), (gate(group),)))

    async def resume(self, group: str) -> bool:
        """Serve a parked lane again and wake a worker if it has work. False when it was not parked.

        Source: lua/lane_resume.lua
        """
        k = self._keys
        keys = (k.paused, k.lane(group))
        return bool(await self._conn.run(script("lane_resume"), keys, (group, k.base)))

    async def limit(self, group: str, at_most: int) -> None:
        """Let no more than ``at_most`` jobs of a lane be in flight from now on; those that are stay.

        A limit of 1 keeps the order of a lane: the next job is handed out when the last one was settled.

        Source: lua/lane_limit.lua
        """
        k = self._keys
        args = (gate(group), positive(at_most, "a limit"), k.base)
        await self._conn.run(script("lane_limit"), (k.glimit, k.ring), args)

    async def unlimit(self, group: str) -> bool:
        """Let any number of jobs of a lane be in flight again. False when it had no limit.

        Source: lua/lane_unlimit.lua
        """
        k = self._keys
        keys = (k.glimit, k.lane(group))
        return bool(await self._conn.run(script("lane_unlimit"), keys, (group, k.base)))

    async def weight(self, group: str, jobs_a_turn: int) -> None:
        """Give a lane ``jobs_a_turn`` (1 to 1,000) jobs a turn; 1 is what every lane has.

        Source: lua/lane_weight.lua
        """
        if type(jobs_a_turn) is not int or not 1 <= jobs_a_turn <= HEAVIEST:
            raise MalformedArgument(
                f"a weight is a whole number from 1 to {HEAVIEST:,}, not {jobs_a_turn!r:.40}"
            )
        await self._conn.run(script("lane_weight"), (self._keys.gweight,), (gate(group), jobs_a_turn))

    async def reassign(self, id: str, group: str) -> bool:
        """Make a job one of another lane; if it waits, it waits there, in the place of its age.

        It may wait in a lane or outside of lanes, be scheduled or dead. False when it was of that lane already.

        Raises:
            Gone: it has no row.
            WrongState: it is in flight.

        Source: lua/lane_reassign.lua
        """
        k = self._keys
        keys = (k.job(id), k.lane(group))
        reply = await self._conn.run(script("lane_reassign"), keys, (id, group, k.base))
        if reply == -1:
            raise Gone(f"{id} has no row: it was completed or removed")
        return bool(reply == 1)

    async def drain(self, group: str) -> int:
        """Remove the jobs that wait in a lane, for good; those in flight stay. Returns how many were removed.

        Jobs of flows stay: their parents would wait for ever. Removed by 200 a step; what is enqueued meanwhile
        may go too.

        Source: lua/lane_drain.lua
        """
        k = self._keys
        removed = kept = 0
        while True:
            args = (k.base, group, kept, DRAIN_SLICE)
            gone, stayed = await self._conn.run(script("lane_drain"), (k.lane(group), k.ring), args)
            removed += int(gone)
            kept += int(stayed)
            if gone + stayed < DRAIN_SLICE:
                return removed

    async def reap_group(self, group: str, limit: int = 100) -> int:
        """Make up to ``limit`` jobs of one lane whose lease has lapsed wait again; returns how many.

        Lapsed jobs of other lanes are left alone, and do not hide those of this one.

        Source: lua/lane_reap.lua
        """
        k = self._keys
        left, skip = positive(limit, "limit"), 0
        while left > 0:
            args = (k.base, group, skip, min(left, MOVE_SLICE))
            moved, looked = await self._conn.run(script("lane_reap"), (k.active, k.lane(group)), args)
            left -= int(moved)
            skip += int(looked - moved)
            if looked < args[3]:
                break
        return limit - left

    async def depth(self, group: str) -> int:
        """How many jobs wait in a lane."""
        return int(await self._conn.command("ZCARD", self._keys.lane(group)))

    async def depths(self, groups: Iterable[str] | None = None) -> dict[str, int]:
        """How many jobs wait in each of ``groups``, or in every lane that has any.

        Not at one moment: by 500 lanes a flush.
        """
        asked = [gate(group) for group in groups] if groups is not None else await self.groups()
        depths: dict[str, int] = {}
        for at in range(0, len(asked), LANES_SLICE):
            some = asked[at : at + LANES_SLICE]
            replies = await self._conn.pipeline([("ZCARD", self._keys.lane(group)) for group in some])
            depths |= {group: int(checked(reply)) for group, reply in zip(some, replies, strict=True)}
        return depths if groups is not None else {group: depth for group, depth in depths.items() if depth}

    async def parked(self) -> list[str]:
        """The groups whose lanes are paused, in order, whether they have work or not."""
        members = await self._conn.command("SMEMBERS", self._keys.paused)
        return sorted(group.decode() for group in members)

    async def groups(self) -> list[str]:
        """Every group that may have a waiting job: in the rota, parked, or with jobs in flight; in that order."""
        k = self._keys
        asked = (("LRANGE", k.ring, 0, -1), ("SMEMBERS", k.paused), ("HKEYS", k.gactive))
        found: dict[str, None] = {}
        for reply in await self._conn.pipeline(asked):
            found |= dict.fromkeys(group.decode() for group in checked(reply))
        return list(found)
