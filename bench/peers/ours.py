"""emq's own contenders, through its public interface, on the same server and kind of connection as the peers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import emq
from bench import floor
from bench.queue import PAYLOAD, drained, fresh, timed

CALL = 500

Seconds = Callable[[int], Awaitable[float]]


class Ours:
    """What is asked of a peer's driver, asked of emq; every answer is in seconds."""

    def __init__(self, conn: emq.Connector) -> None:
        self._conn = conn

    async def floor(self, jobs: int) -> float:
        """Enqueue bytes that were packed beforehand: what the server itself takes."""
        await emq.Jobs(self._conn, fresh()).enqueue(emq.mint("JOB"), b"")  # so that it knows the script
        rate = await asyncio.to_thread(floor.enqueue_rate, self._conn.url, fresh(), jobs, PAYLOAD, 1_000)
        return jobs / rate

    async def enqueue(self, jobs: int, **options: int) -> float:
        """`enqueue_many`, 500 a call, ids minted on the way."""
        queue = emq.Jobs(self._conn, fresh(), **options)

        async def send() -> None:
            for _ in range(jobs // CALL):
                await queue.enqueue_many([(emq.mint("JOB"), PAYLOAD) for _ in range(CALL)])

        return jobs / await timed(jobs, send)

    async def drain(self, jobs: int, **handler: object) -> float:
        """A `Worker` from its start to the last settlement."""
        queue = await _filled(self._conn, jobs)
        return await drained(self._conn, queue.queue, jobs, **handler)

    async def extend(self, jobs: int) -> float:
        """`extend_locks` of leases that are held."""
        queue = await _filled(self._conn, jobs)
        held = [(claim.id, claim.token) for claim in await queue.claim_batch(jobs)]
        began = time.perf_counter()
        lost = await queue.extend_locks(held, 30_000)
        took = time.perf_counter() - began
        if lost or len(held) != jobs:
            raise RuntimeError(f"{len(held)} leases held, {len(lost)} lost")
        return took


async def _filled(conn: emq.Connector, jobs: int) -> emq.Jobs:
    queue = emq.Jobs(conn, fresh())
    for at in range(0, jobs, CALL):
        await queue.enqueue_many([(emq.mint("JOB"), PAYLOAD) for _ in range(min(CALL, jobs - at))])
    return queue
