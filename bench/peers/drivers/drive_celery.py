"""Celery: tasks are sent one by one, since it has no call for many; no results, a pool of threads."""

from __future__ import annotations

import logging
import threading
import time

from celery import Celery
from protocol import PAYLOAD, URL, handled, serve

THREADS = 8

app = Celery("bench", broker=URL)
app.conf.update(
    task_ignore_result=True,
    worker_prefetch_multiplier=64,
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    broker_connection_retry_on_startup=False,
)


@app.task(name="noop")
def noop(payload: str) -> None:
    handled.one()


def enqueue(jobs: int) -> float:
    began = time.perf_counter()
    with app.producer_pool.acquire(block=True) as producer:
        for _ in range(jobs):
            noop.apply_async((PAYLOAD,), producer=producer)
    return time.perf_counter() - began


def drain(jobs: int) -> float:
    enqueue(jobs)
    handled.expect(jobs)
    worker = app.WorkController(
        pool="threads",
        concurrency=THREADS,
        loglevel="ERROR",
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    threading.Thread(target=worker.start, daemon=True).start()
    took = handled.wait()
    worker.stop()
    return took


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    serve(enqueue, drain)
