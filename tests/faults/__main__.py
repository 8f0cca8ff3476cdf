"""A long run of everything here, or of a part: ``python -m tests.faults --minutes 20 --seed 1 --write``.

Each round plays the whole matrix on each database with each queue server, side by side; then people play for
so many minutes while things go wrong at random; then the queue is compared with its twin, and the intake is given
odd updates. What is not asked for is left out. Seeds are printed; with the same seed the same is tried. With
``--write`` the figures of a part go into docs/reliability.md once it is through, unless it broke a promise.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import sys
import time
import traceback
from dataclasses import dataclass, field
from itertools import product

import emq
from tests.bot.desk import Desk
from tests.faults import places, report
from tests.faults.fuzzing import pester
from tests.faults.matrix import Matrix, Outcome, cases
from tests.faults.nursery import Nursery
from tests.faults.report import Broken, Part
from tests.faults.soak import Soak, Soaked
from tests.faults.stage import Stage
from tests.faults.twin import Walk
from tests.servers import Kind

PAIRS = tuple(product(("sqlite", "postgres"), (Kind.VALKEY, Kind.REDIS7)))
_NEIGHBOUR = 5_000_000_777
_PART_S = 180.0  # a soak is taken in parts no longer than this, each on a fresh deployment


@dataclass
class Notes:
    """What went wrong in a part that nothing excuses, and how much was broken on purpose."""

    promises: list[str] = field(default_factory=list)
    broken: Broken = field(default_factory=Broken)

    def note(self, what: str) -> None:
        self.promises.append(what)
        print(f"BROKEN {what}", flush=True)

    def count(self, stage: Stage) -> None:
        self.broken.kills += stage.kills
        self.broken.cuts += stage.cuts


async def matrix(asked: argparse.Namespace, nursery: Nursery, notes: Notes) -> str:
    """So many rounds of the matrix; its tables."""
    lanes, outcomes = asyncio.Semaphore(asked.lanes), list[Outcome]()

    async def play(database: str, server: Kind, seed: int) -> None:
        async with lanes, places.stage(nursery, database, server, quiet=True) as stage:
            began, played = time.monotonic(), Matrix(stage, seed)
            await played.seat()
            chosen = cases()
            random.Random(seed).shuffle(chosen)
            for case in chosen:
                try:
                    outcomes.append(await played.play(case))
                except Exception:
                    said = traceback.format_exc()
                    notes.note(f"{database} {server} seed {seed}: {said}\n{await stage.explain()}")
                    await stage.mend()
            code, audit = await stage.audit()
            if code:
                notes.note(f"{database} {server} seed {seed}: {audit['violations']}")
            notes.count(stage)
            seconds = time.monotonic() - began
            print(
                f"matrix {database} {server} seed {seed}: {len(chosen)} cases in {seconds:.0f} s", flush=True
            )

    rounds = range(asked.seed, asked.seed + asked.rounds)
    await asyncio.gather(*(play(*pair, seed) for seed in rounds for pair in PAIRS))
    return report.of_matrix(outcomes, notes.broken, asked.rounds)


async def soak(asked: argparse.Namespace, nursery: Nursery, notes: Notes) -> str:
    """So many minutes of soak, over all pairs of servers in turn; its table."""
    lanes, soaks = asyncio.Semaphore(asked.lanes), list[Soaked]()
    parts = math.ceil(asked.minutes * 60 / _PART_S)
    seconds = asked.minutes * 60 / parts

    async def play(database: str, server: Kind, seed: int) -> None:
        async with lanes, places.stage(nursery, database, server, workers=2, quiet=True) as stage:
            name = f"soak {database} {server} seed {seed}"
            try:
                soaked = await Soak(stage, seed).run(seconds)
            except Exception:
                notes.note(f"{name}: {traceback.format_exc()}\n{await stage.explain()}")
                return
            found = soaked.found
            if found.broken or len(found.repeated) > soaked.repeats_possible:
                notes.note(f"{name}: {found}")
            soaks.append(soaked)
            notes.count(stage)
            print(f"{name}: {found.guesses} guesses, {len(soaked.struck)} troubles", flush=True)

    await asyncio.gather(
        *(play(*PAIRS[(asked.pair + number) % len(PAIRS)], asked.seed + number) for number in range(parts))
    )
    return report.of_soak(soaks, notes.broken, seconds * parts)


async def walk(asked: argparse.Namespace, notes: Notes) -> str:
    """Ask a queue and its twin the same, so many times."""
    began = time.monotonic()
    async with places.queue(Kind.VALKEY) as url, await emq.connect(url) as conn:
        walked = Walk(conn, "walk")
        try:
            await walked.wander(random.Random(asked.seed), asked.steps)
        except AssertionError:
            notes.note(f"walk seed {asked.seed} step {walked.steps}: {traceback.format_exc()}")
    return report.of_steps(walked.steps, asked.seed, time.monotonic() - began)


async def fuzz(asked: argparse.Namespace, notes: Notes) -> str:
    """Give an intake so many odd updates; every guess of a neighbour must be dealt with."""
    began = time.monotonic()
    async with places.store("sqlite") as store:
        desk = Desk(store)
        await desk.private(_NEIGHBOUR, "/new")
        guesses = await pester(desk, _NEIGHBOUR, asked.updates, random.Random(asked.seed))
        outcomes = set(await desk.outcomes(guesses))
        if not outcomes <= {"handled", "refused"}:
            notes.note(f"fuzzing seed {asked.seed}: a neighbour's guess became {outcomes}")
    return report.of_updates(asked.updates, len(guesses), asked.seed, time.monotonic() - began)


async def run(asked: argparse.Namespace) -> int:
    """Every part that was asked for; how many promises were broken."""
    print(f"seed {asked.seed}", flush=True)
    broken = 0

    def keep(part: Part, text: str, notes: Notes) -> None:
        nonlocal broken
        broken += len(notes.promises)
        print(text, flush=True)
        if asked.write and not notes.promises:
            report.write(part, text)

    async with Nursery() as nursery:
        if asked.rounds:
            notes = Notes()
            keep(Part.MATRIX, await matrix(asked, nursery, notes), notes)
        if asked.minutes:
            notes = Notes()
            keep(Part.SOAK, await soak(asked, nursery, notes), notes)
    if asked.steps:
        notes = Notes()
        keep(Part.STEPS, await walk(asked, notes), notes)
    if asked.updates:
        notes = Notes()
        keep(Part.UPDATES, await fuzz(asked, notes), notes)
    if broken:
        print(f"{broken} notes on broken promises, see above", file=sys.stderr)
    return broken


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults", description="Break everything, at length."
    )
    parser.add_argument("--rounds", type=int, default=0, help="of the matrix, on each pair of servers")
    parser.add_argument("--minutes", type=float, default=0, help="of soak, over all pairs")
    parser.add_argument("--steps", type=int, default=0, help="of a walk through the queue's states")
    parser.add_argument("--updates", type=int, default=0, help="fuzzed, given to the intake")
    parser.add_argument("--lanes", type=int, default=2, help="deployments side by side")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pair", type=int, default=0, help="0-3: which pair of servers the soak begins with")
    parser.add_argument("--write", action="store_true", help="put the figures into docs/reliability.md")
    asked = parser.parse_args()
    if not (asked.rounds or asked.minutes or asked.steps or asked.updates):
        parser.error("nothing is asked for: see --rounds, --minutes, --steps and --updates")
    return int(asyncio.run(run(asked)) > 0)


if __name__ == "__main__":
    sys.exit(main())
