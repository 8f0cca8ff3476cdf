"""The worker's flows: claimed, handed out, settled, parked, stopped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import emq
from emq.backoff import exponential
from emq.handlers import HeldJob
from emq.options import WorkerOptions
from emq.outcomes import DONE, Again, Dead, Outcome
from emq.worker import Worker
from tests.emq.runtime.conftest import enqueued, lapse, until
from tests.emq.runtime.working import running
from tests.servers import ServerProcess

SOON = WorkerOptions(beat_ms=50, backoff=exponential(0, 0))


async def row(conn: emq.Connector, queue: str, id: str) -> dict[str, str]:
    flat = await conn.command("HGETALL", emq.Keyspace(queue).job(id))
    if isinstance(flat, dict):
        return {key.decode(): value.decode() for key, value in flat.items()}
    return {flat[at].decode(): flat[at + 1].decode() for at in range(0, len(flat), 2)}


async def test_each_job_is_handed_out_with_what_is_known_about_it_and_completed(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    ids = await enqueued(jobs, 30)
    given: list[HeldJob] = []

    async def handle(job: HeldJob) -> None:
        given.append(job)
        assert job.lease.held

    # when
    async with running(Worker(conn, queue, each=handle)) as worker:
        await until(lambda: worker.stats.completed == 30)

    # then
    assert [job.id for job in given] == ids
    assert all(job.payload == b"payload of " + job.id.encode() for job in given)
    assert {(job.token, job.attempt, job.group) for job in given} == {(1, 1, None)}
    assert await jobs.counts() == emq.Counts(pending=0, active=0, scheduled=0, dead=0, completed=30)


async def test_a_batch_handler_gets_up_to_a_batch_in_mint_order(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    ids = await enqueued(jobs, 25)
    batches: list[list[str]] = []

    async def handle(batch: Sequence[HeldJob]) -> None:
        batches.append([job.id for job in batch])

    # when
    async with running(Worker(conn, queue, batch=handle, options=WorkerOptions(batch=10))) as worker:
        await until(lambda: worker.stats.completed == 25)

    # then
    assert batches == [ids[:10], ids[10:20], ids[20:]]


async def test_a_batch_handler_decides_job_by_job(conn: emq.Connector, jobs: emq.Jobs, queue: str) -> None:
    # given
    done, unnamed, again, dead = await enqueued(jobs, 4)

    async def handle(batch: Sequence[HeldJob]) -> Mapping[str, Outcome]:
        return {done: DONE, again: Again(60_000, error="not yet"), dead: Dead("hopeless")}

    # when
    async with running(Worker(conn, queue, batch=handle)) as worker:
        await until(lambda: worker.stats.dead == 1 and worker.stats.completed == 2)

    # then
    assert await row(conn, queue, done) == await row(conn, queue, unnamed) == {}
    scheduled, buried = await row(conn, queue, again), await row(conn, queue, dead)
    assert (scheduled["state"], scheduled["last_error"]) == ("scheduled", "not yet")
    assert (buried["state"], buried["last_error"]) == ("dead", "hopeless")
    assert worker.stats.retried == 1


async def test_a_job_that_fails_comes_back_until_it_works(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    (id,) = await enqueued(jobs, 1)
    attempts: list[int] = []

    async def handle(job: HeldJob) -> None:
        attempts.append(job.attempt)
        if job.attempt < 4:
            raise RuntimeError("no luck")

    # when
    async with running(Worker(conn, queue, each=handle, options=SOON)) as worker:
        await until(lambda: worker.stats.completed == 1)

    # then
    assert attempts == [1, 2, 3, 4]
    assert worker.stats.retried == 3
    assert await row(conn, queue, id) == {}


async def test_a_job_that_always_fails_is_dead_after_its_last_attempt(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    (id,) = await enqueued(jobs, 1)
    attempts: list[int] = []

    async def handle(job: HeldJob) -> None:
        attempts.append(job.attempt)
        raise ValueError("never works\nnot even once")

    options = WorkerOptions(beat_ms=50, backoff=exponential(0, 0), max_attempts=3)

    # when
    async with running(Worker(conn, queue, each=handle, options=options)) as worker:
        await until(lambda: worker.stats.dead == 1)

    # then
    buried = await row(conn, queue, id)
    assert attempts == [1, 2, 3]
    assert (buried["state"], buried["last_error"]) == ("dead", "ValueError: never works not even once")


async def test_an_each_handler_raises_its_verdict(conn: emq.Connector, jobs: emq.Jobs, queue: str) -> None:
    # given
    again, dead = await enqueued(jobs, 2)

    async def handle(job: HeldJob) -> None:
        raise Again(45_000, error="closed today") if job.id == again else Dead("gone for good")

    # when
    began = time.time()
    async with running(Worker(conn, queue, each=handle)) as worker:
        await until(lambda: worker.stats.dead == 1 and worker.stats.retried == 1)

    # then
    scheduled, buried = await row(conn, queue, again), await row(conn, queue, dead)
    assert (scheduled["state"], scheduled["last_error"]) == ("scheduled", "closed today")
    assert (buried["state"], buried["last_error"]) == ("dead", "gone for good")
    due_ms = float(await conn.command("ZSCORE", emq.Keyspace(queue).schedule, again))
    assert began + 44 < due_ms / 1000 < time.time() + 46


async def test_failures_wait_longer_each_time_up_to_a_cap() -> None:
    # given
    least, most = exponential(1_000, 60_000, dice=lambda: 0.0), exponential(1_000, 60_000, dice=lambda: 1.0)

    # then
    assert [most(attempt) for attempt in (1, 2, 3, 7, 100_000)] == [1_000, 2_000, 4_000, 60_000, 60_000]
    assert [least(attempt) for attempt in (1, 2, 3, 7, 100_000)] == [500, 1_000, 2_000, 30_000, 30_000]
    with pytest.raises(ValueError, match="first_ms <= cap_ms"):
        exponential(10, 5)


async def test_a_job_whose_leases_lapsed_too_often_is_dead_without_being_handed_out(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given: it was claimed three times, and each time its worker died
    (id,) = await enqueued(jobs, 1)
    for _ in range(3):
        assert await jobs.claim() is not None
        await lapse(conn, queue, id)
        await jobs.reap()
    given: list[str] = []

    async def handle(job: HeldJob) -> None:
        given.append(job.id)

    # when
    async with running(Worker(conn, queue, each=handle, options=WorkerOptions(max_attempts=3))) as worker:
        await until(lambda: worker.stats.dead == 1)

    # then
    buried = await row(conn, queue, id)
    assert given == []
    assert buried["state"] == "dead"
    assert buried["last_error"].startswith("attempt 4 of 3: its lease lapsed too often")


async def test_a_parked_worker_is_woken_by_a_plain_enqueue(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given: a worker that would look by itself in some minutes only
    async def handle(job: HeldJob) -> None: ...

    async with running(Worker(conn, queue, each=handle, options=WorkerOptions(beat_ms=600_000))) as worker:
        for round in range(1, 6):
            await until(lambda: worker._parked is not None)

            # when
            await enqueued(jobs, 1)

            # then
            await until(lambda round=round: worker.stats.completed == round)  # type: ignore[misc]


async def test_one_burst_wakes_every_parked_worker_that_is_needed(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given: three parked workers that take one job at a time and do not finish it
    release = asyncio.Event()
    busy: list[str] = []

    async def handle(job: HeldJob) -> None:
        busy.append(job.id)
        await release.wait()

    options = WorkerOptions(beat_ms=600_000, concurrency=1)
    workers = [Worker(conn, queue, each=handle, options=options) for _ in range(3)]
    async with running(workers[0]), running(workers[1]), running(workers[2]):
        await until(lambda: all(worker._parked is not None for worker in workers))

        # when
        ids = await enqueued(jobs, 3)
        await until(lambda: len(busy) == 3)

        # then
        assert sorted(busy) == ids
        release.set()


async def test_idle_workers_do_a_beats_worth_of_commands_and_no_more(
    own_real_server: ServerProcess, queue: str
) -> None:
    # given
    async def handle(job: HeldJob) -> None: ...

    async with await emq.connect(own_real_server.url) as conn:
        options = WorkerOptions(beat_ms=400)
        async with running(Worker(conn, queue, each=handle, options=options)) as worker:
            await until(lambda: worker._parked is not None)
            before, began = own_real_server.calls(), time.monotonic()

            # when
            await asyncio.sleep(1.6)
            await until(lambda: own_real_server.calls().get("blpop", 0) >= before.get("blpop", 0) + 2)

            # then: four beats, or more where all takes longer, of a reap, a promotion, a claim and a wait
            after, beats = own_real_server.calls(), (time.monotonic() - began) / 0.4
    done = {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}
    done.pop("info", None)
    assert 2 <= done["blpop"] <= 1.5 * beats
    assert 6 <= done["evalsha"] <= 4.5 * beats
    assert sum(done.values()) < 25 * beats


async def test_an_idle_worker_reaps_and_promotes(conn: emq.Connector, jobs: emq.Jobs, queue: str) -> None:
    # given: a job of a worker that died, and one that is due soon
    (lapsed,) = await enqueued(jobs, 1)
    assert await jobs.claim() is not None
    await lapse(conn, queue, lapsed)
    later = emq.mint("JOB")
    await jobs.enqueue_in(later, b"", 100)
    given: list[str] = []

    async def handle(job: HeldJob) -> None:
        given.append(job.id)

    # when
    async with running(Worker(conn, queue, each=handle, options=SOON)) as worker:
        await until(lambda: worker.stats.completed == 2)

    # then
    assert given == [lapsed, later]
    assert (worker.stats.reaped, worker.stats.promoted) == (1, 1)


async def test_a_busy_worker_still_reaps_for_the_others(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    _, lapsed = await enqueued(jobs, 2)
    release = asyncio.Event()

    async def handle(job: HeldJob) -> None:
        await release.wait()

    options = WorkerOptions(beat_ms=50, concurrency=1)
    async with running(Worker(conn, queue, each=handle, options=options)) as worker:
        await until(lambda: worker.stats.claimed == 1)
        assert await jobs.claim() is not None

        # when
        await lapse(conn, queue, lapsed)

        # then
        await until(lambda: worker.stats.reaped == 1)
        assert await jobs.pending_size() == 1
        release.set()
        await until(lambda: worker.stats.completed == 2)


@pytest.mark.parametrize("mode", ["each", "batch"])
async def test_no_more_is_claimed_than_can_be_worked_on(
    conn: emq.Connector, jobs: emq.Jobs, queue: str, mode: str
) -> None:
    # given
    await enqueued(jobs, 30)
    release = asyncio.Event()
    running_now = most = 0

    async def handle(given: HeldJob | Sequence[HeldJob]) -> None:
        nonlocal running_now, most
        running_now += 1
        most = max(most, running_now)
        await release.wait()
        running_now -= 1

    how: dict[str, Any] = {mode: handle}
    async with running(Worker(conn, queue, options=WorkerOptions(batch=4, concurrency=3), **how)) as worker:
        # when
        await until(lambda: running_now == 3)
        await asyncio.sleep(0.2)

        # then
        assert worker.stats.claimed == (3 if mode == "each" else 12)
        release.set()
        await until(lambda: worker.stats.completed == 30)
    assert most == 3


async def test_a_paused_queue_hands_out_nothing_until_it_is_resumed(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    admin = emq.Admin(conn, queue)
    await admin.pause()

    async def handle(job: HeldJob) -> None: ...

    async with running(Worker(conn, queue, each=handle, options=WorkerOptions(beat_ms=600_000))) as worker:
        await enqueued(jobs, 3)
        await asyncio.sleep(0.2)
        assert worker.stats.claimed == 0

        # when
        await admin.resume()

        # then
        await until(lambda: worker.stats.completed == 3)


async def test_stopping_lets_jobs_in_hand_finish_and_takes_no_more(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    await enqueued(jobs, 10)
    release = asyncio.Event()

    async def handle(job: HeldJob) -> None:
        await release.wait()

    worker = Worker(conn, queue, each=handle, options=WorkerOptions(concurrency=2))
    run = asyncio.create_task(worker.run())
    await until(lambda: worker.stats.claimed == 2)

    # when
    worker.stop()
    await asyncio.sleep(0.05)
    assert not run.done()
    release.set()
    await worker.stopped()

    # then
    await run
    assert worker.stats.completed == 2
    counts = await jobs.counts()
    assert (counts.pending, counts.active) == (8, 0)


async def test_stopping_a_parked_worker_is_prompt(conn: emq.Connector, queue: str) -> None:
    # given: it would look whether it is to stop, and be given up, in some minutes only
    async def handle(job: HeldJob) -> None: ...

    options = WorkerOptions(beat_ms=600_000, grace_ms=600_000)
    worker = Worker(conn, queue, each=handle, options=options)
    run = asyncio.create_task(worker.run())
    await until(lambda: worker._parked is not None)

    # when
    worker.stop()

    # then
    await asyncio.wait_for(run, 60)


async def test_a_job_that_does_not_finish_in_its_grace_is_left_and_comes_back(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    (id,) = await enqueued(jobs, 1)

    async def handle(job: HeldJob) -> None:
        await asyncio.sleep(3600)

    worker = Worker(conn, queue, each=handle, options=WorkerOptions(lease_ms=1_000, grace_ms=100))
    run = asyncio.create_task(worker.run())
    await until(lambda: worker.stats.claimed == 1)

    # when
    worker.stop()
    await run

    # then
    assert (await row(conn, queue, id))["state"] == "active"
    await lapse(conn, queue, id)
    assert await jobs.reap() == 1


async def test_cancelling_a_worker_ends_it_at_once_and_leaves_nothing_running(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    await enqueued(jobs, 1)
    ended: list[str] = []

    async def handle(job: HeldJob) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append(job.id)

    worker = Worker(conn, queue, each=handle)
    run = asyncio.create_task(worker.run())
    await until(lambda: worker.stats.claimed == 1)
    await asyncio.sleep(0.01)

    # when
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run

    # then
    assert len(ended) == 1
    assert asyncio.all_tasks() == {asyncio.current_task()}
    await worker.stopped()


async def test_many_workers_share_the_work_without_doing_it_twice(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    ids = await enqueued(jobs, 200)
    given: list[str] = []

    async def handle(batch: Sequence[HeldJob]) -> None:
        given.extend(job.id for job in batch)
        await asyncio.sleep(0)

    workers = [Worker(conn, queue, batch=handle, options=WorkerOptions(batch=7)) for _ in range(3)]

    # when
    async with running(workers[0]), running(workers[1]), running(workers[2]):
        await until(lambda: sum(worker.stats.completed for worker in workers) == 200)

    # then
    assert sorted(given) == ids


async def test_a_worker_can_be_made_wrong_in_a_few_ways_and_says_so(conn: emq.Connector, queue: str) -> None:
    async def handle(job: Any) -> None: ...

    with pytest.raises(emq.EmqError, match="one handler"):
        Worker(conn, queue)
    with pytest.raises(emq.EmqError, match="one handler"):
        Worker(conn, queue, each=handle, batch=handle)
    with pytest.raises(emq.MalformedQueue):
        Worker(conn, "a b", each=handle)
    for wrong in (
        {"lease_ms": 0},
        {"batch": -1},
        {"concurrency": 0},
        {"beat_ms": 1.5},
        {"max_attempts": True},
    ):
        with pytest.raises(ValueError, match="above 0"):
            WorkerOptions(**wrong)


async def test_a_worker_runs_once(conn: emq.Connector, queue: str) -> None:
    # given
    async def handle(job: HeldJob) -> None: ...

    worker = Worker(conn, queue, each=handle)
    worker.stop()
    await worker.run()

    # then
    with pytest.raises(emq.EmqError, match="runs once"):
        await worker.run()


async def test_a_connector_closed_underneath_ends_the_worker_with_that(redis7_url: str, queue: str) -> None:
    # given
    async def handle(job: HeldJob) -> None: ...

    conn = await emq.connect(redis7_url)
    worker = Worker(conn, queue, each=handle, options=WorkerOptions(beat_ms=100))
    run = asyncio.create_task(worker.run())
    await asyncio.sleep(0.05)

    # when
    await conn.close()

    # then
    with pytest.raises(emq.Closed):
        await asyncio.wait_for(run, 60)
