"""arq: jobs are enqueued one by one, here a hundred at once, since it has no call for many."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from arq import create_pool
from arq.connections import ArqRedis, RedisSettings
from arq.worker import Worker
from protocol import PAYLOAD, URL, handled, many, serve


async def noop(_: dict[str, Any], payload: str) -> None:
    handled.one()


async def _fill(pool: ArqRedis, jobs: int) -> None:
    await many(jobs, lambda: pool.enqueue_job("noop", PAYLOAD))


async def _pool() -> ArqRedis:
    return await create_pool(RedisSettings.from_dsn(URL))


async def enqueue(jobs: int) -> float:
    pool = await _pool()
    began = time.perf_counter()
    await _fill(pool, jobs)
    took = time.perf_counter() - began
    await pool.aclose()
    return took


async def drain(jobs: int) -> float:
    pool = await _pool()
    await _fill(pool, jobs)
    handled.expect(jobs)
    worker = Worker(
        [noop],
        redis_pool=pool,
        handle_signals=False,
        max_jobs=100,
        queue_read_limit=1_000,
        poll_delay=0.001,
        keep_result=0,
        log_results=False,
    )
    running = asyncio.create_task(worker.async_run())
    took = await handled.gathered()
    # Closing cancels whoever still writes down that a job is done, and that ends this program too.
    await asyncio.gather(*worker.tasks.values(), return_exceptions=True)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await worker.close()
    return took


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    serve(enqueue, drain)
