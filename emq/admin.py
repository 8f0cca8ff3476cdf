"""One queue, as an operator sees it."""

from __future__ import annotations

from collections.abc import Mapping

from .connector import Connector
from .jobs import Jobs
from .keyspace import Keyspace
from .scripts import script
from .verdicts import Counts


class Admin:
    """Look at a queue, stop its claims, let them go on.

    Args:
        conn: an open connector.
        queue: 1-128 of ``A-Za-z0-9._-``, not ``emq``.
    """

    def __init__(self, conn: Connector, queue: str) -> None:
        self._conn = conn
        self._keys = Keyspace(queue)
        self._jobs = Jobs(conn, queue)

    async def pause(self) -> None:
        """No claim hands out a job until :meth:`resume`; enqueues, settles and leases go on.

        Raises:
            ServerRefused, NotSent, Uncertain: as their names say. Repeating is safe.

        Source: lua/pause.lua
        """
        await self._conn.run(script("pause"), (self._keys.meta,), ())

    async def resume(self) -> None:
        """Claims hand out jobs again, and a parked worker is woken if something waits.

        Raises:
            ServerRefused, NotSent, Uncertain: as their names say. Repeating is safe.

        Source: lua/resume.lua
        """
        k = self._keys
        await self._conn.run(script("resume"), (k.meta, k.pending), (k.base,))

    async def paused(self) -> bool:
        """Whether claims are stopped."""
        return await self._conn.command("HGET", self._keys.meta, "paused") is not None

    async def counts(self) -> Counts:
        """How many jobs are in each state; see :meth:`emq.Jobs.counts`."""
        return await self._jobs.counts()

    async def job(self, id: str) -> dict[str, bytes] | None:
        """The row of a job, field to value; ``None`` when there is none.

        Raises:
            MalformedId: nothing was sent.
            ServerRefused, NotSent, Uncertain: as their names say.
        """
        reply = await self._conn.command("HGETALL", self._keys.job(id))
        fields = reply.items() if isinstance(reply, Mapping) else zip(reply[::2], reply[1::2], strict=True)
        return {name.decode(): value for name, value in fields} or None
