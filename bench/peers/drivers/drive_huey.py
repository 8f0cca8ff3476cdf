"""huey: tasks are enqueued one by one, since it has no call for many; results are not kept."""

from __future__ import annotations

import logging
import time

from huey import RedisHuey
from huey.consumer import Consumer
from protocol import PAYLOAD, URL, handled, serve

THREADS = 4

huey = RedisHuey(url=URL, results=False)


@huey.task()
def noop(payload: str) -> None:
    handled.one()


def enqueue(jobs: int) -> float:
    began = time.perf_counter()
    for _ in range(jobs):
        noop(PAYLOAD)
    return time.perf_counter() - began


def drain(jobs: int) -> float:
    enqueue(jobs)
    handled.expect(jobs)
    consumer = Consumer(huey, workers=THREADS, periodic=False)
    consumer.start()
    took = handled.wait()
    consumer.stop(graceful=True)
    return took


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    serve(enqueue, drain)
