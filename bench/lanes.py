"""Lanes: enqueue against the server's own limit for that script, claims over many lanes, a worker that drains.

python -m bench.lanes     # prints the tables
"""

from __future__ import annotations

import asyncio

import emq
from bench import floor
from bench.queue import JOBS, PAYLOAD, WORKED, drained, fresh, nothing, timed
from bench.rig import Section, beside, machine, server
from emq.batches import CHUNK

MANY = [emq.group("PLR", number) for number in range(JOBS)]
GROUPS = MANY[:1_000]
SHAPES = {"1,000 lanes": GROUPS, "one lane": GROUPS[:1], "a lane for each job": MANY}


def with_ids(groups: list[str]) -> list[tuple[str, str, bytes]]:
    """A new job for each of some groups."""
    ids = emq.mint_many("JOB", len(groups))
    return [(group, id, PAYLOAD) for group, id in zip(groups, ids, strict=True)]


async def filled(conn: emq.Connector, groups: list[str], count: int = JOBS) -> emq.Lanes:
    """A queue with jobs in each lane, one after the other."""
    lanes = emq.Lanes(conn, fresh())
    for at in range(0, count, 500):
        some = [groups[(at + place) % len(groups)] for place in range(500)]
        await lanes.enqueue_many(with_ids(some))
    return lanes


async def enqueue(url: str, shape: str, groups: list[str]) -> Section:
    """Bursts of 500 over some lanes, ids minted inside, against prepacked bytes of the same script."""
    async with await emq.connect(url) as conn:
        await filled(conn, groups)

        async def limit() -> float:
            return await asyncio.to_thread(
                floor.lane_enqueue_rate, url, fresh(), groups, JOBS, PAYLOAD, 1_000
            )

        async def burst(flights: int, minted: bool = False, chunk: int = CHUNK) -> float:
            lanes = emq.Lanes(conn, fresh(), chunk=chunk)
            ids = [emq.mint("JOB") for _ in range(JOBS if minted else 0)]

            async def send(first: int) -> None:
                for at in range(first, JOBS, 500 * flights):
                    some = [groups[(at + place) % len(groups)] for place in range(500)]
                    if minted:
                        items = zip(some, ids[at : at + 500], [PAYLOAD] * 500, strict=True)
                        await lanes.enqueue_many(items)
                    else:
                        await lanes.enqueue_many(with_ids(some))

            return await timed(JOBS, lambda: asyncio.gather(*(send(500 * f) for f in range(flights))))

        lines = await beside(
            {
                "the server's limit for this script: bytes packed beforehand": limit,
                "item by item, 500 a call, of ids that exist already": lambda: burst(1, minted=True, chunk=1),
                "item by item, 500 a call": lambda: burst(1, chunk=1),
                "item by item, 500 a call, two calls in flight": lambda: burst(2, chunk=1),
                "`Lanes.enqueue_many`, 500 a call": lambda: burst(1),
                "`Lanes.enqueue_many`, 500 a call, two calls in flight": lambda: burst(2),
            },
            conn,
        )
    return Section(
        f"Enqueue into {shape}",
        f"How close does a lane-wise burst come to the server's own limit? {JOBS:,} jobs of 100 bytes.",
        "jobs/s",
        lines,
        "`enqueue_many` puts 200 items into one script call; item by item (`chunk=1`) is one for each. There "
        "is a group for each item; where nothing else is said, ids are minted (`emq.mint_many`) inside the "
        "measured time.",
    )


async def drain(url: str) -> Section:
    """Fair claims, and the public `Worker` over lanes with a handler that does nothing."""
    async with await emq.connect(url) as conn:

        async def claims(groups: list[str]) -> float:
            lanes = await filled(conn, groups)

            async def take() -> None:
                while await lanes.claim_batch(100, lease_ms=60_000):
                    pass

            return await timed(JOBS, take)

        async def completes() -> float:
            lanes = await filled(conn, GROUPS)
            held = await lanes.claim_batch(JOBS, lease_ms=60_000)

            async def settle() -> None:
                for at in range(0, JOBS, 500):
                    await lanes.complete_many([(c.id, c.token) for c in held[at : at + 500]])

            return await timed(JOBS, settle)

        async def worked(groups: list[str]) -> float:
            lanes = await filled(conn, groups, WORKED)
            return WORKED / await drained(conn, lanes.queue, WORKED, batch=nothing)

        async def limit() -> float:
            return await asyncio.to_thread(
                floor.lane_enqueue_rate, url, fresh(), GROUPS, JOBS, PAYLOAD, 1_000
            )

        await filled(conn, GROUPS)
        lines = await beside(
            {
                "the server's limit for enqueue into lanes, in the same run": limit,
                "`claim_batch`, 100 a call, 1,000 lanes": lambda: claims(GROUPS),
                "`claim_batch`, 100 a call, one lane": lambda: claims(GROUPS[:1]),
                "`claim_batch`, 100 a call, a lane for each job": lambda: claims(MANY),
                "`complete_many`, 500 a call, 1,000 lanes": completes,
                "`Worker`, a batch handler that does nothing, 1,000 lanes": lambda: worked(GROUPS),
                "`Worker`, a batch handler that does nothing, one lane": lambda: worked(GROUPS[:1]),
            },
            conn,
        )
    return Section("Claims from lanes", f"How fast are {JOBS:,} jobs in lanes worked off?", "jobs/s", lines)


async def main() -> None:
    """Measure and print."""
    async with server() as url:
        print(f"Measured on {await machine(url)}.\n")
        for shape, groups in SHAPES.items():
            print((await enqueue(url, shape, groups)).markdown(), "\n")
        print((await drain(url)).markdown(), "\n")


if __name__ == "__main__":
    asyncio.run(main())
