"""A process with two workers on one queue that notes which jobs of which lanes it has in hand, and when.

As a module it is that process: URL, queue, file. Each line of the file is one change of what is in hand.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import emq


def start(url: str, queue: str, notes: Path) -> subprocess.Popen[bytes]:
    """Start one."""
    return subprocess.Popen([sys.executable, "-m", "tests.emq.lanes.working", url, queue, str(notes)])


async def work(url: str, queue: str, notes: Path) -> None:
    """Two workers, one for each job and one for batches, until they are killed."""
    file = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(change: int, job: emq.HeldJob) -> None:
        os.write(file, f"{time.clock_gettime(time.CLOCK_MONOTONIC)} {change} {job.group} {job.id}\n".encode())

    async def each(job: emq.HeldJob) -> None:
        note(1, job)
        await asyncio.sleep(0.002)
        note(-1, job)

    async def batch(jobs: object) -> None:
        given: list[emq.HeldJob] = list(jobs)  # type: ignore[call-overload]
        for job in given:
            note(1, job)
        await asyncio.sleep(0.004)
        for job in given:
            note(-1, job)

    options = emq.WorkerOptions(beat_ms=200, lease_ms=8_000)
    async with await emq.connect(url) as conn:
        one = emq.Worker(conn, queue, each=each, options=options)
        two = emq.Worker(conn, queue, batch=batch, options=options)
        await asyncio.gather(one.run(), two.run())


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
