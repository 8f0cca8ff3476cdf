"""The queue: enqueue against the server's own limit, claim, complete, and a worker that drains."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable

import emq
from bench import floor
from bench.rig import Section, beside
from emq.batches import CHUNK

JOBS = 10_000
WORKED = 50_000
PAYLOAD = b"x" * 100
_names = itertools.count()


def fresh() -> str:
    """A queue nobody has used."""
    return f"bench.{next(_names)}"


async def timed(count: int, work: Callable[[], Awaitable[object]]) -> float:
    """How many of ``count`` things a second."""
    began = time.perf_counter()
    await work()
    return count / (time.perf_counter() - began)


async def filled(conn: emq.Connector, count: int = JOBS) -> emq.Jobs:
    """A queue with jobs waiting."""
    jobs = emq.Jobs(conn, fresh())
    for _ in range(count // 500):
        await jobs.enqueue_many([(id, PAYLOAD) for id in emq.mint_many("JOB", 500)])
    return jobs


async def nothing(_: object) -> None:
    """A handler that does nothing."""


async def drained(conn: emq.Connector, queue: str, count: int, **handler: object) -> float:
    """Have a `Worker` work off so many jobs; the seconds from its start to the last settlement."""
    worker = emq.Worker(conn, queue, **handler)  # type: ignore[arg-type]
    async with asyncio.TaskGroup() as group:
        began = time.perf_counter()
        group.create_task(worker.run())
        while worker.stats.completed < count:  # noqa: ASYNC110  # a worker signals no count
            await asyncio.sleep(0.002)
        took = time.perf_counter() - began
        worker.stop()
    return took


async def enqueue(url: str) -> Section:
    """Bursts of 500 and 100 against prepacked bytes; ids are minted inside, or there are some already."""

    async def by(
        conn: emq.Connector, size: int, flights: int = 1, minted: bool = False, chunk: int = CHUNK
    ) -> float:
        jobs = emq.Jobs(conn, fresh(), chunk=chunk)
        ids = iter([emq.mint("JOB") for _ in range(JOBS if minted else 0)])

        async def send(bursts: int) -> None:
            for _ in range(bursts):
                if minted:
                    await jobs.enqueue_many([(id, PAYLOAD) for id in itertools.islice(ids, size)])
                else:
                    await jobs.enqueue_many([(id, PAYLOAD) for id in emq.mint_many("JOB", size)])

        share = JOBS // size // flights
        return await timed(JOBS, lambda: asyncio.gather(*(send(share) for _ in range(flights))))

    async with await emq.connect(url) as conn:
        await emq.Jobs(conn, fresh()).enqueue(emq.mint("JOB"), b"")

        async def limit() -> float:
            return await asyncio.to_thread(floor.enqueue_rate, url, fresh(), JOBS, PAYLOAD, 1_000)

        lines = await beside(
            {
                "the server's limit: bytes packed beforehand, 1,000 a flush": limit,
                "item by item, 500 a call, of ids that exist already": lambda: by(
                    conn, 500, minted=True, chunk=1
                ),
                "item by item, 500 a call": lambda: by(conn, 500, chunk=1),
                "item by item, 500 a call, two calls in flight": lambda: by(conn, 500, 2, chunk=1),
                "`enqueue_many`, 500 a call": lambda: by(conn, 500),
                "`enqueue_many`, 500 a call, two calls in flight": lambda: by(conn, 500, 2),
                "`enqueue_many`, 1,000 a call, two calls in flight": lambda: by(conn, 1_000, 2),
                "`enqueue_many`, 100 a call": lambda: by(conn, 100),
                "`enqueue_many`, 100 a call, two calls in flight": lambda: by(conn, 100, 2),
            },
            conn,
        )
    return Section(
        "Enqueue",
        f"How close does `enqueue_many` come to the server's own limit? {JOBS:,} jobs of 100 bytes.",
        "jobs/s",
        lines,
        "`enqueue_many` puts 200 items into one script call; item by item (`chunk=1`) is one for each. Where "
        "nothing else is said, ids are minted (`emq.mint_many`) inside the measured time.",
    )


async def drain(url: str) -> Section:
    """Claims, settlements, and the public `Worker` with a handler that does nothing."""
    async with await emq.connect(url) as conn:

        async def limit() -> float:
            return await asyncio.to_thread(floor.enqueue_rate, url, fresh(), JOBS, PAYLOAD, 1_000)

        async def claims(size: int) -> float:
            jobs = await filled(conn)

            async def take() -> None:
                while await jobs.claim_batch(size, lease_ms=60_000):
                    pass

            return await timed(JOBS, take)

        async def completes(chunk: int, size: int = 500) -> float:
            queue = (await filled(conn)).queue
            jobs = emq.Jobs(conn, queue, chunk=chunk)
            held = await jobs.claim_batch(JOBS, lease_ms=60_000)

            async def settle() -> None:
                for at in range(0, JOBS, size):
                    await jobs.complete_many([(c.id, c.token) for c in held[at : at + size]])

            return await timed(JOBS, settle)

        async def worked(**handler: object) -> float:
            jobs = await filled(conn, WORKED)
            return WORKED / await drained(conn, jobs.queue, WORKED, **handler)

        await filled(conn)
        lines = await beside(
            {
                "the server's limit for enqueue, in the same run": limit,
                "`claim_batch`, 100 a call": lambda: claims(100),
                "`claim_batch`, 500 a call": lambda: claims(500),
                "completing item by item, 500 a call": lambda: completes(1),
                "`complete_many`, 500 a call": lambda: completes(CHUNK),
                "`complete_many`, 100 a call": lambda: completes(CHUNK, 100),
                "`Worker` with a batch handler that does nothing": lambda: worked(batch=nothing),
                "`Worker` with a handler for each job that does nothing": lambda: worked(each=nothing),
            },
            conn,
        )
    return Section(
        "Claim, complete, drain",
        f"How fast are {JOBS:,} waiting jobs worked off?",
        "jobs/s",
        lines,
        f"A `Worker` has {WORKED:,}: opening its connections takes as long as a thousand jobs, and is measured too.",
    )
