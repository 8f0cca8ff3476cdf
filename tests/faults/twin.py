"""The queue as a few lines of plain Python, and a walk that asks the real one and its twin the same things."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import emq

LEASE_MS = 600_000
DELAY_MS = 600_000


@dataclass
class Job:
    """What the twin knows of a job."""

    payload: bytes
    state: str = "pending"
    attempts: int = 0
    uncounted: int = 0
    spent: int = 0
    ripe: bool = False  # its lease has lapsed, or its time has come


@dataclass
class Twin:
    """A queue without lanes. Every verb answers what the real one must answer."""

    jobs: dict[str, Job] = field(default_factory=dict)
    paused: bool = False
    completed: int = 0
    failed: int = 0

    def ids(self, state: str, *, ripe: bool = False) -> list[str]:
        return sorted(id for id, job in self.jobs.items() if job.state == state and job.ripe >= ripe)

    def enqueue(self, id: str, payload: bytes) -> emq.Verdict:
        if id in self.jobs:
            return emq.DUPLICATE
        self.jobs[id] = Job(payload)
        return emq.ENQUEUED

    def claim(self, size: int) -> list[tuple[str, int, bytes]]:
        if self.paused:
            return []
        taken = self.ids("pending")[:size]
        for id in taken:
            job = self.jobs[id]
            job.state, job.ripe, job.attempts = "active", False, job.attempts + 1
        return [(id, self.jobs[id].attempts, self.jobs[id].payload) for id in taken]

    def holds(self, id: str, token: int) -> str:
        """``gone`` or ``stale``, or nothing when this token may settle the job."""
        job = self.jobs.get(id)
        if job is None:
            return "gone"
        fits = job.attempts == token and token not in (0, job.spent)
        return "" if fits and job.state in ("active", "pending") else "stale"

    def complete(self, id: str, token: int) -> str:
        wrong = self.holds(id, token)
        if not wrong:
            del self.jobs[id]
            self.completed += 1
        return wrong or "completed"

    def retry(self, id: str, token: int, most: int) -> str:
        wrong = self.holds(id, token)
        if wrong:
            return wrong
        job = self.jobs[id]
        job.spent, job.ripe = token, False
        job.state = "dead" if job.attempts - job.uncounted >= most else "scheduled"
        self.failed += job.state == "dead"
        return job.state

    def delay(self, id: str, token: int) -> str:
        wrong = self.holds(id, token)
        if wrong:
            return wrong
        job = self.jobs[id]
        job.spent, job.ripe, job.state, job.uncounted = token, False, "scheduled", job.uncounted + 1
        return "scheduled"

    def extend(self, id: str, token: int) -> str:
        job = self.jobs.get(id)
        if job is None:
            return "gone"
        if job.attempts != token:
            return "stale"
        if job.state != "active":
            return "not active"
        job.ripe = False
        return ""

    def move(self, state: str, limit: int) -> int:
        """What reaping (active) and promoting (scheduled) do."""
        moved = self.ids(state, ripe=True)[:limit]
        for id in moved:
            self.jobs[id].state, self.jobs[id].ripe = "pending", False
        return len(moved)


class Walk:
    """Asks a queue on a real server and its twin the same, and compares every answer.

    Args:
        conn: an open connector.
        queue: a name nobody else uses.
    """

    def __init__(self, conn: emq.Connector, queue: str) -> None:
        self.twin = Twin()
        self.held: list[tuple[str, int]] = []
        self.steps = 0
        self._conn = conn
        self._jobs = emq.Jobs(conn, queue)
        self._admin = emq.Admin(conn, queue)
        self._base = f"emq:{{{queue}}}:"

    async def enqueue(self, items: Sequence[tuple[str, bytes]]) -> None:
        self.steps += 1
        real = await self._jobs.enqueue_many(items)
        assert real == [self.twin.enqueue(id, payload) for id, payload in items]

    async def claim(self, size: int) -> None:
        self.steps += 1
        if size == 1:
            claim = await self._jobs.claim(lease_ms=LEASE_MS)
            claims = [] if claim is None else [claim]
        else:
            claims = await self._jobs.claim_batch(size, lease_ms=LEASE_MS)
        assert [(each.id, each.token, each.payload) for each in claims] == self.twin.claim(size)
        self.held += [(each.id, each.token) for each in claims]

    async def complete(self, pairs: Sequence[tuple[str, int]]) -> None:
        self.steps += 1
        real = await self._jobs.complete_many(pairs)
        assert [str(each) for each in real] == [self.twin.complete(id, token) for id, token in pairs]

    async def retry(self, id: str, token: int, most: int) -> None:
        self.steps += 1
        real = await _said(self._jobs.retry(id, token, delay_ms=DELAY_MS, max_attempts=most))
        assert real == self.twin.retry(id, token, most)

    async def delay(self, id: str, token: int) -> None:
        self.steps += 1
        real = await _said(self._jobs.delay(id, token, delay_ms=DELAY_MS))
        assert (real or "scheduled") == self.twin.delay(id, token)

    async def extend(self, pairs: Sequence[tuple[str, int]]) -> None:
        self.steps += 1
        if len(pairs) == 1:
            real = await _said(self._jobs.extend_lock(*pairs[0], LEASE_MS))
            assert real == self.twin.extend(*pairs[0])
        else:
            failed = await self._jobs.extend_locks(pairs, LEASE_MS)
            assert failed == [id for id, token in pairs if self.twin.extend(id, token)]

    async def ripen(self, state: str, id: str) -> None:
        """Let time pass for one job: its lease lapses, or it is due."""
        self.steps += 1
        key = self._base + {"active": "active", "scheduled": "schedule"}[state]
        await self._conn.command("ZADD", key, "XX", "1", id)
        self.twin.jobs[id].ripe = True

    async def reap(self, limit: int) -> None:
        self.steps += 1
        assert await self._jobs.reap(limit) == self.twin.move("active", limit)

    async def promote(self, limit: int) -> None:
        self.steps += 1
        assert await self._jobs.promote(limit) == self.twin.move("scheduled", limit)

    async def pause(self, paused: bool) -> None:
        self.steps += 1
        await (self._admin.pause() if paused else self._admin.resume())
        self.twin.paused = paused

    async def compare(self) -> None:
        """Where every job is, and the rows of some."""
        keys = {"pending": "pending", "active": "active", "scheduled": "schedule", "dead": "dead"}
        some = sorted(self.twin.jobs)[:20]
        found = await self._conn.pipeline(
            [("ZRANGE", self._base + key, "0", "-1") for key in keys.values()]
            + [("HMGET", f"{self._base}job:{id}", "state", "attempts", "payload") for id in some]
        )
        for state, members in zip(keys, found, strict=False):
            assert sorted(member.decode() for member in members) == self.twin.ids(state), state
        for id, row in zip(some, found[len(keys) :], strict=True):
            job = self.twin.jobs[id]
            assert row == [job.state.encode(), str(job.attempts).encode(), job.payload], id
        counts = await self._jobs.counts()
        assert (counts.completed, counts.failed) == (self.twin.completed, self.twin.failed)

    async def wander(self, dice: random.Random, steps: int) -> None:
        """So many steps, each at random; what is not possible just then counts as none."""
        known = [emq.mint("JOB") for _ in range(30)]
        end = self.steps + steps
        while self.steps < end:
            before = self.steps
            await self._step(dice, known)
            if self.steps == before:
                continue
            self.held = self.held[-30:]
            if self.steps % 50 == 0:
                known[dice.randrange(len(known))] = emq.mint("JOB")
            if self.steps % 200 == 0:
                await self.compare()

    async def _step(self, dice: random.Random, known: Sequence[str]) -> None:
        held = [dice.choice(self.held) if self.held else (known[0], 1) for _ in range(dice.choice((1, 1, 3)))]
        state = dice.choice(("active", "scheduled"))
        match dice.randrange(12):
            case 0 | 1 | 2:
                ids = dice.sample(known, dice.choice((1, 1, 4)))
                await self.enqueue([(id, dice.randbytes(4)) for id in ids])
            case 3 | 4:
                await self.claim(dice.choice((1, 1, 3)))
            case 5:
                await self.complete(held)
            case 6:
                await self.retry(*held[0], dice.choice((1, 3, 20)))
            case 7:
                await self.delay(*held[0])
            case 8:
                await self.extend(held)
            case 9 if ids := self.twin.ids(state):
                await self.ripen(state, dice.choice(ids))
            case 10:
                await (self.reap if state == "active" else self.promote)(dice.choice((1, 1000)))
            case 11 if self.twin.paused or dice.random() < 0.1:
                await self.pause(not self.twin.paused)


async def _said(call: object) -> str:
    """The answer of a verb, or the refusal in one word."""
    try:
        return str(await call or "")  # type: ignore[misc]
    except emq.Gone:
        return "gone"
    except emq.Stale:
        return "stale"
    except emq.NotActive:
        return "not active"
