"""streaq: `enqueue_many`, and a worker with a hundred tasks at once."""

from __future__ import annotations

import asyncio
import logging
import time

from protocol import PAYLOAD, URL, handled, serve
from streaq import Worker

CALL = 1_000


def _worker() -> Worker:
    worker = Worker(redis_url=URL, concurrency=100, prefetch=1_000, handle_signals=False)

    @worker.task(ttl=0, name="noop")
    async def noop(payload: str) -> None:
        handled.one()

    return worker


async def _fill(worker: Worker, jobs: int) -> float:
    (noop,) = worker.registry.values()
    began = time.perf_counter()
    for _ in range(0, jobs, CALL):
        await worker.enqueue_many([noop.enqueue(PAYLOAD) for _ in range(min(CALL, jobs))])
    return time.perf_counter() - began


async def enqueue(jobs: int) -> float:
    async with (worker := _worker()):
        return await _fill(worker, jobs)


async def drain(jobs: int) -> float:
    async with (worker := _worker()):
        await _fill(worker, jobs)
    handled.expect(jobs)
    running = asyncio.create_task(_worker().run_async())
    took = await handled.gathered()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return took


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    serve(enqueue, drain)
