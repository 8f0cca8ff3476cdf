"""One queue: jobs in, jobs out under a lease, jobs settled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .admitting import encoded, job_packer, misshapen, refusals, verdict
from .batches import flush_chunks, flush_each
from .claiming import CLAIM_SLICE, LOOKED_ENOUGH, claim_many, read_claim, taking
from .errors import EmptyPipeline
from .holding import positive
from .moving import MOVE_SLICE, Moving
from .resp import checked
from .scripts import Script, script
from .verdicts import Claim, Counts, Verdict

__all__ = ["CLAIM_SLICE", "MOVE_SLICE", "Jobs"]


class Jobs(Moving):
    """The jobs of one queue.

    Args:
        conn: an open connector.
        queue: 1-128 of ``A-Za-z0-9._-``, not ``emq``.
        chunk: items of a burst in one script call, at most 1,000; 1 sends a call for each, and means the same.

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
            MalformedArgument: an item is no pair; nothing was sent.
            NotSent: no byte left; send the same ids again.
            Uncertain: bytes left and not every reply came back; ``.verdicts`` has the known ones and ``None``
                elsewhere. Send the same ids again: those that landed answer ``DUPLICATE``.

        Source: lua/enqueue_many.lua
        """
        ids, payloads = _columns(pairs)
        if self._singly(ids):
            return await self._admit(script("enqueue"), self._keys.pending, ids, payloads)
        k, how = self._keys, script("enqueue_many")
        return await flush_chunks(
            self._sender(how),
            how,
            (k.pending, k.base),
            (ids, payloads),
            refusals(ids),
            verdict,
            most=self._chunk,
            payloads=payloads,
        )

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
                return read_claim(reply) if reply else None
            if reply < LOOKED_ENOUGH:
                return None

    async def claim_batch(self, size: int, *, lease_ms: int = 30_000) -> list[Claim]:
        """Take up to ``size`` of the oldest waiting jobs, oldest first; none in a pause.

        Args:
            size: how many at most; claimed by 250 on the wire, each slice under one lease deadline.
            lease_ms: milliseconds until the leases lapse.

        Raises:
            MalformedArgument: a number is out of range; nothing was sent.
            ServerRefused, NotSent: as their names say.
            Uncertain: the jobs of a lost reply return when their leases lapse.
            Once a slice was claimed, later trouble is not raised: what is in hand is returned.

        Source: lua/claim_batch.lua
        """
        k = self._keys
        take = taking(self._conn, script("claim_batch"), (k.pending, k.active), k.base, lease_ms)
        return await claim_many(size, take)

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
        self, how: Script, waits_in: str, ids: Sequence[str], payloads: Sequence[bytes], *more: str | int
    ) -> list[Verdict]:
        packed = job_packer(how, self._keys.row, waits_in, *more)
        return await flush_each(
            self._sender(how), lambda place: packed(ids[place], payloads[place]), refusals(ids), verdict
        )

    async def _schedule(self, id: str, payload: str | bytes, mode: str, ms: int) -> Verdict:
        if ms != 0:
            positive(ms, "a time or delay in ms (if not 0)")
        columns = _columns([(id, payload)])
        (verdict,) = await self._admit(script("schedule"), self._keys.schedule, *columns, mode, ms)
        return verdict


def _columns(pairs: Iterable[tuple[str, str | bytes]]) -> tuple[list[str], list[bytes]]:
    ids: list[str] = []
    payloads: list[bytes] = []
    for pair in pairs:
        try:
            id, payload = pair
        except (TypeError, ValueError) as error:
            raise misshapen(pair, "a pair of JOB id and payload") from error
        ids.append(id)
        payloads.append(payload if type(payload) is bytes else encoded(payload))
    if not ids:
        raise EmptyPipeline("there is nothing to enqueue")
    return ids, payloads
