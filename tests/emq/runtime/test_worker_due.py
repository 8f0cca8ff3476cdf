"""Jobs that wait for their time: a worker takes them up when it has come, and asks nobody in between."""

from __future__ import annotations

import time

import pytest

import emq
from emq.backoff import fixed
from tests.emq.runtime.conftest import until
from tests.emq.runtime.working import running

NO_BEAT = emq.WorkerOptions(beat_ms=600_000, backoff=fixed(60))


@pytest.fixture
def given() -> list[str]:
    return []


@pytest.fixture
def worker(conn: emq.Connector, queue: str, given: list[str]) -> emq.Worker:
    """One that keeps what it was given, and that no beat helps."""

    async def each(job: emq.HeldJob) -> None:
        given.append(job.id)
        if job.payload == b"twice" and job.attempt == 1:
            raise emq.Again
        if job.payload == b"later" and job.token == 1:
            raise emq.Later(60)

    return emq.Worker(conn, queue, each=each, options=NO_BEAT)


async def test_a_job_that_is_scheduled_while_a_worker_is_parked_begins_when_it_is_due(
    jobs: emq.Jobs, worker: emq.Worker, given: list[str]
) -> None:
    first, second = emq.mint_many("JOB", 2)
    async with running(worker):
        await until(lambda: worker._parked is not None)
        began = time.monotonic()
        await jobs.enqueue_in(second, b"", 3_000)
        await jobs.enqueue_in(first, b"", 500)
        await until(lambda: len(given) == 2)

    assert given == [first, second]
    assert time.monotonic() - began >= 3


async def test_a_job_that_was_scheduled_before_a_worker_began_begins_when_it_is_due(
    jobs: emq.Jobs, worker: emq.Worker, given: list[str]
) -> None:
    id = emq.mint("JOB")
    await jobs.enqueue_in(id, b"", 300)
    async with running(worker):
        await until(lambda: given == [id])


@pytest.mark.parametrize("payload", ["twice", "later"])
async def test_a_second_attempt_begins_when_it_is_due(
    jobs: emq.Jobs, worker: emq.Worker, given: list[str], payload: str
) -> None:
    id = emq.mint("JOB")
    async with running(worker):
        await jobs.enqueue(id, payload)
        await until(lambda: worker.stats.completed == 1)

    assert given == [id, id]


async def test_a_worker_that_waits_for_a_time_far_off_asks_for_nothing(
    jobs: emq.Jobs, worker: emq.Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a worker, and a job that is due in an hour
    asked: list[int] = []
    promote = emq.Jobs.promote_and_look

    async def noted(self: emq.Jobs, limit: int = 100) -> tuple[int, int | None]:
        asked.append(limit)
        return await promote(self, limit)

    monkeypatch.setattr("emq.moving.Moving.promote_and_look", noted)
    await jobs.enqueue_in(emq.mint("JOB"), b"", 3_600_000)

    # when it has found out
    async with running(worker):
        await until(lambda: worker._parked is not None and len(asked) >= 1)
        await jobs.enqueue(emq.mint("JOB"), b"")
        await until(lambda: worker.stats.completed == 1)
        await until(lambda: worker._parked is not None)

    # then it looked when it began and when it was woken
    assert len(asked) <= 4
