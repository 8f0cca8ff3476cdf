"""BullMQ for Python: `addBulk`, and a worker with a hundred jobs at once."""

from __future__ import annotations

import time
from typing import Any

from bullmq import Queue, Worker
from protocol import PAYLOAD, URL, handled, serve

CALL = 1_000
QUIET = {"removeOnComplete": True}


async def noop(*_: Any) -> None:
    handled.one()


async def _fill(jobs: int) -> float:
    queue = Queue("bench", {"connection": URL})
    began = time.perf_counter()
    for _ in range(0, jobs, CALL):
        await queue.addBulk(
            [{"name": "noop", "data": PAYLOAD, "opts": QUIET} for _ in range(min(CALL, jobs))]
        )
    took = time.perf_counter() - began
    await queue.close()
    return took


async def enqueue(jobs: int) -> float:
    return await _fill(jobs)


async def drain(jobs: int) -> float:
    await _fill(jobs)
    handled.expect(jobs)
    worker = Worker("bench", noop, {"connection": URL, "concurrency": 100})
    took = await handled.gathered()
    await worker.close(force=True)
    return took


async def extend(jobs: int) -> float:
    await _fill(jobs)
    worker = Worker("bench", noop, {"connection": URL, "autorun": False})
    held = [await worker.getNextJob("mine") for _ in range(jobs)]
    ids = [job.id for job in held if job is not None]
    began = time.perf_counter()
    lost = await worker.backend.extendLocks(ids, ["mine"] * jobs, 30_000)
    took = time.perf_counter() - began
    await worker.close(force=True)
    if lost or len(ids) != jobs:
        raise RuntimeError(f"{len(ids)} locks held, {len(lost)} lost")
    return took


if __name__ == "__main__":
    serve(enqueue, drain, extend)
