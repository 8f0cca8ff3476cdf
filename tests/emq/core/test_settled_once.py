"""A settled claim is settled: its token opens nothing any more, wherever the job went since."""

from __future__ import annotations

import asyncio

import pytest

import emq
from tests.emq.core.makers import Maker
from tests.emq.runtime.conftest import until
from tests.emq.runtime.working import running


@pytest.mark.parametrize("verb", ["complete", "retry"])
async def test_a_job_that_was_retried_and_promoted_is_stale_to_a_second_settle(
    conn: emq.Connector, jobs: emq.Jobs, make: Maker, verb: str
) -> None:
    # given a job whose holder failed it, and which waits again because its time has come
    claim = await make.active()
    await jobs.retry(claim.id, claim.token, delay_ms=0)
    assert await jobs.promote() == 1

    # when the same holder settles it a second time (a re-sent retry whose first reply was lost)
    # then that is stale, as docs/state-machine.md says of a job that its holder scheduled again
    with pytest.raises(emq.Stale):
        await getattr(jobs, verb)(claim.id, claim.token)


async def test_a_retry_without_delay_is_tried_again_at_once(conn: emq.Connector, queue: str) -> None:
    # docs/keys.md: a retry without delay makes something ready and leaves a wake token
    jobs, again = emq.Jobs(conn, queue), asyncio.Event()

    async def each(job: emq.HeldJob) -> None:
        if job.attempt == 1:
            raise emq.Again(0)
        again.set()

    worker = emq.Worker(conn, queue, each=each, options=emq.WorkerOptions(beat_ms=600_000))
    async with running(worker):
        await until(lambda: worker._parked is not None)  # its first beat is over
        await jobs.enqueue(emq.mint("JOB"), b"x")
        async with asyncio.timeout(60):
            await again.wait()
