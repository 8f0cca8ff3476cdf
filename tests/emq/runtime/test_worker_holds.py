"""A worker that is in trouble of its handlers' making: it still ends, still holds what it should, and no more."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

import emq
from tests.emq.runtime.conftest import enqueued, until
from tests.emq.runtime.working import running
from tests.servers import ServerProcess


async def test_stopping_does_not_wait_for_threads_that_handlers_keep_busy(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given as many handlers in asyncio.to_thread as the event loop has threads
    await enqueued(jobs, 40)
    release = threading.Event()

    async def each(job: emq.HeldJob) -> None:
        await asyncio.to_thread(release.wait, 100)

    options = emq.WorkerOptions(grace_ms=200, concurrency=40)
    worker = emq.Worker(conn, queue, each=each, options=options)
    run = asyncio.create_task(worker.run())
    await until(lambda: worker.stats.claimed == 40)

    # when
    worker.stop()
    _, late = await asyncio.wait([run], timeout=50)
    release.set()
    await run

    # then it ended after its grace and a moment (10 s is promised for the whole process)
    assert not late


async def test_a_backoff_that_fails_neither_stops_the_worker_nor_holds_its_jobs_for_ever(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given a backoff with a table that is too short
    ids = await enqueued(jobs, 5)
    given: list[str] = []

    async def batch(held: object) -> None:
        assert isinstance(held, list | tuple)
        given.extend(job.id for job in held)
        raise ValueError("not today")

    def backoff(attempts: int) -> int:
        return [100][attempts]

    options = emq.WorkerOptions(lease_ms=600, beat_ms=100, batch=5, backoff=backoff)
    worker = emq.Worker(conn, queue, batch=batch, options=options)
    async with running(worker):
        await until(lambda: len(given) >= 5)

        # then every job comes back, and the worker goes on working
        await until(lambda: all(given.count(id) >= 2 for id in ids))


async def test_a_backoff_that_answers_a_fraction_is_a_delay(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    await enqueued(jobs, 1)

    async def each(job: emq.HeldJob) -> None:
        raise ValueError("not today")

    options = emq.WorkerOptions(lease_ms=600, beat_ms=100, backoff=lambda attempts: 60_000 * 1.5)  # type: ignore[arg-type, return-value]
    worker = emq.Worker(conn, queue, each=each, options=options)
    async with running(worker):
        await until(lambda: worker.stats.retried + worker.stats.refused > 0)

    assert (worker.stats.refused, (await jobs.counts()).scheduled) == (0, 1)


async def test_a_finished_job_keeps_its_lease_until_it_is_settled(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given eight handlers that block the event loop one after the other, for more than a lease in all
    ids = await enqueued(jobs, 8)
    taken: list[str] = []
    ended = threading.Event()

    async def rival() -> None:
        """Another worker's beat, on a thread of its own: reap, then look what can be claimed."""
        async with await emq.connect(conn.url) as own:
            theirs = emq.Jobs(own, queue)
            while not ended.is_set():
                await theirs.reap()
                if await theirs.pending_size() and len(done) >= 1:
                    taken.extend(claim.id for claim in await theirs.claim_batch(8))
                await asyncio.sleep(0.02)

    done: list[str] = []

    async def each(job: emq.HeldJob) -> None:
        time.sleep(0.45)
        done.append(job.id)

    options = emq.WorkerOptions(lease_ms=3_000, beat_ms=600_000, concurrency=8)
    worker = emq.Worker(conn, queue, each=each, options=options)
    thread = threading.Thread(target=lambda: asyncio.run(rival()))
    thread.start()
    try:
        async with running(worker):
            await until(lambda: worker.stats.completed + worker.stats.gone + worker.stats.stale == 8)
    finally:
        ended.set()
        await asyncio.to_thread(thread.join)

    # then nobody else was handed a job that was done
    assert set(done) == set(ids)
    assert taken == []


async def test_a_worker_cancelled_twice_leaves_nothing_running(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given a handler that needs half a second to clean up
    await enqueued(jobs, 1)
    begun = asyncio.Event()

    async def each(job: emq.HeldJob) -> None:
        begun.set()
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0.5)

    threads = {thread for thread in threading.enumerate() if thread.name == "emq-leases"}
    worker = emq.Worker(conn, queue, each=each)
    run = asyncio.create_task(worker.run())
    await begun.wait()

    # when
    run.cancel()
    await asyncio.sleep(0.1)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run

    # then
    def left() -> list[object]:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        return [
            *tasks,
            *({thread for thread in threading.enumerate() if thread.name == "emq-leases"} - threads),
        ]

    await until(lambda: not left())


async def test_stopping_while_the_server_hangs_takes_no_longer_than_its_grace(
    own_real_server: ServerProcess, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a job in hand, and a claim in flight to a server that answers nothing, which is long waited for
    async with await emq.connect(own_real_server.url + "&socket_timeout=2") as conn:
        jobs, go, claiming = emq.Jobs(conn, queue), asyncio.Event(), asyncio.Event()
        await enqueued(jobs, 1)
        claim_any = emq.Lanes.claim_any

        async def hangs(*args: Any, **kwargs: Any) -> list[emq.Claim]:
            if hanging:
                conn._timeout_s = 600
                claiming.set()
            return await claim_any(*args, **kwargs)

        hanging = False
        monkeypatch.setattr(emq.Lanes, "claim_any", hangs)

        async def each(job: emq.HeldJob) -> None:
            await go.wait()

        options = emq.WorkerOptions(grace_ms=1_000, beat_ms=200)
        worker = emq.Worker(conn, queue, each=each, options=options)
        run = asyncio.create_task(worker.run())
        await until(lambda: worker.stats.claimed == 1)
        await until(lambda: worker._parked is not None)
        own_real_server.pause()
        hanging = True
        await claiming.wait()  # the wait for work was given up
        await asyncio.sleep(0.3)

        # when
        worker.stop()
        _, late = await asyncio.wait([run], timeout=50)
        own_real_server.resume()
        await run

    assert not late


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize("trouble", [Unspeakable(), GeneratorExit()], ids=["no words", "GeneratorExit"])
async def test_whatever_a_handler_raises_its_job_is_tried_again(
    conn: emq.Connector, jobs: emq.Jobs, queue: str, trouble: BaseException
) -> None:
    await enqueued(jobs, 1)

    async def each(job: emq.HeldJob) -> None:
        raise trouble

    worker = emq.Worker(conn, queue, each=each)
    async with running(worker):
        await until(lambda: worker.stats.retried == 1)
