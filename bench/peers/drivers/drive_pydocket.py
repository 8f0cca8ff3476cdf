"""pydocket: `add_many`, and a worker with a hundred tasks at once."""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import timedelta

from docket import Docket, Worker
from protocol import PAYLOAD, URL, handled, serve


async def noop(payload: str) -> None:
    handled.one()


def _docket() -> Docket:
    # Each task in hand takes a connection, and the client's own limit is lower than a hundred tasks need.
    return Docket(name="bench", url=f"{URL}?max_connections=500", execution_ttl=timedelta(0))


async def _fill(docket: Docket, jobs: int) -> float:
    docket.register(noop)
    began = time.perf_counter()
    await docket.add_many([docket.call(noop)(PAYLOAD) for _ in range(jobs)])
    return time.perf_counter() - began


async def enqueue(jobs: int) -> float:
    async with _docket() as docket:
        return await _fill(docket, jobs)


async def drain(jobs: int) -> float:
    async with _docket() as docket:
        await _fill(docket, jobs)
        handled.expect(jobs)
        short = timedelta(milliseconds=1)
        async with Worker(docket, concurrency=100, minimum_check_interval=short) as worker:
            running = asyncio.create_task(worker.run_forever())
            took = await handled.gathered()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        return took


async def extend(jobs: int) -> float:
    """What a worker sends when it renews its leases: one XCLAIM that names every message."""
    async with _docket() as docket, docket.redis() as redis:
        await _fill(docket, jobs)
        group, stream = docket.worker_group_name, docket.stream_key
        await redis.xgroup_create(stream, group, id="0", mkstream=True)
        ((_, messages),) = await redis.xreadgroup(group, "mine", {stream: ">"}, count=jobs)
        ids = [id for id, _ in messages]
        began = time.perf_counter()
        kept = await redis.xclaim(
            stream, group, "mine", min_idle_time=0, message_ids=ids, idle=0, justid=True
        )
        took = time.perf_counter() - began
        if len(kept) != jobs:
            raise RuntimeError(f"{len(kept)} of {jobs} leases kept")
        return took


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    serve(enqueue, drain, extend)
