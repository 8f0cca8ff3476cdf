"""Measure what grows and write bench/growth.md: `make bench-growth`, or `python -m bench.growth --help`."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from bench.admission import databases
from bench.growth import game, queue
from bench.growth.tables import by_batch, by_depth
from bench.rig import machine, server
from codemojex import loops

PAGE = Path(__file__).parents[1] / "growth.md"

HEAD = """# Growth

Does a step become slower with what is stored already, or worse than linearly with its batch? Written by
`make bench-growth`; run it again to check. All sizes take turns. Figures are medians of {rounds} turns; only the ratios
mean anything.

{machine}
"""

DEPTH = """## The queue, by what is in it

{jobs:,} jobs of 100 bytes come in, are claimed by 100, and completed, in queues where so many others wait or are in
hand; leases are extended 250 in one call. In lanes, ten jobs wait in each.
"""

BATCH = """## The queue, by the batch

What one job costs in one call of each size.
"""

STORED = """## The game on {name}, by what is in the database

{batch} guesses of as many players are admitted in one batch, scored in another, and their results told; {ended} games
are given up. In the database there are so many scored guesses already, a tenth as many games, a hundredth as many
players; one player in ten has blocked the bot. Somebody in the middle of /top has half of the players before them, and
is told a rank up to 10,000. The last line reads every row there is, as it must.
"""

GUESSES = """## The game on {name}, by the batch

What one guess costs in batches of each size.
"""


async def main() -> None:
    """Measure, print, and write the page."""
    asked = _asked()
    parts = []
    async for part in _sections(asked.rounds, asked.most):
        print(part, "\n", flush=True)
        parts.append(part.strip())
    if asked.write:
        PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


async def _sections(rounds: int, most: int) -> AsyncIterator[str]:
    async with server() as url:
        yield HEAD.format(rounds=rounds, machine=f"Measured on {await machine(url)}.")
        yield DEPTH.format(jobs=queue.JOBS)
        yield by_depth("so many jobs", await queue.depths(url, _up_to(most, queue.DEPTHS), rounds))
        yield BATCH
        yield by_batch(await queue.batches(url, queue.BATCHES, rounds))
    with contextlib.ExitStack() as stack:
        sizes = _up_to(most, game.STORED)
        found = {size: stack.enter_context(databases()) for size in sizes}
        for name in found[sizes[0]]:
            yield STORED.format(name=name, batch=game.BATCH, ended=game.ENDED)
            urls = {size: each[name] for size, each in found.items()}
            yield by_depth("so many guesses", await game.stored(urls, rounds))
    with databases() as empty:
        for name, url in empty.items():
            yield GUESSES.format(name=name)
            yield by_batch(await game.batches(url, game.BATCHES, rounds))


def _up_to(most: int, sizes: Sequence[int]) -> list[int]:
    return [size for size in sizes if size <= most]


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="turns of each step")
    parser.add_argument("--most", type=int, default=1_000_000, help="jobs or guesses that are stored at most")
    parser.add_argument(
        "--no-write", dest="write", action="store_false", help="print, and leave the page alone"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(loops.run(main))
