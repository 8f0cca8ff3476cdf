"""Handlers with faults, and handlers whose jobs are taken from them: no job is lost or settled wrongly."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

import emq
from emq.backoff import exponential
from emq.handlers import EachHandler, HeldJob
from emq.options import WorkerOptions
from emq.outcomes import DONE, Again, Dead
from emq.worker import Worker
from tests.emq.runtime.conftest import enqueued, steal, until
from tests.emq.runtime.working import running

SOON = WorkerOptions(beat_ms=50, backoff=exponential(0, 0))
LEASE = WorkerOptions(beat_ms=600_000, lease_ms=3_000)


@pytest.mark.parametrize(
    "error", [SystemExit(3), asyncio.CancelledError(), Exception(), BaseExceptionGroup("g", [SystemExit()])]
)
async def test_whatever_a_handler_raises_its_job_is_tried_again(
    conn: emq.Connector, jobs: emq.Jobs, queue: str, error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    # given
    (id,) = await enqueued(jobs, 1)

    async def handle(job: HeldJob) -> None:
        if job.attempt == 1:
            raise error

    # when
    async with running(Worker(conn, queue, each=handle, options=SOON)) as worker:
        await until(lambda: worker.stats.completed == 1)

    # then
    assert worker.stats.retried == 1
    assert id in caplog.text
    assert type(error).__name__ in caplog.text


async def test_an_inner_timeout_is_the_handlers_own_affair(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    await enqueued(jobs, 1)

    async def handle(job: HeldJob) -> None:
        async with asyncio.timeout(0.01 if job.attempt == 1 else 10):
            await asyncio.sleep(0.05)

    # when
    async with running(Worker(conn, queue, each=handle, options=SOON)) as worker:
        await until(lambda: worker.stats.completed == 1)

    # then
    assert worker.stats.retried == 1


@pytest.mark.parametrize("garbage", [42, "done", ["a"], True])
@pytest.mark.parametrize("mode", ["each", "batch"])
async def test_an_answer_that_is_no_outcome_is_told_and_the_job_is_tried_again(
    conn: emq.Connector,
    jobs: emq.Jobs,
    queue: str,
    garbage: object,
    mode: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    # given
    (id,) = await enqueued(jobs, 1)

    async def each(job: HeldJob) -> Any:
        return garbage if job.attempt == 1 else None

    async def batch(given: Sequence[HeldJob]) -> Any:
        return garbage if given[0].attempt == 1 else {}

    how: dict[str, Any] = {"each": each} if mode == "each" else {"batch": batch}

    # when
    async with running(Worker(conn, queue, options=SOON, **how)) as worker:
        await until(lambda: worker.stats.completed == 1)

    # then
    assert repr(garbage) in caplog.text
    assert worker.stats.retried == 1
    assert await jobs.counts() == emq.Counts(0, 0, 0, 0, completed=1)
    assert id


async def test_a_wrong_value_in_a_mapping_costs_the_others_nothing(
    conn: emq.Connector, jobs: emq.Jobs, queue: str, caplog: pytest.LogCaptureFixture
) -> None:
    # given
    first, second, third = await enqueued(jobs, 3)

    async def handle(batch: Sequence[HeldJob]) -> Any:
        return {first: DONE, second: "yes"} if len(batch) == 3 else None

    # when
    async with running(Worker(conn, queue, batch=handle, options=SOON)) as worker:
        await until(lambda: worker.stats.completed == 3)

    # then
    assert worker.stats.retried == 1
    assert f"'yes' for {second}" in caplog.text
    assert third


async def test_an_id_that_was_not_given_is_refused_and_silence_about_a_job_means_nothing_then(
    conn: emq.Connector, jobs: emq.Jobs, queue: str, caplog: pytest.LogCaptureFixture
) -> None:
    # given a handler that spells an id wrong
    first, second, third = await enqueued(jobs, 3)
    stranger = emq.mint("JOB")

    async def handle(batch: Sequence[HeldJob]) -> Any:
        if len(batch) < 3:
            return {job.id: DONE for job in batch}
        return {first: DONE, stranger: emq.Dead("no address"), None: 1}

    # when
    async with running(Worker(conn, queue, batch=handle, options=SOON)) as worker:
        await until(lambda: worker.stats.completed == 3)

    # then what it named is done, and those of which it said nothing came again
    assert (worker.stats.retried, worker.stats.dead) == (2, 0)
    assert f"answered for 2 jobs that it was not given, such as '{stranger}'" in caplog.text
    assert {second, third}


@pytest.mark.parametrize("name", ["each", "batch"])
async def test_a_handler_that_is_a_plain_function_is_refused_when_the_worker_is_made(
    conn: emq.Connector, queue: str, name: str
) -> None:
    def handle(given: object) -> None: ...

    for plain in (handle, print, functools.partial(handle), object()):
        with pytest.raises(emq.MalformedArgument, match=f"^{name}=.* is no async function: begin it with"):
            Worker(conn, queue, **{name: plain})  # type: ignore[arg-type]


class Handler:
    """An object that is called, and has a method that is."""

    def __init__(self) -> None:
        self.given: list[str] = []

    async def __call__(self, job: HeldJob) -> None:
        self.given.append(job.id)

    async def method(self, job: HeldJob) -> None:
        await self(job)

    async def with_more(self, more: str, job: HeldJob) -> None:
        await self(job)


@pytest.mark.parametrize(
    "form",
    [lambda it: it, lambda it: it.method, lambda it: functools.partial(it.with_more, "x")],
    ids=["object", "method", "partial"],
)
async def test_a_handler_may_be_an_object_a_method_or_a_part_of_a_function(
    conn: emq.Connector, jobs: emq.Jobs, queue: str, form: Callable[[Handler], EachHandler]
) -> None:
    (id,) = await enqueued(jobs, 1)
    handler = Handler()
    worker = Worker(conn, queue, each=form(handler))

    async with running(worker):
        await until(lambda: worker.stats.completed == 1)

    assert handler.given == [id]


@pytest.mark.parametrize(
    "wrong", [{"lease_ms": 0}, {"batch": "7"}, {"grace_ms": 1.5}, {"max_attempts": -1}, {"backoff": 5}]
)
def test_an_option_that_cannot_be_is_refused_and_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(emq.MalformedArgument, match=f"^{next(iter(wrong))} is ") as refused:
        WorkerOptions(**wrong)

    assert isinstance(refused.value, ValueError)


async def test_a_batch_handler_that_raises_speaks_for_all(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    await enqueued(jobs, 3)

    async def handle(batch: Sequence[HeldJob]) -> None:
        raise Dead("the whole lot")

    # when
    async with running(Worker(conn, queue, batch=handle)) as worker:
        await until(lambda: worker.stats.dead == 3)

    # then
    assert (await jobs.counts()).dead == 3


async def test_a_verdict_is_checked_where_it_is_made() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        Again(-1)
    with pytest.raises(ValueError, match="whole milliseconds"):
        Again(1.5)  # type: ignore[arg-type]


async def test_an_error_text_of_any_length_and_kind_can_be_kept(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    (id,) = await enqueued(jobs, 1)

    async def handle(job: HeldJob) -> None:
        raise Dead("\ud800 broken \n" + "x" * 100_000)

    # when
    async with running(Worker(conn, queue, each=handle)) as worker:
        await until(lambda: worker.stats.dead == 1)

    # then
    kept = await conn.command("HGET", emq.Keyspace(queue).job(id), "last_error")
    assert kept.startswith(b"\\ud800 broken")
    assert len(kept) < 1_100


async def test_a_job_whose_lease_is_lost_is_stopped_and_nothing_is_settled_for_it(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    stolen, kept = await enqueued(jobs, 2)
    started: list[str] = []
    stopped: list[str] = []
    release = asyncio.Event()

    async def handle(job: HeldJob) -> None:
        started.append(job.id)
        try:
            await release.wait()
        except asyncio.CancelledError:
            stopped.append(job.id)
            assert not job.lease.held
            raise

    async with running(Worker(conn, queue, each=handle, options=LEASE)) as worker:
        await until(lambda: len(started) == 2)

        # when
        thief = await steal(conn, queue, stolen)
        await until(lambda: bool(stopped))
        release.set()
        await until(lambda: worker.stats.completed == 1)

    # then
    assert stopped == [stolen]
    assert (worker.stats.lost, worker.stats.stale, worker.stats.retried) == (1, 0, 0)
    await jobs.complete(thief.id, thief.token)
    assert kept in started


async def test_a_handler_that_ignores_its_cancellation_settles_nothing_either(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    (id,) = await enqueued(jobs, 1)
    started, finished = asyncio.Event(), asyncio.Event()

    async def handle(job: HeldJob) -> None:
        started.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            finished.set()

    async with running(Worker(conn, queue, each=handle, options=LEASE)) as worker:
        await started.wait()

        # when
        thief = await steal(conn, queue, id)
        await finished.wait()
        await until(lambda: worker.stats.lost == 1)

    # then
    assert (worker.stats.completed, worker.stats.stale) == (0, 0)
    await jobs.complete(thief.id, thief.token)


async def test_in_a_batch_only_the_lost_job_is_left_alone(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    ids = await enqueued(jobs, 5)
    started = asyncio.Event()
    held_at_the_end: dict[str, bool] = {}

    async def handle(batch: Sequence[HeldJob]) -> Mapping[str, Any]:
        started.set()
        await batch[2].lease.lost()
        held_at_the_end.update({job.id: job.lease.held for job in batch})
        return {}

    async with running(Worker(conn, queue, batch=handle, options=LEASE)) as worker:
        await started.wait()

        # when
        thief = await steal(conn, queue, ids[2])
        await until(lambda: worker.stats.completed == 4)

    # then
    assert [held_at_the_end[id] for id in ids] == [True, True, False, True, True]
    assert (worker.stats.lost, worker.stats.stale) == (1, 0)
    await jobs.complete(thief.id, thief.token)


async def test_a_batch_with_nothing_left_to_work_on_is_cancelled(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    ids = await enqueued(jobs, 3)
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def handle(batch: Sequence[HeldJob]) -> None:
        started.set()
        try:
            await asyncio.sleep(3600)
        finally:
            cancelled.set()

    async with running(Worker(conn, queue, batch=handle, options=LEASE)) as worker:
        await started.wait()

        # when
        for id in ids:
            await steal(conn, queue, id)

        # then
        await asyncio.wait_for(cancelled.wait(), 60)
        await until(lambda: worker.stats.lost == 3)


async def test_a_handler_that_blocks_the_event_loop_for_leases_keeps_its_job(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    await enqueued(jobs, 3)

    async def handle(batch: Sequence[HeldJob]) -> None:
        time.sleep(4)
        batch[0].lease.check()

    # when
    async with running(Worker(conn, queue, batch=handle, options=LEASE)) as worker:
        await until(lambda: worker.stats.completed == 3)

    # then
    assert (worker.stats.lost, worker.stats.retried) == (0, 0)


async def test_a_job_that_takes_five_leases_lives_on_beside_200_others(redis7_url: str, queue: str) -> None:
    # given
    options = WorkerOptions(lease_ms=3_000, concurrency=201, batch=201)
    async with await emq.connect(redis7_url) as conn:
        jobs = emq.Jobs(conn, queue)
        await enqueued(jobs, 201)

        async def handle(job: HeldJob) -> None:
            await asyncio.sleep(15)

        # when
        async with running(Worker(conn, queue, each=handle, options=options)) as worker:
            await until(lambda: worker.stats.completed == 201, within_s=90)

        # then
        stats = worker.stats
        assert (stats.claimed, stats.reaped, stats.lost, stats.retried) == (201, 0, 0, 0)
