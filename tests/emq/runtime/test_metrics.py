"""What to watch: what a queue holds and what its workers did, under names that stay."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import emq
from emq import metrics
from emq.metrics import Metric
from tests.emq.runtime.conftest import enqueued, steal, until
from tests.emq.runtime.working import running


def value(found: Sequence[Metric], name: str, *labels: str) -> float:
    (metric,) = (metric for metric in found if metric.name == name)
    return metric.samples[labels]


async def test_a_queue_tells_its_depth_its_ages_and_what_it_has_done(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given: one completed, one dead, one in hand, two that wait, one of them in a lane, one for later
    await enqueued(jobs, 3)
    done, dead, _ = await jobs.claim_batch(3)
    await jobs.complete(done.id, done.token)
    await jobs.retry(dead.id, dead.token, max_attempts=1, error="no")
    await enqueued(jobs, 1)
    await emq.Lanes(conn, queue).enqueue(emq.group("USR", 7), emq.mint("JOB"), b"")
    await jobs.enqueue_in(emq.mint("JOB"), b"", delay_ms=60_000)

    # when
    found = await metrics.of_queue(conn, queue)

    # then
    for state in ("pending", "in_lanes", "active", "scheduled", "dead"):
        assert value(found, "emq_jobs", queue, state) == 1
        assert 0 <= value(found, "emq_oldest_job_seconds", queue, state) < 60
    assert value(found, "emq_jobs_finished", queue, "completed") == 1
    assert value(found, "emq_jobs_finished", queue, "failed") == 1
    assert value(found, "emq_overdue_seconds", queue) == 0
    assert value(found, "emq_paused", queue) == 0


async def test_a_state_without_a_job_has_no_age_and_a_paused_queue_says_so(
    conn: emq.Connector, queue: str
) -> None:
    # when
    await emq.Admin(conn, queue).pause()
    found = await metrics.of_queue(conn, queue)

    # then
    assert value(found, "emq_paused", queue) == 1
    assert value(found, "emq_jobs", queue, "pending") == 0
    assert {metric.name: metric.samples for metric in found}["emq_oldest_job_seconds"] == {}


async def test_a_worker_tells_what_it_holds_and_which_executor_keeps_its_leases(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given: a job that takes longer than its lease
    leave = asyncio.Event()

    async def wait(job: emq.HeldJob) -> None:
        await leave.wait()

    async with running(
        emq.Worker(conn, queue, each=wait, options=emq.WorkerOptions(lease_ms=3_000))
    ) as worker:
        await enqueued(jobs, 1)

        # when
        await until(lambda: worker.stats.leases.scripts >= 3)
        during = metrics.of_worker(queue, worker.stats)
        leave.set()
        await until(lambda: worker.stats.completed == 1)
        after = metrics.of_worker(queue, worker.stats)

    # then
    assert value(during, "emq_worker_held", queue) == value(during, "emq_leases_held", queue) == 1
    assert value(during, "emq_lease_extensions", queue, "scripts") >= 3
    assert value(during, "emq_lease_extensions", queue, "native") == 0
    assert value(during, "emq_leases_extended", queue) >= 3
    assert 0 <= value(during, "emq_worker_claim_age_seconds", queue) < 30
    assert value(after, "emq_worker_held", queue) == 0
    assert value(after, "emq_worker_jobs", queue, "completed") == 1
    assert value(after, "emq_leases_lost", queue) == 0


async def test_a_lost_lease_and_the_job_taken_back_are_counted(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    (id,) = await enqueued(jobs, 1)
    tries = 0

    async def work(job: emq.HeldJob) -> None:
        nonlocal tries
        tries += 1
        if tries == 1:  # the thief does nothing, so its lease lapses
            await steal(conn, queue, id)
            await asyncio.sleep(3600)

    options = emq.WorkerOptions(lease_ms=3_000, beat_ms=20, concurrency=2)
    async with running(emq.Worker(conn, queue, each=work, options=options)) as worker:
        # when
        await until(lambda: worker.stats.completed == 1)
        found = metrics.of_worker(queue, worker.stats)

    # then
    assert value(found, "emq_worker_moved", queue, "reaped") == 1
    assert value(found, "emq_worker_jobs", queue, "lost") == 1
    assert value(found, "emq_leases_lost", queue) == 1


async def test_every_metric_is_named_as_prometheus_wants_it_and_says_what_it_means(
    conn: emq.Connector, queue: str
) -> None:
    # when
    found = [*await metrics.of_queue(conn, queue), *metrics.of_worker(queue, emq.WorkerStats())]

    # then
    assert len({metric.name for metric in found}) == len(found)
    for metric in found:
        assert re.fullmatch(r"emq_[a-z_]+", metric.name)
        assert not metric.name.endswith("_total")
        assert metric.help.endswith(".")
        assert all(len(labels) == len(metric.labels) for labels in metric.samples)
