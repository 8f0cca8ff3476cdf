"""rq: `enqueue_many`, and the worker that forks for nothing."""

from __future__ import annotations

import logging
import time

from protocol import PAYLOAD, URL, handled, serve
from redis import Redis
from rq import Queue, SimpleWorker

CALL = 1_000
# By name, for that is how the worker finds it; importing this file anew would count elsewhere.
NOOP = "protocol.handled.one"


def _fill(jobs: int) -> float:
    queue = Queue(connection=Redis.from_url(URL))
    began = time.perf_counter()
    for _ in range(0, jobs, CALL):
        made = [Queue.prepare_data(NOOP, (PAYLOAD,), result_ttl=0) for _ in range(min(CALL, jobs))]
        queue.enqueue_many(made)
    return time.perf_counter() - began


def enqueue(jobs: int) -> float:
    return _fill(jobs)


def drain(jobs: int) -> float:
    _fill(jobs)
    handled.expect(jobs)
    connection = Redis.from_url(URL)
    SimpleWorker([Queue(connection=connection)], connection=connection).work(burst=True)
    return handled.wait()


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    serve(enqueue, drain)
