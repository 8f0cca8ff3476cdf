"""Flow control: what becomes of admission, of the bot's memory and of a guess's age when scoring cannot keep up."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Sequence
from dataclasses import dataclass

import emq
from bench.admission import Players, databases
from bench.footprint import resident_mib
from codemojex.bursts import Bursts
from codemojex.guess_lanes import GuessLanes
from codemojex.store.engine import open_store

SCORED = 100  # guesses a second: what the worker is held to
TIMES = 10  # as many come in
STAGES = 6
STAGE_S = 4.0
_TURN_S = 0.05
_CLAIM = 10


@dataclass(frozen=True, slots=True)
class _Stage:
    """How it stood at the end of a part of the run.

    Attributes:
        admission_ms: from updates in hand to their commit, the median and the worst of a hundred batches.
        held: guesses in the burst buffer.
        waiting: in the queue.
        oldest_s: how long the first of those has waited.
        mib: what this process holds.
    """

    admission_ms: tuple[float, float]
    held: int
    waiting: int
    oldest_s: float
    mib: float


async def flow(url: str) -> str:
    """The section: guesses come in at ten times the rate at which they are worked off, on a SQLite file.

    Args:
        url: of a queue server that nobody else uses.
    """
    queue = "flow"
    with databases() as found:
        store = open_store(found["SQLite"])
        try:
            async with await emq.connect(url) as conn:
                bursts = Bursts(GuessLanes(conn, queue), store)
                players = Players(store, bursts.add)
                await players.sit_down()
                worker = emq.Worker(conn, queue, batch=_slow, options=emq.WorkerOptions(batch=_CLAIM))
                tasks = [asyncio.create_task(part.run()) for part in (bursts, worker)]
                stages = [await _stage(players, bursts, emq.Admin(conn, queue)) for _ in range(STAGES)]
                worker.stop()
                bursts.stop()
                await asyncio.gather(*tasks)
        finally:
            await store.aclose()
    return _markdown(stages)


async def _slow(jobs: Sequence[emq.HeldJob]) -> None:
    await asyncio.sleep(len(jobs) / SCORED)


async def _stage(players: Players, bursts: Bursts, admin: emq.Admin) -> _Stage:
    count = round(SCORED * TIMES * _TURN_S)
    took: list[float] = []
    began = time.perf_counter()
    for turn in range(1, round(STAGE_S / _TURN_S) + 1):
        rate = await players.guess(count, count)
        took.append(count / rate * 1_000)
        await asyncio.sleep(max(0.0, began + turn * _TURN_S - time.perf_counter()))
    held = bursts.held()
    gc.collect()
    counts, ages = await admin.counts(), await admin.ages()
    took.sort()
    return _Stage(
        (took[len(took) // 2], took[-1]), held, counts.in_lanes, (ages.in_lanes or 0) / 1_000, resident_mib()
    )


def _markdown(stages: Sequence[_Stage]) -> str:
    rows = [
        f"| {number * STAGE_S:.0f} | {at.admission_ms[0]:.1f} | {at.admission_ms[1]:.1f} | {at.held:,} "
        f"| {at.waiting:,} | {at.oldest_s:.1f} | {at.mib:.0f} |"
        for number, at in enumerate(stages, 1)
    ]
    return "\n".join(
        [
            "## Ten times too many",
            "",
            f"What happens when {SCORED * TIMES:,} guesses a second come in and {SCORED} are worked off? SQLite, "
            f"batches of {round(SCORED * TIMES * _TURN_S)}.",
            "",
            "| after, s | admission, median ms | worst ms | held by the bot | waiting in the queue | the oldest, s "
            "| memory, MiB |",
            "|---:|---:|---:|---:|---:|---:|---:|",
            *rows,
            "",
            "Admission and the bot's memory should stay as they are: what waits, waits in the queue and in its row, "
            "and grows older.",
        ]
    )
