"""What the holder of a claimed job can do with it: complete it, try it again later, keep its lease."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Literal

from .batches import CHUNK, MOST_ITEMS, flush_chunks, flush_each
from .connector import Connector
from .errors import EmptyPipeline, Gone, MalformedArgument
from .extending import extend_all
from .frames import Frames
from .ids import gate, is_valid, surely_valid
from .keyspace import Keyspace
from .resp import Reply, ServerError, pack_script
from .scripts import Script, script
from .verdicts import Refused, Settlement

ERROR_LENGTH = 2_000
"""Characters of an error text that are kept in a row."""

NOT_AN_ID = Refused("kind", "not a branded id")


def positive(number: int, what: str) -> int:
    """``number``, which must be a whole number above 0."""
    if type(number) is not int or not 0 < number < 10**15:
        raise MalformedArgument(f"{what} is a whole number above 0, not {number!r:.40}")
    return number


class Holding:
    """The settle and extension verbs of one queue; :class:`emq.Jobs` and :class:`emq.Lanes` have them all.

    Args:
        conn: an open connector.
        queue: 1-128 of ``A-Za-z0-9._-``, not ``emq``.
        chunk: items of a burst in one script call, at most 1,000; 1 sends a call for each. What becomes of an item is
            the same.
    """

    def __init__(self, conn: Connector, queue: str, *, chunk: int = CHUNK) -> None:
        if positive(chunk, "chunk") > MOST_ITEMS:
            raise MalformedArgument(f"chunk is at most {MOST_ITEMS} items, not {chunk}")
        self._conn = conn
        self._keys = Keyspace(queue)
        self._chunk = chunk

    @property
    def queue(self) -> str:
        """The queue's name."""
        return self._keys.queue

    async def complete(self, id: str, token: int) -> None:
        """The job is done: it leaves the queue, and its id may be enqueued again.

        A completion whose reply was lost is not repeated; repeating it yourself answers :class:`Gone`.

        Raises:
            Gone: it has no row any more.
            Stale: ``token`` is no longer its fence, or it is neither in flight nor waiting after a reap.
            ServerRefused: code ``EMQFLOW`` for a job of a flow, which this version cannot complete; or the
                server's own.
            MalformedId, NotSent, Uncertain: as their names say.

        Source: lua/complete.lua
        """
        k = self._keys
        args = (id, _digits(token), k.base)
        if await self._conn.run(script("complete"), (k.active, k.job(id)), args) == 0:
            raise Gone(f"{id} has no row: it was completed or removed")

    async def complete_many(self, held: Iterable[tuple[str, int]]) -> list[Settlement | Refused]:
        """Complete jobs in one flush, each on its own: nothing is undone when another is stale.

        Args:
            held: (job id, fencing token) pairs.

        Returns:
            What became of each, in input order; a server error on one is :class:`Refused` at its place.

        Raises:
            EmptyPipeline: ``held`` is empty.
            NotSent: no byte left.
            Uncertain: ``.verdicts`` has the known settlements, ``None`` elsewhere; repeating is safe.

        Source: lua/complete_many.lua
        """
        pairs = list(held)
        if not pairs:
            raise EmptyPipeline("there is nothing to complete")
        ids = [id for id, _ in pairs]
        outcomes: list[Settlement | Refused | None] = [None] * len(pairs)
        if not surely_valid(ids):
            outcomes = [None if is_valid(id) else NOT_AN_ID for id in ids]
        tokens = [
            "" if refused else _digits(token) for (_, token), refused in zip(pairs, outcomes, strict=True)
        ]
        k = self._keys
        if self._singly(ids):
            how = script("complete")

            def frame(place: int) -> bytes:
                id = ids[place]
                return pack_script(how.sha, (k.active, k.row + id), (id, tokens[place], k.base))

            return await flush_each(self._sender(how), frame, outcomes, _settlement)
        how, keys, chunk = script("complete_many"), (k.active, k.base), self._chunk
        columns = (ids, tokens)
        return await flush_chunks(self._sender(how), how, keys, columns, outcomes, _settlement, most=chunk)

    async def retry(
        self, id: str, token: int, *, delay_ms: int = 1_000, max_attempts: int = 20, error: str = ""
    ) -> Literal["scheduled", "dead"]:
        """The attempt failed: schedule the job again, or bury it once its attempts are used up.

        Args:
            id: the job.
            token: its fencing token.
            delay_ms: milliseconds until it is due, 0 or more.
            max_attempts: the job is dead when it has had this many; delays do not count.
            error: kept in the row as ``last_error``, the first 2,000 characters, and in its ``history``.

        Raises:
            Gone, Stale, ServerRefused, MalformedId, NotSent, Uncertain: as for :meth:`complete`.
            MalformedArgument: a number is out of range; nothing was sent.

        Source: lua/retry.lua
        """
        if delay_ms != 0:
            positive(delay_ms, "delay_ms (if not 0)")
        positive(max_attempts, "max_attempts")
        k = self._keys
        text = error[:ERROR_LENGTH].encode(errors="replace")
        reply = await self._conn.run(
            script("retry"),
            (k.active, k.schedule, k.dead, k.job(id)),
            (id, _digits(token), delay_ms, max_attempts, text, k.base),
        )
        if reply == 0:
            raise Gone(f"{id} has no row: it was completed or removed")
        return "dead" if reply == b"dead" else "scheduled"

    async def delay(self, id: str, token: int, *, delay_ms: int) -> None:
        """Give the job back for ``delay_ms`` milliseconds (0 or more): nobody failed, it only must wait.

        The token is spent, the lane has room for another job at once, and the attempt does not count.

        Raises:
            Gone, Stale, ServerRefused, MalformedId, NotSent, Uncertain: as for :meth:`complete`.
            MalformedArgument: ``delay_ms`` is out of range; nothing was sent.

        Source: lua/delay.lua
        """
        if delay_ms != 0:
            positive(delay_ms, "delay_ms (if not 0)")
        k = self._keys
        args = (id, _digits(token), delay_ms, k.base)
        if await self._conn.run(script("delay"), (k.active, k.schedule, k.job(id)), args) == 0:
            raise Gone(f"{id} has no row: it was completed or removed")

    async def extend_lock(self, id: str, token: int, lease_ms: int) -> None:
        """Keep one job: its lease now ends ``lease_ms`` milliseconds from now, by the server's clock.

        Raises:
            Gone: it has no row any more.
            Stale: ``token`` is no longer its fence.
            NotActive: it is not in flight: its lease was reaped, or it is scheduled or dead.
            MalformedId, MalformedArgument: nothing was sent.
            ServerRefused, NotSent, Uncertain: as their names say.

        Source: lua/extend_lock.lua, natively EMQ.EXTEND of native/emq.c
        """
        k = self._keys
        args = (id, _digits(token), positive(lease_ms, "lease_ms"))
        if await self._conn.run(script("extend_lock"), (k.active, k.job(id)), args) == -1:
            raise Gone(f"{id} has no row: it was completed or removed")

    async def extend_locks(self, held: Iterable[tuple[str, int]], lease_ms: int) -> list[str]:
        """Re-lease every live member of ``held`` under one server-clock read.

        Args:
            held: (job id, fencing token) pairs, any length; chunked by 1,000 on the wire, a clock read each.
            lease_ms: milliseconds from now, > 0.

        Returns:
            The ids *not* extended, in input order, repeats kept: no row, stale token, or no longer active. A
            key that is not a row counts as no row.

        Raises:
            MalformedId: an id is not a branded id; nothing was sent.
            MalformedArgument: ``lease_ms`` is out of range; nothing was sent.
            ServerRefused, NotSent, Uncertain: as their names say. Repeating is safe.

        Source: lua/extend_locks.lua, natively EMQ.EXTENDS of native/emq.c
        """
        pairs = [(gate(id), _digits(token)) for id, token in held]
        return await extend_all(self._conn, self._keys, pairs, positive(lease_ms, "lease_ms"))

    def _singly(self, items: Sequence[object]) -> bool:
        """Whether each of a burst travels in a call of its own."""
        return self._chunk == 1 or len(items) == 1

    def _sender(self, how: Script) -> Callable[[Frames], Awaitable[list[Reply]]]:
        return partial(self._conn.flush_frames, how, self._keys.base)


def _digits(token: int) -> str:
    if type(token) is not int:
        raise MalformedArgument(
            f"a fencing token is the whole number that the claim returned, not {token!r:.40}"
        )
    return str(token)


def _settlement(reply: Reply) -> Settlement | Refused:
    if isinstance(reply, ServerError):
        return Settlement.STALE if reply.code == "EMQSTALE" else Refused(reply.code, reply.message)
    return Settlement.COMPLETED if reply == 1 else Settlement.GONE
