"""What the library takes: memory over a million jobs worked, and the time that importing it costs.

python -m bench.footprint     # prints the tables
"""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import time
from pathlib import Path

import emq
from bench.queue import PAYLOAD, nothing
from bench.rig import Section, compare, server

STAGES = 10
STAGE = 100_000


def resident_mib() -> float:
    """What this process holds in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


async def memory(url: str, queue: str = "footprint") -> str:
    """The section: one worker, a million jobs in ten stages, what the process held after each."""
    held: list[float] = []
    async with await emq.connect(url) as conn:
        jobs = emq.Jobs(conn, queue)

        worker = emq.Worker(conn, queue, batch=nothing)
        async with asyncio.TaskGroup() as group:
            group.create_task(worker.run())
            for stage in range(1, STAGES + 1):
                for _ in range(STAGE // 500):
                    await jobs.enqueue_many([(emq.mint("JOB"), PAYLOAD) for _ in range(500)])
                while worker.stats.completed < stage * STAGE:  # noqa: ASYNC110  # a worker signals no count
                    await asyncio.sleep(0.01)
                gc.collect()
                held.append(resident_mib())
            worker.stop()
    grown = (held[-1] - held[0]) / (STAGES - 1)
    rows = [f"| {at * STAGE:,} | {mib:.1f} |" for at, mib in enumerate(held, 1)]
    return "\n".join(
        [
            "## Memory",
            "",
            "What does a process hold that enqueues and works off a million jobs of 100 bytes?",
            "",
            "| jobs worked | MiB |",
            "|---|---:|",
            *rows,
            "",
            f"From the first stage to the last it grew by {grown * 1024:.0f} KiB a stage of {STAGE:,} jobs.",
        ]
    )


async def start() -> Section:
    """How long a program takes that does nothing, and one that only imports."""

    async def program(code: str) -> float:
        began = time.perf_counter()
        await asyncio.to_thread(subprocess.run, [sys.executable, "-c", code], check=True)
        return (time.perf_counter() - began) * 1000

    lines = await compare(
        {
            "`pass`": lambda: program("pass"),
            "`import redis.asyncio`, which is most of emq's": lambda: program("import redis.asyncio"),
            "`import emq`": lambda: program("import emq"),
            "`import codemojex.running`, a worker": lambda: program("import codemojex.running"),
            "`import codemojex.bot_side`, a bot": lambda: program("import codemojex.bot_side"),
        },
        rounds=11,
    )
    return Section(
        "Start", "How long does Python take to start and import what a program needs?", "ms", lines
    )


async def main() -> None:
    """Print the tables."""
    print((await start()).markdown(), "\n")
    async with server() as url:
        print(await memory(url))


if __name__ == "__main__":
    asyncio.run(main())
