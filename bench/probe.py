"""Another client: it asks the server one small thing after the other, and says how long the longest answer took.

`python -m bench.probe unix:///path` begins, prints a line when it does, and ends when its input does.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
import socket
import statistics
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import urlsplit

ASK = b"*1\r\n$4\r\nPING\r\n"
REST_S = 0.0002


@dataclass
class Waits:
    """Milliseconds that the other client waited."""

    longest: float = 0.0
    usual: float = 0.0


def probe(path: str) -> Waits:
    """Ask until the input ends."""
    waited: list[float] = []
    with socket.socket(socket.AF_UNIX) as wire:
        wire.connect(path)
        print("asking", flush=True)
        while not select.select([sys.stdin], [], [], REST_S)[0]:
            asked_at = time.perf_counter()
            wire.sendall(ASK)
            wire.recv(64)
            waited.append((time.perf_counter() - asked_at) * 1000)
    return Waits(max(waited, default=0.0), statistics.median(waited or [0.0]))


@contextlib.asynccontextmanager
async def another_client(url: str) -> AsyncIterator[Waits]:
    """It asks inside the block, from a process of its own; what it met is there after the block."""
    found = Waits()
    pipe = asyncio.subprocess.PIPE
    argv = [sys.executable, "-m", "bench.probe", urlsplit(url).path]
    child = await asyncio.create_subprocess_exec(*argv, stdin=pipe, stdout=pipe)
    assert child.stdout is not None  # noqa: S101
    await child.stdout.readline()
    try:
        yield found
    finally:
        told, _ = await child.communicate(b"")  # which also closes its input
        found.longest, found.usual = map(float, told.split())


if __name__ == "__main__":
    waits = probe(sys.argv[1])
    print(waits.longest, waits.usual)
