"""Keeping a queue moving: what is due becomes ready, what lapsed waits again."""

from __future__ import annotations

from .holding import Holding, positive
from .scripts import Script, script

MOVE_SLICE = 500
"""Jobs in one reaping or promoting script call."""


class Moving(Holding):
    """The verbs that move jobs of a queue whoever they belong to, in lanes and outside them."""

    async def promote(self, limit: int = 100) -> int:
        """Make up to ``limit`` scheduled jobs that are due ready to be claimed; returns how many.

        Each waits in its lane, or in pending when it has none.

        Raises:
            MalformedArgument, ServerRefused, NotSent, Uncertain: as their names say. Repeating is safe.

        Source: lua/promote.lua
        """
        moved, _ = await self.promote_and_look(limit)
        return moved

    async def promote_and_look(self, limit: int = 100) -> tuple[int, int | None]:
        """As :meth:`promote`; says too how many milliseconds it is until the next is due, ``None`` when none is left.

        A day at most; 0 when more are due than ``limit``.

        Source: lua/promote.lua
        """
        moved, left = await self._move(script("promote"), self._keys.schedule, limit)
        return moved, left if left >= 0 else None

    async def reap(self, limit: int = 100) -> int:
        """Make up to ``limit`` jobs whose lease has lapsed ready to be claimed again; returns how many.

        Each lapse is counted in the row's ``stalled``; the attempts stay, and with them the token, until the
        next claim.

        Raises:
            MalformedArgument, ServerRefused, NotSent, Uncertain: as their names say. Repeating is safe.

        Source: lua/reap.lua
        """
        moved, _ = await self._move(script("reap"), self._keys.active, limit)
        return moved

    async def _move(self, how: Script, source: str, limit: int) -> tuple[int, int]:
        """How many were moved, and what the last call says beyond that, if it does."""
        left, total, more = positive(limit, "limit"), 0, -1
        while left > 0:
            wanted = min(left, MOVE_SLICE)
            moved, dropped, *rest = await self._conn.run(
                how, (source, self._keys.pending), (self._keys.base, wanted)
            )
            total += moved
            left -= moved + dropped
            more = rest[0] if rest else -1
            if moved + dropped < wanted:
                break
        return total, more
