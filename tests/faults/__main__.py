"""A long run of everything here: ``python -m tests.faults --rounds 2 --minutes 20 --seed 1 --write``.

Each round plays the whole matrix on each database with each queue server, side by side; then people play for
so many minutes while things go wrong at random. Seeds are printed; with the same seed the same is tried. With
``--write`` the figures go into docs/reliability.md, unless a promise was broken.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import sys
import traceback
from itertools import product

import emq
from tests.bot.desk import Desk
from tests.faults import places
from tests.faults.fuzzing import pester
from tests.faults.matrix import Matrix, cases
from tests.faults.nursery import Nursery
from tests.faults.report import Figures, write
from tests.faults.soak import Soak
from tests.faults.twin import Walk
from tests.servers import Kind

PAIRS = tuple(product(("sqlite", "postgres"), (Kind.VALKEY, Kind.REDIS7)))
_NEIGHBOUR = 5_000_000_777
_PART_S = 180.0  # a soak is taken in parts no longer than this, each on a fresh deployment


class Run:
    """A long run, its figures and what it broke."""

    def __init__(self, arguments: argparse.Namespace, nursery: Nursery) -> None:
        self.figures = Figures()
        self.broken: list[str] = []
        self.writes = bool(arguments.write)
        self._asked = arguments
        self._nursery = nursery
        self._lanes = asyncio.Semaphore(arguments.lanes)

    async def all(self) -> None:
        """The matrix, then the soak."""
        seed = self._asked.seed
        rounds = [
            self._matrix(database, server, seed + number)
            for number in range(self._asked.rounds)
            for database, server in PAIRS
        ]
        seconds = self._asked.minutes * 60
        parts = math.ceil(seconds / _PART_S)
        soaks = [
            self._soak(*PAIRS[number % len(PAIRS)], seed + number, seconds / parts) for number in range(parts)
        ]
        await asyncio.gather(*rounds)
        await asyncio.gather(*soaks)

    async def more(self) -> None:
        """What needs neither processes nor faults: the queue's twin, and odd updates."""
        if self._asked.steps:
            await self._walk(self._asked.steps, self._asked.seed)
        if self._asked.updates:
            await self._pester(self._asked.updates, self._asked.seed)

    async def _walk(self, steps: int, seed: int) -> None:
        """Ask a queue and its twin the same, so many times."""
        async with places.queue(Kind.VALKEY) as url, await emq.connect(url) as conn:
            walk = Walk(conn, "walk")
            try:
                await walk.wander(random.Random(seed), steps)
            except AssertionError:
                self._note(f"walk seed {seed} step {walk.steps}: {traceback.format_exc()}")
            self.figures.steps += walk.steps

    async def _pester(self, updates: int, seed: int) -> None:
        """Give an intake so many odd updates; every guess of a neighbour must be dealt with."""
        async with places.store("sqlite") as store:
            desk = Desk(store)
            await desk.private(_NEIGHBOUR, "/new")
            guesses = await pester(desk, _NEIGHBOUR, updates, random.Random(seed))
            outcomes = set(await desk.outcomes(guesses))
            if not outcomes <= {"handled", "refused"}:
                self._note(f"fuzzing seed {seed}: a neighbour's guess became {outcomes}")
            self.figures.updates += updates

    async def _matrix(self, database: str, server: Kind, seed: int) -> None:
        async with self._lanes, places.stage(self._nursery, database, server, quiet=True) as stage:
            matrix = Matrix(stage, seed)
            await matrix.seat()
            chosen = cases()
            random.Random(seed).shuffle(chosen)
            for case in chosen:
                try:
                    self.figures.outcomes.append(await matrix.play(case))
                except AssertionError as error:
                    self._note(f"{database} {server} seed {seed}: {error}\n{await stage.explain()}")
                    await stage.mend()
            code, report = await stage.audit()
            if code:
                self._note(f"{database} {server} seed {seed}: {report['violations']}")
            self.figures.kills += stage.kills
            self.figures.cuts += stage.cuts
            print(f"matrix {database} {server} seed {seed}: {len(chosen)} cases", flush=True)

    async def _soak(self, database: str, server: Kind, seed: int, seconds: float) -> None:
        async with self._lanes, places.stage(self._nursery, database, server, workers=2, quiet=True) as stage:
            try:
                soaked = await Soak(stage, seed).run(seconds)
            except AssertionError:
                said = f"{traceback.format_exc()}\n{await stage.explain()}"
                self._note(f"soak {database} {server} seed {seed}: {said}")
                return
            found = soaked.found
            if found.lost or found.doubled or found.thrice or len(found.repeated) > soaked.repeats_possible:
                self._note(f"soak {database} {server} seed {seed}: {found}")
            self.figures.soaks.append(soaked)
            self.figures.soaked_s += seconds
            self.figures.kills += soaked.kills
            self.figures.cuts += soaked.cuts
            print(f"soak {database} {server} seed {seed}: {found.guesses} guesses", flush=True)

    def _note(self, what: str) -> None:
        self.broken.append(what)
        print(f"BROKEN {what}", flush=True)


async def _main(arguments: argparse.Namespace) -> int:
    print(f"seed {arguments.seed}", flush=True)
    async with Nursery() as nursery:
        run = Run(arguments, nursery)
        await run.all()
        _keep(run)  # the rest may take an hour
    await run.more()
    _keep(run)
    print(run.figures.page())
    if run.broken:
        print(f"{len(run.broken)} notes on broken promises, see above", file=sys.stderr)
    return int(bool(run.broken))


def _keep(run: Run) -> None:
    """Put the figures into the page, if that was asked for and every promise held."""
    if run.writes and not run.broken:
        write(run.figures)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults", description="Break everything, at length."
    )
    parser.add_argument("--rounds", type=int, default=1, help="of the matrix, on each pair of servers")
    parser.add_argument("--minutes", type=float, default=12, help="of soak, over all pairs")
    parser.add_argument("--lanes", type=int, default=2, help="deployments side by side")
    parser.add_argument("--steps", type=int, default=0, help="of a walk through the queue's states")
    parser.add_argument("--updates", type=int, default=0, help="fuzzed, given to the intake")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="put the figures into docs/reliability.md")
    return asyncio.run(_main(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
