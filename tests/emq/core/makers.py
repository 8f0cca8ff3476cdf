"""Jobs in any state, made by the shortest honest way; lane jobs by hand where the books are what is tested."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import emq


def ids(count: int) -> list[str]:
    return [emq.mint("JOB") for _ in range(count)]


def pairs(count: int) -> list[tuple[str, bytes]]:
    """A burst of new jobs."""
    return [(id, b"x") for id in ids(count)]


def said(outcomes: Sequence[object]) -> list[str]:
    """What verdicts or settlements read."""
    return [str(outcome) for outcome in outcomes]


class Maker:
    """Makes jobs in one queue."""

    def __init__(self, conn: emq.Connector, queue: str) -> None:
        self.conn = conn
        self.keys = emq.Keyspace(queue)
        self.jobs = emq.Jobs(conn, queue)

    async def waiting(self, payload: bytes = b"x") -> str:
        id = emq.mint("JOB")
        assert await self.jobs.enqueue(id, payload) is emq.ENQUEUED
        return id

    async def active(self, lease_ms: int = 60_000) -> emq.Claim:
        """A job in flight; the queue must have none waiting."""
        await self.waiting()
        claim = await self.jobs.claim(lease_ms=lease_ms)
        assert claim is not None
        return claim

    async def lapsed(self) -> emq.Claim:
        claim = await self.active()
        await self.lapse(claim.id)
        return claim

    async def lapse(self, id: str) -> None:
        """Let a lease end now, without waiting for it."""
        await self.conn.command("ZADD", self.keys.active, 1, id)

    async def reaped(self) -> emq.Claim:
        claim = await self.lapsed()
        assert await self.jobs.reap() == 1
        return claim

    async def scheduled(self) -> emq.Claim:
        claim = await self.active()
        assert await self.jobs.retry(claim.id, claim.token, delay_ms=60_000) == "scheduled"
        return claim

    async def dead(self) -> emq.Claim:
        claim = await self.active()
        assert await self.jobs.retry(claim.id, claim.token, max_attempts=1) == "dead"
        return claim

    async def gone(self) -> emq.Claim:
        claim = await self.active()
        await self.jobs.complete(claim.id, claim.token)
        return claim

    async def stale(self) -> emq.Claim:
        """A claim whose job somebody else holds by now; its token is no longer the fence."""
        claim = await self.reaped()
        again = await self.jobs.claim()
        assert again is not None
        assert again.token == claim.token + 1
        return claim

    async def in_lane(self, group: str, ring: bool = True) -> str:
        """A job that waits in the lane of ``group``."""
        id = emq.mint("JOB")
        row = ("HSET", self.keys.job(id), "state", "pending", "attempts", "0", "payload", "x", "group", group)
        await self.conn.command(*row)
        await self.conn.command("ZADD", self.keys.lane(group), 0, id)
        if ring:
            await self.conn.command("LREM", self.keys.ring, 0, group)
            await self.conn.command("RPUSH", self.keys.ring, group)
        return id

    async def lane_active(self, group: str) -> emq.Claim:
        """A job of ``group`` in flight."""
        id = emq.mint("JOB")
        row = ("HSET", self.keys.job(id), "state", "active", "attempts", "1", "payload", "x", "group", group)
        await self.conn.command(*row)
        await self.conn.command("ZADD", self.keys.active, 99_999_999_999_999, id)
        await self.conn.command("HINCRBY", self.keys.gactive, group, 1)
        return emq.Claim(id, b"x", 1, group)

    async def members(self, key: str) -> list[str]:
        return [member.decode() for member in await self.conn.command("ZRANGE", key, 0, -1)]

    async def score(self, key: str, id: str) -> float | None:
        score = await self.conn.command("ZSCORE", key, id)
        return None if score is None else float(score)

    async def ring(self) -> list[str]:
        return [group.decode() for group in await self.conn.command("LRANGE", self.keys.ring, 0, -1)]

    async def wakes(self) -> int:
        return int(await self.conn.command("LLEN", self.keys.wake))

    async def unwake(self) -> None:
        await self.conn.command("DEL", self.keys.wake)

    async def in_flight(self, group: str) -> int | None:
        count = await self.conn.command("HGET", self.keys.gactive, group)
        return None if count is None else int(count)

    async def field(self, id: str, name: str) -> bytes | None:
        value: bytes | None = await self.conn.command("HGET", self.keys.job(id), name)
        return value

    async def server_ms(self) -> int:
        seconds, micros = await self.conn.command("TIME")
        return int(seconds) * 1000 + int(micros) // 1000


async def live_through(url: str, queue: str) -> None:
    """Every verb once, on a connector of its own."""
    async with await emq.connect(url) as conn:
        jobs, admin = emq.Jobs(conn, queue), emq.Admin(conn, queue)
        one, two, three = ids(3)
        assert await jobs.enqueue_many([(one, b"1"), (two, b"2")]) == [emq.ENQUEUED] * 2
        assert await jobs.enqueue_in(three, b"3", 0) is emq.ENQUEUED
        assert await jobs.promote() == 1
        first = await jobs.claim()
        second, third = await jobs.claim_batch(5)
        assert first == emq.Claim(one, b"1", 1)
        await jobs.extend_lock(one, 1, 5_000)
        assert await jobs.extend_locks([(one, 1), (two, 1), (three, 2)], 5_000) == [three]
        assert await jobs.complete_many([(one, 1), (two, second.token)]) == [emq.Settlement.COMPLETED] * 2
        assert await jobs.retry(three, third.token, max_attempts=1) == "dead"
        assert ((await admin.job(three)) or {})["state"] == b"dead"
        await admin.pause()
        assert await admin.paused()
        await admin.resume()
        assert await jobs.counts() == emq.Counts(0, 0, 0, 1, completed=2, failed=1)
        assert await conn.block_pop(emq.Keyspace(queue).wake, 0.01) in (b"1", None)


async def steer_through(url: str, queue: str) -> None:
    """Every verb of lanes, dead letters and control once, on a connector of its own; the queue is gone after it."""
    a, b = emq.group("PLR", 1), emq.group("PLR", -1)
    async with await emq.connect(url) as conn:
        lanes, admin, letters = emq.Lanes(conn, queue), emq.Admin(conn, queue), emq.DeadLetters(conn, queue)
        one, two, three, four, later = ids(5)
        ready = asyncio.Event()
        heard = asyncio.create_task(_first_event(conn, queue, ready))
        burst = [(a, one, b""), (a, two, b""), (b, three, b""), ("nobody", four, b"")]
        assert said(await lanes.enqueue_many(burst)) == ["enqueued"] * 3 + ["refused:kind"]
        assert await emq.Jobs(conn, queue).enqueue(four, b"") is emq.ENQUEUED
        assert await lanes.enqueue_in(b, later, b"", 0) is emq.ENQUEUED
        await lanes.weight(a, 2)
        await lanes.limit(a, 1)
        await lanes.pause(b)
        assert [claim.id for claim in await lanes.claim_any(9)] == [one, four]
        assert await lanes.resume(b)
        assert await lanes.unlimit(a)
        assert [claim.id for claim in await lanes.claim_turn()] == [three]
        assert await lanes.reassign(two, b)
        assert await lanes.promote() == 1
        assert await lanes.depths() == {b: 2}
        await lanes.delay(one, 1, delay_ms=0)
        assert await lanes.retry(three, 1, max_attempts=1, error="no hope") == "dead"
        assert [letter.reason for letter in await letters.browse()] == ["no hope"]
        assert await admin.state(three) is emq.State.DEAD
        await letters.requeue(three)
        assert await lanes.reap_group(b) == 0
        assert await admin.counts() == emq.Counts(0, 1, 1, 0, failed=1, in_lanes=3)
        assert (await admin.ages()).in_lanes is not None
        await admin.update_data(two, b"new")
        async with asyncio.timeout(20):
            await ready.wait()
            await admin.update_progress(two, "half")
            assert await heard == emq.Event("progress", two, {"progress": "half"})
        assert await admin.add_log(two, "a line") == 1
        await admin.remove(two)
        assert await lanes.drain(b) == 2
        assert await admin.drain(scheduled=True, lanes=True) == 1
        await admin.pause()
        assert await admin.obliterate(force=True)
        assert await admin.counts() == emq.Counts(0, 0, 0, 0)
        assert await admin.job(four) is None


async def _first_event(conn: emq.Connector, queue: str, ready: asyncio.Event) -> emq.Event | None:
    async for event in emq.Events(conn, queue).listen(ready=ready):
        return event
    return None
