"""What happens to servers, connections and processes never ends a worker and never loses a job."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import emq
from emq.handlers import HeldJob
from emq.options import WorkerOptions
from emq.outcomes import Again
from emq.scripts import script
from emq.worker import Worker
from tests.emq.runtime.conftest import enqueued, until
from tests.emq.runtime.working import WorkerProcess, running
from tests.proxy import FaultProxy
from tests.servers import Kind, ServerProcess

QUICK = WorkerOptions(beat_ms=100, lease_ms=1_000)
# No lease lapses while a server restarts or a line is opened anew, however long that takes here.
LONG = WorkerOptions(beat_ms=100, lease_ms=300_000)


async def landed(jobs: emq.Jobs, ids: Sequence[str]) -> None:
    """Enqueue, as often as it takes."""
    deadline = time.monotonic() + 60
    while True:
        try:
            await jobs.enqueue_many([(id, b"") for id in ids])
        except (emq.NotSent, emq.Uncertain):
            assert time.monotonic() < deadline
            await asyncio.sleep(0.02)
        else:
            return


@pytest.mark.parametrize("forget", [False, True], ids=["keeps its data", "forgets everything"])
@pytest.mark.parametrize("when", ["parked", "working"])
async def test_a_server_that_restarts_does_not_end_the_worker(
    own_server: ServerProcess, queue: str, forget: bool, when: str, caplog: pytest.LogCaptureFixture
) -> None:
    # given
    caplog.set_level(logging.INFO, "emq.worker")
    release = asyncio.Event()

    async def handle(job: HeldJob) -> None:
        await release.wait()

    async with await emq.connect(own_server.url) as conn:
        jobs = emq.Jobs(conn, queue)
        async with running(Worker(conn, queue, each=handle, options=LONG)) as worker:
            if when == "working":
                await enqueued(jobs, 3)
                await until(lambda: worker.stats.claimed == 3)
            else:
                await asyncio.sleep(0.15)

            # when
            await asyncio.to_thread(own_server.restart, forget=forget)
            release.set()
            await landed(jobs, [emq.mint("JOB")])

            # then: settled, or known to be gone with the data
            expected = 4 if when == "working" else 1
            await until(lambda: worker.stats.completed + worker.stats.gone + worker.stats.lost == expected)
            assert worker.stats.completed >= 1
            await until(lambda: caplog.text.count("the server answers again") >= 1)
            assert (await jobs.counts()).active == 0


async def test_an_outage_is_told_once_and_its_end_once(
    proxy: FaultProxy, queue: str, caplog: pytest.LogCaptureFixture
) -> None:
    # given
    caplog.set_level(logging.INFO, "emq.worker")

    async def handle(job: HeldJob) -> None: ...

    conn = await emq.connect(proxy.url)
    async with conn, running(Worker(conn, queue, each=handle, options=WorkerOptions(beat_ms=50))) as worker:
        await asyncio.sleep(0.1)

        # when
        await proxy.stop()
        await until(lambda: "failed, trying again" in caplog.text)
        await asyncio.sleep(0.8)
        await proxy.start()
        await landed(emq.Jobs(conn, queue), [emq.mint("JOB")])
        await until(lambda: worker.stats.completed == 1)
        await until(lambda: "answers again" in caplog.text)

    # then
    told = [record.getMessage() for record in caplog.records if record.name == "emq.worker"]
    assert len([line for line in told if "failed, trying again" in line]) == 1
    assert len([line for line in told if "the server answers again" in line]) == 1
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_worker_that_starts_without_its_server_begins_when_it_comes(
    proxy: FaultProxy, behind: emq.Jobs, queue: str
) -> None:
    # given
    async def handle(job: HeldJob) -> None: ...

    async with await emq.connect(proxy.url) as conn:
        await proxy.stop()
        await enqueued(behind, 3)
        async with running(Worker(conn, queue, each=handle, options=QUICK)) as worker:
            await asyncio.sleep(0.3)

            # when
            await proxy.start()

            # then
            await until(lambda: worker.stats.completed == 3)


@pytest.mark.parametrize("fault", ["nothing applied", "some applied", "all applied", "not sent"])
async def test_a_settlement_whose_answer_was_lost_is_sent_again_until_it_is_known(
    proxy: FaultProxy, behind: emq.Jobs, queue: str, fault: str
) -> None:
    # given: the trouble comes when the batch is done, which three script calls settle
    ids = await enqueued(behind, 450)
    assert set(await behind.complete_many([(id, 1) for id in ids[:2]])) == {emq.Settlement.STALE}
    sha = script("complete_many").sha

    async def handle(batch: Sequence[HeldJob]) -> None:
        if fault == "not sent":
            await proxy.stop()
            asyncio.get_running_loop().call_later(0.3, lambda: asyncio.ensure_future(proxy.start()))
        elif fault == "all applied":
            proxy.swallow_replies(match=sha)
        else:
            proxy.cut_after_commands(0 if fault == "nothing applied" else 1, match=sha)

    # when
    conn = await emq.connect(proxy.url)
    async with conn, running(Worker(conn, queue, batch=handle, options=replace(LONG, batch=450))) as worker:
        await until(lambda: worker.stats.completed == 450)

    # then
    assert (worker.stats.claimed, worker.stats.gone, worker.stats.stale, worker.stats.lost) == (450, 0, 0, 0)
    assert await behind.counts() == emq.Counts(0, 0, 0, 0, completed=450)
    assert proxy.counts.cuts == (0 if fault == "not sent" else 1)


async def test_a_retry_whose_answer_was_lost_is_not_done_twice(
    proxy: FaultProxy, behind: emq.Jobs, queue: str
) -> None:
    # given
    await enqueued(behind, 3)

    async def handle(batch: Sequence[HeldJob]) -> None:
        proxy.swallow_replies(match=script("retry").sha)
        raise Again(3_600_000)

    # when
    conn = await emq.connect(proxy.url)
    async with conn, running(Worker(conn, queue, batch=handle, options=LONG)) as worker:
        await until(lambda: worker.stats.retried == 3)

    # then
    assert (worker.stats.stale, worker.stats.claimed) == (0, 3)
    assert await behind.counts() == emq.Counts(0, 0, 3, 0)


async def test_a_claim_whose_reply_was_lost_is_not_repeated_blindly(
    proxy: FaultProxy, behind: emq.Jobs, queue: str
) -> None:
    # given: twice the reply to a claim of five is lost
    ids = await enqueued(behind, 12)
    proxy.swallow_replies(match=script("claim_any").sha, times=2)
    given: list[HeldJob] = []

    async def handle(batch: Sequence[HeldJob]) -> None:
        given.extend(batch)

    options = WorkerOptions(beat_ms=100, lease_ms=3_000, batch=5)

    # when
    conn = await emq.connect(proxy.url)
    async with conn, running(Worker(conn, queue, batch=handle, options=options)) as worker:
        await until(lambda: worker.stats.completed == 12)

    # then: the second was of one job only; those six came back when their leases lapsed
    assert sorted(job.id for job in given) == ids
    assert {job.id for job in given if job.attempt == 2} == set(ids[:6])
    assert worker.stats.reaped == 6


async def test_a_line_that_goes_silent_is_given_up(proxy: FaultProxy, behind: emq.Jobs, queue: str) -> None:
    # given
    async def handle(job: HeldJob) -> None: ...

    conn = await emq.connect(proxy.url + "&socket_timeout=1")
    async with conn, running(Worker(conn, queue, each=handle, options=QUICK)) as worker:
        await asyncio.sleep(0.1)

        # when
        proxy.half_open()
        await asyncio.sleep(2.5)
        proxy.heal()
        await enqueued(behind, 2)

        # then
        await until(lambda: worker.stats.completed == 2)


async def test_a_server_that_stands_still_for_longer_than_a_lease_loses_no_job(
    short_folder: Path, queue: str
) -> None:
    # given
    server = ServerProcess(Kind.REDIS7, short_folder).start()
    given: list[HeldJob] = []

    async def handle(job: HeldJob) -> None:
        given.append(job)
        await asyncio.sleep(0.3)

    options = WorkerOptions(beat_ms=100, lease_ms=500)
    async with await emq.connect(server.url + "&socket_timeout=1") as conn:
        jobs = emq.Jobs(conn, queue)
        async with running(Worker(conn, queue, each=handle, options=options)) as worker:
            ids = await enqueued(jobs, 4)
            await until(lambda: worker.stats.claimed >= 4)

            # when
            server.pause()
            await asyncio.sleep(2.5)
            server.resume()

            # then
            await until(lambda: worker.stats.completed >= 4)
            assert {job.id for job in given} == set(ids)
            assert (await jobs.counts()).completed == 4
    server.stop()


async def test_a_killed_workers_batch_is_finished_by_another(
    real_server_url: str, queue: str, tmp_path: Path
) -> None:
    # given: a worker in the middle of a batch
    async with await emq.connect(real_server_url) as conn:
        jobs = emq.Jobs(conn, queue)
        ids = await enqueued(jobs, 20)
        first = WorkerProcess(
            real_server_url, queue, tmp_path / "first", lease_ms=3_000, batch=10, seconds=600
        )
        with first:
            await until(lambda: len(first.given) == 10)

            # when
            first.signal(signal.SIGKILL)
        second = WorkerProcess(real_server_url, queue, tmp_path / "second", lease_ms=3_000, beat_ms=100)
        with second:
            deadline = time.monotonic() + 60
            while (await jobs.counts()).completed < 20:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.02)

        # then
        assert sorted(second.given) == ids
        assert sorted(first.given) == ids[:10]
        assert await jobs.counts() == emq.Counts(0, 0, 0, 0, completed=20)


async def test_a_worker_frozen_past_its_lease_settles_nothing_of_what_another_took(
    redis7_url: str, queue: str, tmp_path: Path
) -> None:
    # given
    async with await emq.connect(redis7_url) as conn:
        jobs = emq.Jobs(conn, queue)
        await enqueued(jobs, 5)
        frozen = WorkerProcess(redis7_url, queue, tmp_path / "frozen", lease_ms=3_000, seconds=8)
        with frozen:
            await until(lambda: len(frozen.given) == 5)
            given_at = time.monotonic()
            await asyncio.to_thread(frozen.pause)
            await asyncio.sleep(3.2)

            # when: another has taken its jobs, and it goes on
            assert await jobs.reap() == 5
            claims = await jobs.claim_batch(5)
            frozen.signal(signal.SIGCONT)
            await asyncio.sleep(given_at + 8.5 - time.monotonic())

            # then
            settled = await jobs.complete_many([(claim.id, claim.token) for claim in claims])
            assert settled == [emq.Settlement.COMPLETED] * 5


async def test_a_server_error_on_one_job_leaves_the_others_settled(
    conn: emq.Connector, jobs: emq.Jobs, queue: str, caplog: pytest.LogCaptureFixture
) -> None:
    # given
    ids = await enqueued(jobs, 3)

    async def handle(batch: Sequence[HeldJob]) -> None:
        key = emq.Keyspace(queue).job(ids[1])
        await conn.command("DEL", key)
        await conn.command("SET", key, "not a row")

    # when
    async with running(Worker(conn, queue, batch=handle)) as worker:
        await until(lambda: worker.stats.completed == 2 and worker.stats.refused == 1)

    # then
    assert f"{ids[1]} cannot be settled" in caplog.text
