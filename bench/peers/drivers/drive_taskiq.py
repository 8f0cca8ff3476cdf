"""taskiq with the Redis streams that acknowledge; tasks are kicked a hundred at once, since it has no call for many."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time

from protocol import AT_ONCE, PAYLOAD, URL, handled, many, serve
from taskiq.receiver import Receiver
from taskiq_redis import RedisStreamBroker

_names = itertools.count()


def _broker() -> RedisStreamBroker:
    # A name for each: a receiver that was stopped may still read a little.
    name = f"bench.{next(_names)}"
    broker = RedisStreamBroker(URL, queue_name=name, xread_count=AT_ONCE, xread_block=50)

    @broker.task(task_name="noop")
    async def noop(payload: str) -> None:
        handled.one()

    return broker


async def _fill(broker: RedisStreamBroker, jobs: int) -> float:
    noop = broker.find_task("noop")

    began = time.perf_counter()
    await many(jobs, lambda: noop.kiq(PAYLOAD))
    return time.perf_counter() - began


async def enqueue(jobs: int) -> float:
    broker = _broker()
    await broker.startup()
    took = await _fill(broker, jobs)
    await broker.shutdown()
    return took


async def drain(jobs: int) -> float:
    broker = _broker()
    await broker.startup()
    await _fill(broker, jobs)
    handled.expect(jobs)
    receiver = Receiver(broker, validate_params=False, max_async_tasks=AT_ONCE, max_prefetch=AT_ONCE)
    stop = asyncio.Event()
    running = asyncio.create_task(receiver.listen(stop))
    took = await handled.gathered()
    stop.set()
    # A receiver that is told to stop, or cancelled, waits for the message that it has begun to ask for.
    await _fill(broker, AT_ONCE)
    await running
    await broker.shutdown()
    return took


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    serve(enqueue, drain)
