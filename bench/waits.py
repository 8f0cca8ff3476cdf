"""How long another client waits at worst while one of our calls is at work.

python -m bench.waits     # prints the table
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import emq
from bench.probe import another_client
from bench.queue import PAYLOAD, fresh
from bench.rig import server

ROUNDS = 7
COUNT = 10_000
LANES = [emq.group("PLR", number) for number in range(COUNT)]

Prepared = Callable[[], Awaitable[object]]
Step = Callable[[emq.Connector], Awaitable[Prepared]]


@dataclass
class Found:
    """Milliseconds of each round."""

    longest: list[float] = field(default_factory=list)
    script: list[float] = field(default_factory=list)


async def _filled(conn: emq.Connector) -> emq.Jobs:
    jobs = emq.Jobs(conn, fresh())
    await jobs.enqueue_many([(emq.mint("JOB"), PAYLOAD) for _ in range(COUNT)])
    return jobs


async def _laned(conn: emq.Connector, lanes: int) -> emq.Lanes:
    made = emq.Lanes(conn, fresh())
    await made.enqueue_many([(LANES[at % lanes], emq.mint("JOB"), PAYLOAD) for at in range(COUNT)])
    return made


async def nothing(conn: emq.Connector) -> Prepared:
    return lambda: asyncio.sleep(0.1)


async def enqueue(conn: emq.Connector) -> Prepared:
    jobs, burst = emq.Jobs(conn, fresh()), [(emq.mint("JOB"), PAYLOAD) for _ in range(COUNT)]
    return lambda: jobs.enqueue_many(burst)


async def lane_enqueue(conn: emq.Connector) -> Prepared:
    lanes = emq.Lanes(conn, fresh())
    burst = [(LANES[at % 1_000], emq.mint("JOB"), PAYLOAD) for at in range(COUNT)]
    return lambda: lanes.enqueue_many(burst)


async def claim(conn: emq.Connector) -> Prepared:
    jobs = await _filled(conn)
    return lambda: jobs.claim_batch(COUNT)


async def lane_claim(conn: emq.Connector) -> Prepared:
    lanes = await _laned(conn, COUNT)
    return lambda: lanes.claim_batch(COUNT)


async def claim_any(conn: emq.Connector) -> Prepared:
    lanes = await _laned(conn, COUNT)
    return lambda: lanes.claim_any(COUNT)


async def complete(conn: emq.Connector) -> Prepared:
    jobs = await _filled(conn)
    held = [(claim.id, claim.token) for claim in await jobs.claim_batch(COUNT)]
    return lambda: jobs.complete_many(held)


async def lane_complete(conn: emq.Connector) -> Prepared:
    lanes = await _laned(conn, 1_000)
    held = [(claim.id, claim.token) for claim in await lanes.claim_batch(COUNT)]
    return lambda: lanes.complete_many(held)


async def extend(conn: emq.Connector) -> Prepared:
    jobs = await _filled(conn)
    held = [(claim.id, claim.token) for claim in await jobs.claim_batch(COUNT)]
    return lambda: jobs.extend_locks(held, 60_000)


STEPS: dict[str, Step] = {
    "nothing at work": nothing,
    "`Jobs.enqueue_many`": enqueue,
    "`Lanes.enqueue_many` into 1,000 lanes": lane_enqueue,
    "`Jobs.claim_batch`": claim,
    "`Lanes.claim_batch` from 10,000 lanes": lane_claim,
    "`Lanes.claim_any` from 10,000 lanes": claim_any,
    "`Jobs.complete_many`": complete,
    "`Lanes.complete_many` of 1,000 lanes": lane_complete,
    "`Jobs.extend_locks`": extend,
}


async def measure(url: str, step: Step, conn: emq.Connector, found: Found) -> None:
    work = await step(conn)
    async with another_client(url) as waits:
        await conn.command("SLOWLOG", "RESET")
        await work()
        slowest = await conn.command("SLOWLOG", "GET", "-1")
    found.longest.append(waits.longest)
    found.script.append(max((entry[2] for entry in slowest if entry[3][0] == b"EVALSHA"), default=0) / 1000)
    await conn.command("FLUSHALL")
    await conn.command("SET", "{emq}:version", "echomq:3.0.0")


async def waits(url: str) -> str:
    """The section: what a client that asks all the time met, and how long the longest script call took."""
    found = {name: Found() for name in STEPS}
    async with await emq.connect(url, wire=4) as conn:
        await conn.command("CONFIG", "SET", "slowlog-log-slower-than", 100)
        await conn.command("CONFIG", "SET", "slowlog-max-len", 10_000)
        for _ in range(ROUNDS):
            for name, step in STEPS.items():
                await measure(url, step, conn, found[name])
        await conn.command("CONFIG", "SET", "slowlog-log-slower-than", 10_000)
    rows = [
        f"| {name} | {statistics.median(one.longest):.1f} | {statistics.median(one.script):.1f} |"
        for name, one in found.items()
    ]
    return "\n".join(
        [
            "## Another client's longest wait",
            "",
            f"How long does a client wait at worst for a PING while one call works on {COUNT:,} jobs? Milliseconds.",
            "",
            "| | longest wait | longest script call |",
            "|---|---:|---:|",
            *rows,
            "",
            f"Medians of the longest of {ROUNDS} rounds. The first line is what the machine itself lets a client wait; "
            "a script call is what the server says it took.",
        ]
    )


async def main() -> None:
    async with server() as url:
        print(await waits(url))


if __name__ == "__main__":
    asyncio.run(main())
