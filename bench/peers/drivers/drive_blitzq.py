"""BlitzQ in its reliable mode: `enqueue_many`, and a worker with hundreds of tasks at once."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from blitzq import Queue, Task, Worker
from protocol import PAYLOAD, URL, handled, serve

CALL = 1_000


async def noop(payload: str) -> None:
    handled.one()


def _queue() -> tuple[Queue, Task[Any, Any]]:
    queue = Queue("bench", URL, store_results=False)
    return queue, queue.task(noop)


async def _fill(task: Task[Any, Any], jobs: int) -> float:
    began = time.perf_counter()
    for _ in range(0, jobs, CALL):
        await task.enqueue_many((PAYLOAD,) for _ in range(min(CALL, jobs)))
    return time.perf_counter() - began


async def enqueue(jobs: int) -> float:
    queue, task = _queue()
    async with queue:
        return await _fill(task, jobs)


async def drain(jobs: int) -> float:
    queue, task = _queue()
    async with queue:
        await _fill(task, jobs)
        handled.expect(jobs)
        worker = Worker(queue, concurrency=500, batch_size=500, block_timeout=0.1)
        running = asyncio.create_task(worker.run())
        took = await handled.gathered()
        worker.stop()
        await running
        return took


async def extend(jobs: int) -> float:
    queue, task = _queue()
    async with queue:
        await _fill(task, jobs)
        await queue.broker.prepare_consumer([queue.name], "mine")
        held = await queue.broker.fetch(queue.name, jobs, 0, "mine")
        began = time.perf_counter()
        lost = await queue.broker.heartbeat(queue.name, held, "mine")
        took = time.perf_counter() - began
        if lost or len(held) != jobs:
            raise RuntimeError(f"{len(held)} leases held, {len(lost)} lost")
        return took


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    serve(enqueue, drain, extend)
