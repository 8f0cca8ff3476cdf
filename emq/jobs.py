"""One queue: jobs in, jobs out under a lease, jobs settled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .errors import EmptyPipeline, EmqError, MalformedPayload
from .holding import Holding, flush_each, positive
from .ids import is_valid
from .resp import Reply, ServerError, Word, checked
from .scripts import Script, script
from .verdicts import DUPLICATE, ENQUEUED, Claim, Counts, Refused, Verdict

CLAIM_SLICE = 500
"""Jobs in one claiming script call, so that no other client waits more than a few milliseconds."""

MOVE_SLICE = 500
"""Jobs in one reaping or promoting script call."""

_DROPPED_ENOUGH = 1_000  # a claim that found this many members without a row stops looking

_NOT_A_JOB = Refused("kind", "a job id is JOB and eleven base62 digits; emq.mint('JOB') makes one")


class Jobs(Holding):
    """The jobs of one queue.

    Args:
        conn: an open connector.
        queue: 1-128 of ``A-Za-z0-9._-``, not ``emq``.

    Raises:
        MalformedQueue: the name cannot be used.
    """

    async def enqueue(self, id: str, payload: str | bytes) -> Verdict:
        """Put one job in; a known id changes nothing and is a duplicate. Safe to repeat.

        Raises:
            MalformedPayload: nothing was sent.
            NotSent, Uncertain: as their names say; send the same again.

        Source: lua/enqueue.lua
        """
        (verdict,) = await self.enqueue_many([(id, payload)])
        return verdict

    async def enqueue_many(self, pairs: Iterable[tuple[str, str | bytes]]) -> list[Verdict]:
        """Put jobs in with one flush, each on its own; a burst sent again converges.

        It is never a transaction: a refused item costs its neighbours nothing, and nothing is undone.

        Args:
            pairs: (JOB id, payload), any number.

        Returns:
            A verdict per pair, in input order: ``ENQUEUED``, ``DUPLICATE`` (the row exists, whatever its
            state) or ``Refused(code, message)``. An id that is no JOB id is ``refused:kind`` and never becomes
            a key.

        Raises:
            EmptyPipeline: there are none.
            MalformedPayload: a payload is neither text nor bytes; nothing was sent.
            NotSent: no byte left; send the same ids again.
            Uncertain: bytes left and not every reply came back; ``.verdicts`` has the known ones and ``None``
                elsewhere. Send the same ids again: those that landed answer ``DUPLICATE``.

        Source: lua/enqueue.lua
        """
        return await self._admit(script("enqueue"), self._keys.pending, pairs)

    async def enqueue_at(self, id: str, payload: str | bytes, at_ms: int) -> Verdict:
        """Put one job in that is due at ``at_ms``, unix milliseconds; a past time is due at once.

        ``ENQUEUED`` means that it is scheduled: it is claimed once :meth:`promote` found it due.

        Raises:
            MalformedPayload, MalformedArgument: nothing was sent.
            NotSent, Uncertain: as their names say; send the same again.

        Source: lua/schedule.lua
        """
        return await self._schedule(id, payload, "at", at_ms)

    async def enqueue_in(self, id: str, payload: str | bytes, delay_ms: int) -> Verdict:
        """Put one job in that is due ``delay_ms`` milliseconds (0 or more) from now, by the server's clock.

        Raises and source: as for :meth:`enqueue_at`.
        """
        return await self._schedule(id, payload, "in", delay_ms)

    async def claim(self, *, lease_ms: int = 30_000) -> Claim | None:
        """Take the oldest waiting job for ``lease_ms`` milliseconds; ``None`` when there is none or in a pause.

        Members without a row are dropped on the way and counted in ``metrics:dropped``. A claim whose reply
        was lost is not repeated: its job returns when the lease lapses.

        Raises:
            MalformedArgument: ``lease_ms`` is out of range; nothing was sent.
            ServerRefused, NotSent, Uncertain: as their names say.

        Source: lua/claim.lua
        """
        k = self._keys
        args = (k.base, positive(lease_ms, "lease_ms"))
        while True:
            reply = await self._conn.run(script("claim"), (k.pending, k.active), args)
            if isinstance(reply, list):
                return _claim(reply) if reply else None
            if reply < _DROPPED_ENOUGH:
                return None

    async def claim_batch(self, size: int, *, lease_ms: int = 30_000) -> list[Claim]:
        """Take up to ``size`` of the oldest waiting jobs, oldest first; none in a pause.

        Args:
            size: how many at most; claimed by 500 on the wire, each slice under one lease deadline.
            lease_ms: milliseconds until the leases lapse.

        Raises:
            MalformedArgument: a number is out of range; nothing was sent.
            ServerRefused, NotSent: as their names say.
            Uncertain: the jobs of a lost reply return when their leases lapse.
            Once a slice was claimed, later trouble is not raised: what is in hand is returned.

        Source: lua/claim_batch.lua
        """
        positive(size, "size")
        claims: list[Claim] = []
        while len(claims) < size:
            wanted = min(size - len(claims), CLAIM_SLICE)
            try:
                got = await self._claim_slice(wanted, lease_ms)
            except EmqError:
                if not claims:
                    raise
                break
            claims += got
            if len(got) < wanted:
                break
        return claims

    async def promote(self, limit: int = 100) -> int:
        """Make up to ``limit`` scheduled jobs that are due ready to be claimed; returns how many.

        Raises:
            MalformedArgument, ServerRefused, NotSent, Uncertain: as their names say. Repeating is safe.

        Source: lua/promote.lua
        """
        return await self._move(script("promote"), self._keys.schedule, limit)

    async def reap(self, limit: int = 100) -> int:
        """Make up to ``limit`` jobs whose lease has lapsed ready to be claimed again; returns how many.

        Each lapse is counted in the row's ``stalled``; the attempts stay, and with them the token, until the
        next claim.

        Raises:
            MalformedArgument, ServerRefused, NotSent, Uncertain: as their names say. Repeating is safe.

        Source: lua/reap.lua
        """
        return await self._move(script("reap"), self._keys.active, limit)

    async def pending_size(self) -> int:
        """How many jobs wait in ``pending``, those in lanes not counted."""
        return int(await self._conn.command("ZCARD", self._keys.pending))

    async def counts(self) -> Counts:
        """How many jobs are in each state, lanes not counted, and what became of the others.

        Raises:
            ServerRefused, NotSent, Uncertain: as their names say.
        """
        k = self._keys
        commands: list[tuple[str, ...]] = [
            ("ZCARD", key) for key in (k.pending, k.active, k.schedule, k.dead)
        ]
        commands += [("HGET", k.metric(name), "count") for name in ("completed", "failed", "dropped")]
        replies = await self._conn.pipeline(commands)
        return Counts(*(int(checked(reply) or 0) for reply in replies))

    async def _admit(
        self, how: Script, waits_in: str, pairs: Iterable[tuple[str, str | bytes]], *more: Word
    ) -> list[Verdict]:
        row = self._keys.row
        calls: list[tuple[tuple[str, str], tuple[Word, ...]]] = []
        verdicts: list[Verdict | None] = []
        for id, payload in pairs:
            body = payload if type(payload) is bytes else _encoded(payload)
            if is_valid(id, "JOB"):
                verdicts.append(None)
                calls.append(((row + id, waits_in), (id, body, *more)))
            else:
                verdicts.append(_NOT_A_JOB)
        if not verdicts:
            raise EmptyPipeline("there is nothing to enqueue")
        return await flush_each(self._conn, how, calls, verdicts, _verdict)

    async def _schedule(self, id: str, payload: str | bytes, mode: str, ms: int) -> Verdict:
        if ms != 0:
            positive(ms, "a time or delay in ms (if not 0)")
        (verdict,) = await self._admit(script("schedule"), self._keys.schedule, [(id, payload)], mode, ms)
        return verdict

    async def _claim_slice(self, size: int, lease_ms: int) -> list[Claim]:
        k = self._keys
        args = (k.base, positive(lease_ms, "lease_ms"), size)
        while True:
            reply = await self._conn.run(script("claim_batch"), (k.pending, k.active), args)
            if isinstance(reply, list):
                return [_claim(served) for served in reply]
            if reply < _DROPPED_ENOUGH:
                return []

    async def _move(self, how: Script, source: str, limit: int) -> int:
        left, total = positive(limit, "limit"), 0
        while left > 0:
            wanted = min(left, MOVE_SLICE)
            moved, dropped = await self._conn.run(
                how, (source, self._keys.pending), (self._keys.base, wanted)
            )
            total += moved
            left -= moved + dropped
            if moved + dropped < wanted:
                break
        return total


def _encoded(payload: object) -> bytes:
    if isinstance(payload, bytes):
        return payload
    if not isinstance(payload, str):
        raise MalformedPayload(f"a payload is bytes or text, not {type(payload).__name__}; nothing was sent")
    try:
        return payload.encode()
    except UnicodeEncodeError as error:
        raise MalformedPayload(
            f"a payload has characters that UTF-8 cannot carry ({error.reason})"
        ) from error


def _verdict(reply: Reply) -> Verdict:
    if isinstance(reply, ServerError):
        return Refused("kind" if reply.code == "EMQKIND" else reply.code, reply.message)
    return ENQUEUED if reply == 1 else DUPLICATE


def _claim(served: Sequence[bytes]) -> Claim:
    id, payload, token, group = served
    return Claim(id.decode(), payload, int(token), group.decode() or None)
