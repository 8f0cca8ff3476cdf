"""Fair lanes: the jobs of each group wait in a lane of their own, and lanes are served in turn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from .admitting import NOT_A_GROUP, NOT_A_JOB, encoded, lane_packer, misshapen, refusals, verdict
from .batches import flush_chunks, flush_each
from .claiming import LANE_SLICE, MIXED_SLICE, claim_many, claim_slice, taking
from .errors import EmptyPipeline
from .holding import positive
from .ids import is_valid, surely_valid
from .scripts import script
from .steering import Steering
from .verdicts import Claim, Verdict

Item = tuple[str, str, str | bytes]


class Lanes(Steering):
    """The lanes of one queue: one flood delays another group by at most one turn.

    A lane exists by having jobs; nothing is declared. It has the settle and extension verbs of
    :class:`emq.Jobs`: a claimed job is settled the same way, wherever it waited.

    Args:
        conn: an open connector.
        queue: 1-128 of ``A-Za-z0-9._-``, not ``emq``.
        chunk: items of a burst in one script call, at most 1,000; 1 sends a call for each, and means the same.

    Raises:
        MalformedQueue: the name cannot be used.
    """

    async def enqueue(self, group: str, id: str, payload: str | bytes) -> Verdict:
        """Put one job into a lane; a known id changes nothing and is a duplicate. Safe to repeat.

        Raises:
            MalformedPayload: nothing was sent.
            NotSent, Uncertain: as their names say; send the same again.

        Source: lua/lane_enqueue.lua
        """
        (verdict,) = await self.enqueue_many([(group, id, payload)])
        return verdict

    async def enqueue_many(self, items: Iterable[Item]) -> list[Verdict]:
        """Put jobs into their lanes with one flush, each on its own; a burst sent again converges.

        It is never a transaction: a refused item costs its neighbours nothing, and nothing is undone. An id
        that exists is a duplicate whatever lane it is in; it stays there.

        Args:
            items: (group, JOB id, payload), any number; a group is a branded id of any namespace.

        Returns:
            A verdict per item, in input order, as for :meth:`emq.Jobs.enqueue_many`. A group that is no branded
            id is ``refused:kind`` at its place too, and never becomes a key.

        Raises:
            EmptyPipeline: there are none.
            MalformedPayload: a payload is neither text nor bytes; nothing was sent.
            MalformedArgument: an item is no triple; nothing was sent.
            NotSent: no byte left; send the same ids again.
            Uncertain: bytes left and not every reply came back; ``.verdicts`` has the known ones and ``None``
                elsewhere. Send the same ids again: those that landed answer ``DUPLICATE``.

        Source: lua/lane_enqueue_many.lua
        """
        groups: list[str] = []
        ids: list[str] = []
        payloads: list[bytes] = []
        for item in items:
            try:
                group, id, payload = item
            except (TypeError, ValueError) as error:
                raise misshapen(item, "a triple of group, JOB id and payload") from error
            groups.append(group)
            ids.append(id)
            payloads.append(payload if type(payload) is bytes else encoded(payload))
        if not ids:
            raise EmptyPipeline("there is nothing to enqueue")
        verdicts = refusals(ids)
        if not surely_valid(groups):
            known = zip(groups, verdicts, strict=True)
            verdicts = [answer if is_valid(group) else NOT_A_GROUP for group, answer in known]

        if self._singly(ids):
            how = script("lane_enqueue")
            packed = lane_packer(how, self._keys)
            return await flush_each(
                self._sender(how),
                lambda place: packed(groups[place], ids[place], payloads[place]),
                verdicts,
                verdict,
            )
        k, how = self._keys, script("lane_enqueue_many")
        return await flush_chunks(
            self._sender(how),
            how,
            (k.ring, k.base),
            (groups, ids, payloads),
            verdicts,
            verdict,
            most=self._chunk,
            payloads=payloads,
        )

    async def enqueue_at(self, group: str, id: str, payload: str | bytes, at_ms: int) -> Verdict:
        """Put one job in that comes into its lane at ``at_ms``, unix milliseconds; a past time is due at once.

        ``ENQUEUED`` means that it is scheduled: it comes into its lane once :meth:`promote` found it due.

        Raises:
            MalformedPayload, MalformedArgument: nothing was sent.
            NotSent, Uncertain: as their names say; send the same again.

        Source: lua/lane_schedule.lua
        """
        return await self._schedule(group, id, payload, "at", at_ms)

    async def enqueue_in(self, group: str, id: str, payload: str | bytes, delay_ms: int) -> Verdict:
        """Put one job in that comes into its lane ``delay_ms`` milliseconds (0 or more) from now.

        Raises and source: as for :meth:`enqueue_at`.
        """
        return await self._schedule(group, id, payload, "in", delay_ms)

    async def claim(self, *, lease_ms: int = 30_000) -> Claim | None:
        """Take the oldest job of the lane whose turn it is; ``None`` when no lane can be served or in a pause.

        A lane with a weight has as many claims in a row as its weight says. A claim whose reply was lost is not
        repeated: its job returns to its lane when the lease lapses.

        Raises:
            MalformedArgument: ``lease_ms`` is out of range; nothing was sent.
            ServerRefused, NotSent, Uncertain: as their names say.

        Source: lua/lane_claim.lua
        """
        claims = await self.claim_batch(1, lease_ms=lease_ms)
        return claims[0] if claims else None

    async def claim_batch(self, size: int, *, lease_ms: int = 30_000) -> list[Claim]:
        """Take up to ``size`` jobs from as many lanes as have some, turn by turn, the oldest of each first.

        A turn is one job, or the lane's weight; no lane has more in flight than its limit. A turn that ``size``
        cut short goes on with the next claim, so weights hold for any size.

        Args:
            size: how many at most; claimed by 100 on the wire, each slice under one lease deadline.
            lease_ms: milliseconds until the leases lapse.

        Raises:
            MalformedArgument: a number is out of range; nothing was sent.
            ServerRefused, NotSent: as their names say.
            Uncertain: the jobs of a lost reply return when their leases lapse.
            Once a slice was claimed, later trouble is not raised: what is in hand is returned.

        Source: lua/lane_claim.lua
        """
        k = self._keys
        take = taking(self._conn, script("lane_claim"), (k.ring, k.active), k.base, lease_ms)
        return await claim_many(size, take, LANE_SLICE)

    async def claim_turn(self, *, lease_ms: int = 30_000) -> list[Claim]:
        """Take the whole turn of the lane at the head of the rota: as many jobs as its weight, all of one group.

        Raises:
            MalformedArgument, ServerRefused, NotSent, Uncertain: as for :meth:`claim_batch`.

        Source: lua/lane_claim_turn.lua
        """
        k = self._keys
        args = (k.base, positive(lease_ms, "lease_ms"))
        return await claim_slice(self._conn, script("lane_claim_turn"), (k.ring, k.active), args)

    async def claim_any(
        self, size: int, *, lease_ms: int = 30_000, first: Literal["lanes", "pending"] = "lanes"
    ) -> list[Claim]:
        """Take up to ``size`` jobs, half from lanes and half from outside of them; what one lacks the other gives.

        Args:
            size: how many at most, claimed by 200 on the wire.
            lease_ms: milliseconds until the leases lapse.
            first: who gets the odd one. Who always claims one at a time alternates it.

        Raises:
            As for :meth:`claim_batch`.

        Source: lua/claim_any.lua
        """
        k = self._keys
        keys = (k.pending, k.ring, k.active)
        take = taking(self._conn, script("claim_any"), keys, k.base, lease_ms, first)
        return await claim_many(size, take, MIXED_SLICE)

    async def _schedule(self, group: str, id: str, payload: str | bytes, mode: str, ms: int) -> Verdict:
        body = encoded(payload)
        if ms != 0:
            positive(ms, "a time or delay in ms (if not 0)")
        if not is_valid(group):
            return NOT_A_GROUP
        if not is_valid(id, "JOB"):
            return NOT_A_JOB
        k = self._keys
        calls = [((k.job(id), k.schedule), (id, body, group, mode, ms))]
        (reply,) = await self._conn.flush(script("lane_schedule"), calls)
        return verdict(reply)
