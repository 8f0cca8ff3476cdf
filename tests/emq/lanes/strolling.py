"""Random operations on one queue, as producers, workers that die, and operators do them, in any order."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Awaitable, Callable

import emq
from tests.emq.lanes.books import Books, groups


class Stroll:
    """One random walk; the same seed walks the same way.

    Args:
        conn: an open connector.
        queue: a queue that nobody else touches.
        seed: of the dice.
    """

    def __init__(self, conn: emq.Connector, queue: str, seed: int) -> None:
        self._dice = random.Random(seed)
        self._conn = conn
        self._keys = emq.Keyspace(queue)
        self.jobs, self.lanes = emq.Jobs(conn, queue), emq.Lanes(conn, queue)
        self.admin, self.letters = emq.Admin(conn, queue), emq.DeadLetters(conn, queue)
        self._groups = groups(6)
        self._known: list[str] = []
        self._held: list[tuple[str, int]] = []
        self.steps = 0

    async def step(self) -> None:
        """One operation; what the queue refuses as it should is no failure."""
        verbs: list[tuple[int, Callable[[], Awaitable[object]]]] = [
            (22, self._enqueue), (22, self._claim), (22, self._settle), (4, self._settle_again), (4, self._kill),
            (5, self._tend), (3, self._later), (3, self._steer), (4, self._remove), (4, self._requeue),
            (4, self._reassign), (1, self._drain), (2, self._extend),
        ]  # fmt: skip
        (verb,) = self._dice.choices([verb for _, verb in verbs], [weight for weight, _ in verbs])
        self.steps += 1
        with contextlib.suppress(emq.Gone, emq.Stale, emq.NotActive, emq.WrongState):
            await verb()

    async def wind_down(self) -> None:
        """Work off everything there is, so that an honest queue is empty."""
        for group in self._groups:
            await self.lanes.resume(group)
            await self.lanes.unlimit(group)
            await self.lanes.weight(group, 1)
        while True:
            await self._lapse_all()
            await self.lanes.reap(1_000)
            await self._due_all()
            await self.lanes.promote(1_000)
            for letter in await self.letters.browse(1_000):
                await self.letters.remove(letter.id)
            claims = await self.lanes.claim_any(500)
            if not claims and not (await Books.read(self._conn, self.jobs.queue)).places:
                return
            if claims:
                await self.lanes.complete_many([(claim.id, claim.token) for claim in claims])

    def _group(self) -> str:
        return self._dice.choice(self._groups)

    def _id(self) -> str:
        if not self._known or self._dice.random() < 0.7:
            self._known.append(emq.mint("JOB"))
            self._known = self._known[-200:]
            return self._known[-1]
        return self._dice.choice(self._known)

    def _one_held(self) -> tuple[str, int]:
        return self._dice.choice(self._held) if self._held else (emq.mint("JOB"), 1)

    async def _enqueue(self) -> None:
        how = self._dice.randrange(5)
        if how == 0:
            await self.jobs.enqueue_many([(self._id(), b"x") for _ in range(3)])
        elif how == 1:
            await self.lanes.enqueue_in(self._group(), self._id(), b"x", self._dice.choice([0, 60_000]))
        elif how == 2:
            await self.jobs.enqueue_in(self._id(), b"x", self._dice.choice([0, 60_000]))
        else:
            await self.lanes.enqueue_many([(self._group(), self._id(), b"x") for _ in range(4)])

    async def _claim(self) -> None:
        size = self._dice.choice([1, 2, 3, 7])
        how = self._dice.randrange(5)
        if how == 0:
            claims = await self.jobs.claim_batch(size)
        elif how == 1:
            claims = await self.lanes.claim_turn()
        elif how == 2:
            claims = await self.lanes.claim_batch(size)
        else:
            claims = await self.lanes.claim_any(size, first=self._dice.choice(["lanes", "pending"]))
        self._held += [(claim.id, claim.token) for claim in claims]
        self._held = self._held[-60:]

    async def _settle(self) -> None:
        held = self._one_held()
        if held in self._held and self._dice.random() < 0.8:
            self._held.remove(held)
        await self._settle_one(*held)

    async def _settle_again(self) -> None:
        await self._settle_one(*self._one_held())

    async def _settle_one(self, id: str, token: int) -> None:
        how = self._dice.randrange(6)
        if how == 0:
            await self.lanes.retry(id, token, delay_ms=self._dice.choice([0, 60_000]), error="no luck")
        elif how == 1:
            await self.lanes.retry(id, token, max_attempts=1, error="no hope")
        elif how == 2:
            await self.jobs.delay(id, token, delay_ms=self._dice.choice([0, 60_000]))
        else:
            await self.lanes.complete_many([(id, token), self._one_held()])

    async def _kill(self) -> None:
        """A worker is killed: some of what was in flight lapses, and nobody remembers it; or its ghost does."""
        for id in await self._conn.command("ZRANGE", self._keys.active, 0, self._dice.choice([0, 5, -1])):
            await self._conn.command("ZADD", self._keys.active, "XX", 1_600_000_000_000, id)
        if self._dice.random() < 0.5:
            self._held.clear()

    async def _tend(self) -> None:
        how = self._dice.randrange(4)
        if how == 0:
            await self._due_all()
        if how == 3:
            await self.lanes.reap_group(self._group())
        elif how == 2:
            await self.lanes.reap(self._dice.choice([1, 100]))
        else:
            await self.lanes.promote(self._dice.choice([1, 100]))

    async def _later(self) -> None:
        await self.jobs.delay(*self._one_held(), delay_ms=0)

    async def _steer(self) -> None:
        group, how = self._group(), self._dice.randrange(7)
        if how < 2:
            await self.lanes.limit(group, self._dice.choice([1, 2, 5]))
        elif how == 2:
            await self.lanes.unlimit(group)
        elif how == 3:
            await self.lanes.weight(group, self._dice.choice([1, 2, 5]))
        elif how == 4:
            await self.lanes.pause(group)
        else:
            await self.lanes.resume(group)

    async def _remove(self) -> None:
        await self.admin.remove(self._dice.choice(self._known) if self._known else emq.mint("JOB"))

    async def _requeue(self) -> None:
        dead = await self.letters.browse(5)
        if dead and self._dice.random() < 0.8:
            await self.letters.requeue_many([letter.id for letter in dead])
        else:
            await self.letters.requeue(self._id())

    async def _reassign(self) -> None:
        await self.lanes.reassign(
            self._dice.choice(self._known) if self._known else self._id(), self._group()
        )

    async def _drain(self) -> None:
        if self._dice.random() < 0.7:
            await self.lanes.drain(self._group())
        else:
            await self.admin.drain(scheduled=True, lanes=self._dice.random() < 0.5)

    async def _extend(self) -> None:
        await self.lanes.extend_locks([self._one_held() for _ in range(5)], 60_000)

    async def _lapse_all(self) -> None:
        for id in await self._conn.command("ZRANGE", self._keys.active, 0, -1):
            await self._conn.command("ZADD", self._keys.active, "XX", 1_600_000_000_000, id)

    async def _due_all(self) -> None:
        for id in await self._conn.command("ZRANGE", self._keys.schedule, 0, -1):
            await self._conn.command("ZADD", self._keys.schedule, "XX", 1_600_000_000_000, id)
