"""saq: jobs are enqueued one by one, here a hundred at once, since it has no call for many."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from protocol import AT_ONCE, PAYLOAD, URL, handled, many, serve
from saq import Job, Queue, Worker


async def noop(_: Any, *, payload: str) -> None:
    handled.one()


async def _fill(queue: Queue, jobs: int) -> list[Job]:
    made: list[Job] = []

    async def one() -> None:
        job = await queue.enqueue("noop", payload=PAYLOAD, ttl=-1)
        if job is not None:
            made.append(job)

    await many(jobs, one)
    return made


def _queue() -> Queue:
    return Queue.from_url(URL, max_concurrent_ops=AT_ONCE)


async def enqueue(jobs: int) -> float:
    queue = _queue()
    began = time.perf_counter()
    await _fill(queue, jobs)
    took = time.perf_counter() - began
    await queue.disconnect()
    return took


async def drain(jobs: int) -> float:
    queue = _queue()
    # A worker's first sweep takes jobs that are just being started for lost ones: have it done, and its lock last.
    await queue.sweep(lock=600)
    await _fill(queue, jobs)
    handled.expect(jobs)
    worker: Worker[Any] = Worker(queue, [noop], concurrency=AT_ONCE)
    running = asyncio.create_task(worker.start())
    took = await handled.gathered()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await queue.disconnect()
    return took


async def extend(jobs: int) -> float:
    """A job's heartbeat is an update of the job, one by one."""
    queue = _queue()
    held = await _fill(queue, jobs)
    began = time.perf_counter()
    await asyncio.gather(*(job.update() for job in held))
    took = time.perf_counter() - began
    await queue.disconnect()
    return took


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    serve(enqueue, drain, extend)
