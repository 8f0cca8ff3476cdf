"""dramatiq: messages are enqueued one by one, since it has no call for many; no middleware but retries."""

from __future__ import annotations

import logging
import time

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from dramatiq.middleware import Retries
from protocol import PAYLOAD, URL, handled, serve

broker = RedisBroker(url=URL, middleware=[Retries()])
dramatiq.set_broker(broker)


@dramatiq.actor
def noop(payload: str) -> None:
    handled.one()


def enqueue(jobs: int) -> float:
    began = time.perf_counter()
    for _ in range(jobs):
        noop.send(PAYLOAD)
    return time.perf_counter() - began


def drain(jobs: int) -> float:
    enqueue(jobs)
    handled.expect(jobs)
    worker = dramatiq.Worker(broker, worker_threads=8)
    worker.start()
    took = handled.wait()
    worker.stop()
    return took


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    serve(enqueue, drain)
