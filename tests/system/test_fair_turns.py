"""One player's flood delays another player by at most one turn: bursts, lanes and a scoring worker on a real queue."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

import pytest

import emq
from codemojex.bursts import Bursts, Enqueues
from codemojex.guess_lanes import GuessLanes
from codemojex.play.guesses import Limits
from codemojex.play.outbox import NoticeRef
from codemojex.play.payloads import GuessJob
from codemojex.play.players import Person
from codemojex.scoring import ScoreWorker
from codemojex.store.engine import Store
from tests.play.makers import ADA, MISS, SECRET, WRONG, seat
from tests.system.deployment import until

FLOOD = 2_000


def _different(n: int) -> list[str]:
    """So many guesses, none of them the secret."""
    return ["".join(six) for six in itertools.islice(itertools.permutations(MISS + SECRET, 6), n)]


BATCH = 100
LIFTED = Limits(alone=2 * FLOOD, per_second=0)
OTHERS = [Person(5_000_000_200 + n, f"Player {n}") for n in range(10)]


class InOneLine:
    """All guesses in one line, as it was before there were lanes."""

    def __init__(self, conn: emq.Connector, queue: str) -> None:
        self._jobs = emq.Jobs(conn, queue)

    async def enqueue_many(self, jobs: Sequence[GuessJob]) -> list[emq.Verdict]:
        return await self._jobs.enqueue_many([(job.id, job.payload) for job in jobs])


class MakesQueue(Protocol):
    def __call__(self, conn: emq.Connector, queue: str) -> Enqueues: ...


@dataclass
class Scoring:
    """Bursts and a worker at work on a queue that can be held, and whose chats each scored batch told."""

    bursts: Bursts
    admin: emq.Admin
    batches: list[list[int]] = field(default_factory=list)

    def note(self, refs: Sequence[NoticeRef]) -> None:
        self.batches.append([ref.chat_id for ref in refs])

    async def queued(self, count: int) -> None:
        """Wait until ``count`` guesses have landed in the queue."""

        async def landed() -> bool:
            return self.bursts.counts.enqueued == count

        await until(landed, f"{count} guesses are in the queue", 200)

    async def hold(self) -> None:
        """Let no more batches be claimed; wait for the one in hand."""
        await self.admin.pause()

        async def idle() -> bool:
            return (await self.admin.counts()).active == 0

        await until(idle, "no batch is in hand")

    async def scored(self, count: int) -> None:
        """Wait until ``count`` guesses have been told to somebody."""

        async def told() -> bool:
            return sum(map(len, self.batches)) >= count

        await until(told, f"{count} guesses have their score", 200)


@asynccontextmanager
async def scoring(store: Store, url: str, queue: str, make: MakesQueue) -> AsyncIterator[Scoring]:
    async with await emq.connect(url) as conn:
        made = Scoring(Bursts(make(conn, queue), store), emq.Admin(conn, queue))
        worker = ScoreWorker(conn, queue, store, made.note, emq.WorkerOptions(batch=BATCH))
        running = [asyncio.create_task(part.run()) for part in (made.bursts, worker)]
        try:
            yield made
        finally:
            made.bursts.stop()
            worker.stop()
            await asyncio.wait_for(asyncio.gather(*running), 60)


async def flood_then_others(store: Store, at: Scoring) -> int:
    """One player's flood is half-way scored when ten others guess once each; how many batches there were before."""
    flooder = await seat(store, (ADA,), limits=LIFTED)
    at.bursts.add(
        [receipt.item for receipt in await flooder.admit(*((six, ADA) for six in _different(FLOOD)))]
    )
    await at.queued(FLOOD)
    await at.scored(2 * BATCH)
    await at.hold()
    for person in OTHERS:
        table = await seat(store, (person,), limits=LIFTED)
        at.bursts.add([(await table.guess(MISS, person)).item])
    await at.queued(FLOOD + len(OTHERS))
    return len(at.batches)


async def test_ten_players_who_guess_behind_a_flood_of_two_thousand_are_all_answered_in_the_next_batch(
    store: Store, valkey_url: str, queue: str
) -> None:
    async with scoring(store, valkey_url, queue, GuessLanes) as at:
        # given
        before = await flood_then_others(store, at)

        # when
        await at.admin.resume()
        await at.scored(sum(map(len, at.batches)) + BATCH)

        # then: and the flood has what is left of that batch
        told = at.batches[before]
        assert sorted(set(told)) == [ADA.id, *(person.id for person in OTHERS)]
        assert all(told.count(person.id) == 1 for person in OTHERS)
        assert told.count(ADA.id) == BATCH - len(OTHERS)


async def test_in_one_line_with_the_flood_they_would_wait_for_all_of_it(
    store: Store, valkey_url: str, queue: str
) -> None:
    async with scoring(store, valkey_url, queue, InOneLine) as at:
        # given
        before = await flood_then_others(store, at)

        # when
        await at.admin.resume()
        await at.scored(FLOOD + len(OTHERS))

        # then
        assert not any(person.id in batch for person in OTHERS for batch in at.batches[before:-2])


@pytest.mark.parametrize("lane", [False, True], ids=["in the one line of before", "in their lanes"])
async def test_guesses_that_an_earlier_version_queued_are_scored_beside_those_in_lanes(
    store: Store, valkey_url: str, queue: str, lane: bool
) -> None:
    # given: some guesses wait outside of lanes, some in them, and the earlier version sends one of both again
    table = await seat(store, (ADA,), limits=LIFTED)
    items = [receipt.item for receipt in await table.admit(*((wrong, ADA) for wrong in WRONG[:6]))]
    async with await emq.connect(valkey_url) as conn:
        old, new = InOneLine(conn, queue), GuessLanes(conn, queue)
        assert await old.enqueue_many(items[:3]) == [emq.ENQUEUED] * 3
        assert await new.enqueue_many(items[3:]) == [emq.ENQUEUED] * 3
        assert await (new if lane else old).enqueue_many(items) == [emq.DUPLICATE] * 6

    # when
    async with scoring(store, valkey_url, queue, GuessLanes) as at:
        await at.scored(len(items))

        # then
        assert all(row.scored_at is not None for row in await table.guesses())
        assert sum(map(len, at.batches)) == len(items)
