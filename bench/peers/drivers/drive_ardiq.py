"""ArdiQ: `enqueue_many` of its Rust core, and a worker with hundreds of tasks at once."""

from __future__ import annotations

import asyncio
import time

from ardiq import Ardiq
from protocol import PAYLOAD, URL, handled, serve

CALL = 1_000


def _app() -> Ardiq:
    app = Ardiq(URL, concurrency=500, prefetch=1_000, result_ttl_ms=1)

    @app.task(name="noop")
    async def noop(payload: str) -> None:
        handled.one()

    return app


async def _fill(app: Ardiq, jobs: int) -> float:
    noop = app.ref("noop")
    began = time.perf_counter()
    for _ in range(0, jobs, CALL):
        await app.enqueue_many([noop.prepare(PAYLOAD) for _ in range(min(CALL, jobs))])
    return time.perf_counter() - began


async def enqueue(jobs: int) -> float:
    return await _fill(_app(), jobs)


async def drain(jobs: int) -> float:
    app = _app()
    await _fill(app, jobs)
    handled.expect(jobs)
    running = asyncio.create_task(app.run())
    took = await handled.gathered()
    app.stop()
    await asyncio.gather(running, return_exceptions=True)
    return took


if __name__ == "__main__":
    serve(enqueue, drain)
