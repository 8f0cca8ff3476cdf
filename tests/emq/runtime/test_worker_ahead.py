"""Jobs taken ahead: handlers that are quick never wait for a claim, and nothing waits long behind one that is slow."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import emq
from tests.emq.runtime.conftest import enqueued, steal, until
from tests.emq.runtime.working import running


class Stops:
    """A handler that is quick up to one job, which it does not end before it is told to."""

    def __init__(self, at: int) -> None:
        self.given: list[str] = []
        self.go = asyncio.Event()
        self._at = at

    async def each(self, job: emq.HeldJob) -> None:
        self.given.append(job.id)
        if len(self.given) == self._at:
            await self.go.wait()


async def test_nothing_is_taken_ahead_of_handlers_that_take_their_time(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    await enqueued(jobs, 20)
    most = ended = 0

    async def each(job: emq.HeldJob) -> None:
        nonlocal most, ended
        most = max(most, worker.stats.claimed - ended)
        await asyncio.sleep(0.05)
        ended += 1

    worker = emq.Worker(conn, queue, each=each, options=emq.WorkerOptions(concurrency=2))
    async with running(worker):
        await until(lambda: worker.stats.completed == 20)

    assert most == 2


async def test_a_worker_with_quick_handlers_has_jobs_in_hand_and_not_many(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    await enqueued(jobs, 2_000)
    handler = Stops(at=1_000)
    worker = emq.Worker(conn, queue, each=handler.each, options=emq.WorkerOptions(concurrency=1))
    async with running(worker):
        await until(lambda: len(handler.given) == 1_000)
        await asyncio.sleep(0.1)

        # then what is in hand is bounded, and it is worked on when its turn comes
        assert 0 <= worker.stats.claimed - 1_000 <= 400
        handler.go.set()
        await until(lambda: worker.stats.completed == 2_000)
    assert len(set(handler.given)) == len(handler.given) == 2_000


async def test_a_job_that_was_lost_before_its_turn_is_not_handed_out(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given a job taken ahead, behind one that takes its time
    ids = await enqueued(jobs, 400)
    handler = Stops(at=150)
    options = emq.WorkerOptions(concurrency=1, lease_ms=3_000, beat_ms=600_000)
    worker = emq.Worker(conn, queue, each=handler.each, options=options)
    async with running(worker):
        await until(lambda: len(handler.given) == 150)
        await until(lambda: worker.stats.claimed > 150)
        await asyncio.sleep(0.05)
        last = ids[worker.stats.claimed - 1]

        # when another has become its holder
        again = await steal(conn, queue, last)
        await until(lambda: worker._keeper.lost == 1)
        handler.go.set()

        # then it is left to that one
        await until(lambda: worker.stats.completed + worker.stats.lost == 400)
        assert worker.stats.lost == 1
    assert last not in handler.given
    await jobs.complete(again.id, again.token)


async def test_what_was_taken_ahead_is_settled_before_a_worker_stops(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    await enqueued(jobs, 1_000)
    given: list[str] = []

    async def batch(held: Sequence[emq.HeldJob]) -> None:
        given.extend(job.id for job in held)
        if len(given) >= 300:
            worker.stop()

    worker = emq.Worker(conn, queue, batch=batch)
    async with asyncio.timeout(60):
        await worker.run()

    counts = await jobs.counts()
    assert worker.stats.claimed == worker.stats.completed == len(given) == counts.completed
    assert (counts.active, counts.pending) == (0, 1_000 - len(given))
