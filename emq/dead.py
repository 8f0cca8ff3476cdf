"""Dead letters: jobs that were set aside, with what went wrong; seen, sent back, removed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import partial

from .batches import flush_each
from .connector import Connector
from .errors import Gone, MalformedArgument
from .holding import positive
from .ids import EPOCH_MS, encode, gate, is_valid
from .keyspace import Keyspace
from .resp import Reply, ServerError, checked, pack_script
from .rows import Rows, pairs
from .scripts import script
from .verdicts import Refused, Requeued
from .views import DeadLetter, State, dead_letter

PAGE = 100
"""Dead letters in one look, if nothing else is said."""

_STEP = 500  # jobs that one step of a purge looks at


class DeadLetters:
    """The dead of one queue, in mint order. A reason and a history stay with each until it is removed.

    Its verbs raise ``MalformedId`` (nothing was sent), ``ServerRefused``, ``NotSent`` and ``Uncertain``, as their
    names say, and may be repeated.

    Args:
        conn: an open connector.
        queue: 1-128 of ``A-Za-z0-9._-``, not ``emq``.
    """

    def __init__(self, conn: Connector, queue: str) -> None:
        self._conn = conn
        self._keys = Keyspace(queue)
        self._rows = Rows(conn, queue)

    async def count(self) -> int:
        """How many there are."""
        return int(await self._conn.command("ZCARD", self._keys.dead))

    async def browse(self, limit: int = PAGE, *, after: str = "") -> list[DeadLetter]:
        """Up to ``limit`` of them, oldest id first; ``after`` is the last id of the page before."""
        k = self._keys
        start = f"({gate(after)}" if after else "-"
        ids = await self._conn.command(
            "ZRANGEBYLEX", k.dead, start, "+", "LIMIT", 0, positive(limit, "limit")
        )
        named = [id.decode(errors="replace") for id in ids if is_valid(id.decode(errors="replace"))]
        if not named:
            return []
        rows = await self._conn.pipeline([("HGETALL", k.job(id)) for id in named])
        return [dead_letter(id, pairs(checked(row))) for id, row in zip(named, rows, strict=True)]

    async def peek(self, id: str) -> DeadLetter | None:
        """One of them; ``None`` when the job is not dead."""
        if await self._rows.state(id) is not State.DEAD:
            return None
        return dead_letter(id, await self._rows.job(id) or {})

    async def requeue(self, id: str) -> None:
        """Let a dead job wait again, in the lane it came from, with all its attempts before it.

        Its token still only goes up, so that no former holder can settle it; the claims it had do not count.

        Raises:
            Gone: it has no row.
            WrongState: it is not dead.

        Source: lua/dead_requeue.lua
        """
        k = self._keys
        if await self._conn.run(script("dead_requeue"), (k.dead, k.job(id)), (id, k.base)) == 0:
            raise Gone(f"{id} has no row: it was completed or removed")

    async def requeue_many(self, ids: Iterable[str]) -> list[Requeued | Refused]:
        """As :meth:`requeue`, for many in one flush; what became of each, in input order.

        Raises:
            EmptyPipeline: there are none.
            Uncertain: ``.verdicts`` has what is known, ``None`` elsewhere.

        Source: lua/dead_requeue.lua
        """
        k, how = self._keys, script("dead_requeue")
        asked = [gate(id) for id in ids]
        outcomes: list[Requeued | Refused | None] = [None] * len(asked)

        def frame(place: int) -> bytes:
            id = asked[place]
            return pack_script(how.sha, (k.dead, k.row + id), (id, k.base))

        send = partial(self._conn.flush_frames, how, k.base)
        return await flush_each(send, frame, outcomes, _requeued)

    async def remove(self, id: str) -> None:
        """Remove a dead job for good.

        Raises:
            Gone: it has no row.
            WrongState: it is not dead.

        Source: lua/dead_remove.lua
        """
        k = self._keys
        if await self._conn.run(script("dead_remove"), (k.dead, k.job(id)), (id, k.base)) == 0:
            raise Gone(f"{id} has no row: it was completed or removed")

    async def purge(self, *, before: datetime) -> int:
        """Remove all that died before a moment; returns how many.

        A job that a foreign client buried keeps no time of death: it is as old as its id.

        Args:
            before: aware, UTC or not.

        Source: lua/dead_purge.lua
        """
        if before.tzinfo is None:
            raise MalformedArgument("a moment without a time zone is no moment: use datetime.now(UTC)")
        before_ms = int(before.timestamp() * 1_000)
        first = encode("JOB", max(0, before_ms - EPOCH_MS) << 22)[3:]
        k, removed, after = self._keys, 0, ""
        while True:
            args = (k.base, max(0, before_ms), first, after, _STEP)
            gone, looked, last = await self._conn.run(script("dead_purge"), (k.dead,), args)
            removed, after = removed + int(gone), last.decode()
            if looked < _STEP:
                return removed


def _requeued(reply: Reply) -> Requeued | Refused:
    if isinstance(reply, ServerError):
        return Requeued.NOT_DEAD if reply.code == "EMQSTATE" else Refused(reply.code, reply.message)
    return Requeued.REQUEUED if checked(reply) == 1 else Requeued.GONE
