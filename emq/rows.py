"""One job of a queue, seen and changed by an operator: its row, its place, its log, its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .admitting import encoded
from .connector import Connector
from .errors import Gone
from .events import Events
from .holding import positive
from .keyspace import Keyspace
from .resp import Reply, checked
from .scripts import script
from .views import State

LOG_KEEP = 1_000
"""Lines of a job's log that are kept if nothing else is said."""


class Rows:
    """The verbs of one queue that name one job.

    All of them raise:
        MalformedId: the id is not a branded id; nothing was sent.
        ServerRefused, NotSent, Uncertain: as their names say.

    Args:
        conn: an open connector.
        queue: 1-128 of ``A-Za-z0-9._-``, not ``emq``.
    """

    def __init__(self, conn: Connector, queue: str) -> None:
        self._conn = conn
        self._keys = Keyspace(queue)
        self._events = Events(conn, queue)

    async def job(self, id: str) -> dict[str, bytes] | None:
        """The row of a job, field to value; ``None`` when there is none."""
        return pairs(await self._conn.command("HGETALL", self._keys.job(id))) or None

    async def state(self, id: str) -> State:
        """Where a job is, lanes included; told by the sets, not by what its row says.

        Source: lua/state.lua
        """
        (state,) = await self.states([id])
        return state

    async def states(self, ids: Iterable[str]) -> list[State]:
        """As :meth:`state`, for many in one flush, in input order; each at a moment of its own.

        Source: lua/state.lua
        """
        k = self._keys
        calls = [((k.job(id),), (id, k.base)) for id in ids]
        replies = await self._conn.flush(script("state"), calls) if calls else []
        return [_state(checked(reply)) for reply in replies]

    async def update_data(self, id: str, payload: str | bytes) -> None:
        """Give a job another payload; who holds it already works on with the old one.

        Raises:
            Gone: it has no row.
            MalformedPayload: nothing was sent.

        Source: lua/update_data.lua
        """
        key = self._keys.job(id)
        _there(await self._conn.run(script("update_data"), (key,), (encoded(payload),)), id)

    async def update_progress(self, id: str, progress: str) -> None:
        """Keep how far a job has come, and tell whoever listens to the events.

        Raises:
            Gone: it has no row.

        Source: lua/update_progress.lua
        """
        key = self._keys.job(id)
        _there(await self._conn.run(script("update_progress"), (key,), (encoded(progress),)), id)
        await self._events.publish("progress", id, {"progress": progress})

    async def add_log(self, id: str, line: str, *, keep: int = LOG_KEEP) -> int:
        """Add a line to a job's log and keep the last ``keep`` (to 10,000); returns how many there are now.

        The log goes when the job does.

        Raises:
            Gone: it has no row.
            MalformedArgument: ``keep`` is out of range; nothing was sent.

        Source: lua/add_log.lua
        """
        k = self._keys
        args = (encoded(line), positive(keep, "keep"))
        reply = await self._conn.run(script("add_log"), (k.job(id), k.logs(id)), args)
        _there(reply, id)
        return int(reply[0])

    async def logs(self, id: str, last: int = LOG_KEEP) -> list[str]:
        """The last lines of a job's log, oldest first.

        Raises:
            Gone: it has no row.
        """
        k = self._keys
        asked = (("EXISTS", k.job(id)), ("LRANGE", k.logs(id), -positive(last, "last"), -1))
        there, lines = await self._conn.pipeline(asked)
        _there(checked(there), id)
        return [line.decode(errors="replace") for line in checked(lines)]

    async def remove(self, id: str, *, dedup_id: str | None = None) -> None:
        """Remove a job for good, wherever it is. A worker that has it in hand finds it gone.

        Args:
            id: the job.
            dedup_id: its deduplication id: that key goes too, if it still names this job.

        Raises:
            Gone: it has no row.
            Locked: a worker of a foreign client holds its lock.
            ServerRefused: code ``EMQFLOW`` for a job of a flow: the others would wait for it for ever.

        Source: lua/remove.lua
        """
        k = self._keys
        _there(await self._conn.run(script("remove"), (k.job(id),), (id, k.base, dedup_id or "")), id)

    async def dedup_owner(self, dedup_id: str) -> str | None:
        """The id of the job that a deduplication id names; ``None`` when it is free."""
        owner = await self._conn.command("GET", self._keys.dedup(dedup_id))
        return None if owner is None else bytes(owner).decode(errors="replace")


def pairs(reply: Reply) -> dict[str, bytes]:
    """A hash reply of either protocol."""
    fields = reply.items() if isinstance(reply, Mapping) else zip(reply[::2], reply[1::2], strict=True)
    return {name.decode(errors="replace"): value for name, value in fields}


def _state(reply: Reply) -> State:
    place = reply.decode()
    return State.PENDING if place == "lane" else State(place)


def _there(reply: Reply, id: str) -> None:
    if reply == 0:
        raise Gone(f"{id} has no row: it was completed or removed")
