"""Measure every queue and write bench/peers.md: `make bench-peers`, or `python -m bench.peers --help`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import emq
from bench.peers import page, scripts
from bench.peers.driver import Broken
from bench.peers.measuring import JOBS, LEASES, SLOW, Everybody, gathered
from bench.peers.roster import PEERS
from bench.rig import machine
from codemojex import loops
from tests.emq.core.constellations import free_ports
from tests.servers import Kind, ServerProcess

PAGE = Path(__file__).parents[1] / "peers.md"


async def main() -> None:
    """Install, measure, print, and write the page."""
    asked = _asked()
    peers = [peer for peer in PEERS if not asked.only or peer.pins in asked.only]
    async with _server(asked.server) as url, await emq.connect(url) as conn:
        where = (await machine(url)).replace("on a unix socket", "on loopback TCP")
        async with gathered(conn, url, peers) as everybody:
            parts = [page.HEAD.format(rounds=asked.rounds), f"Measured on {where}."]
            async for part in _sections(everybody, url, asked.rounds, asked.jobs):
                print(part, "\n", flush=True)
                parts.append(part)
        parts.append(page.promises(peers, everybody.absent))
    if asked.write:
        PAGE.write_text("\n\n".join(part.strip() for part in parts) + "\n", encoding="utf-8")


async def _sections(everybody: Everybody, url: str, rounds: int, jobs: int) -> AsyncIterator[str]:
    slow = f"Who is slower than {SLOW:,} a second is given a fifth of them."
    question = f"How fast do {jobs:,} jobs get in, by the call that takes most of them at once? {slow}"
    yield page.rates("Enqueue", question, await everybody.compare("enqueue", jobs, rounds))
    question = f"How fast are {jobs:,} waiting jobs worked off? {slow}"
    yield page.rates("Drain", question, await everybody.compare("drain", jobs, rounds))
    yield page.leases(await everybody.compare("extend", LEASES, rounds))
    if "BullMQ for Node" in everybody.drivers:
        with contextlib.suppress(Broken):
            text = await everybody.drivers["BullMQ for Node"][1].text("script")
            yield page.scripts(await asyncio.to_thread(scripts.compare, url, text))


@contextlib.asynccontextmanager
async def _server(kind: Kind) -> AsyncIterator[str]:
    """A fresh server on a port of loopback, which every client can dial; it keeps nothing on disk."""
    (port,) = free_ports(1)
    folder = Path(tempfile.mkdtemp(prefix="emq-peers-"))
    options = ("--port", str(port), "--bind", "127.0.0.1", "--appendonly", "no")
    server = ServerProcess(kind, folder / "s", *options).start()
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="turns of each contender")
    parser.add_argument("--jobs", type=int, default=JOBS, help="jobs of a turn")
    parser.add_argument("--only", nargs="*", metavar="PEER", help="sections of pins.toml; all by default")
    parser.add_argument("--server", type=Kind, default=Kind.VALKEY, choices=[Kind.VALKEY, Kind.REDIS7])
    parser.add_argument(
        "--no-write", dest="write", action="store_false", help="print, and leave the page alone"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(loops.run(main))
