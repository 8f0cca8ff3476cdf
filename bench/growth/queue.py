"""A queue with 10,000, 100,000 and 1,000,000 jobs that wait, or are in hand; and batches of 10 to 10,000."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence

import emq
from bench.growth.tables import Figures, Work, alternate, measure

DEPTHS = (10_000, 100_000, 1_000_000)
BATCHES = (10, 100, 1_000, 10_000)
JOBS = 2_000  # of a turn
LEASE_MS = 3_600_000

_PAYLOAD = b"x" * 100
_CALL = 500
_FILL = 1_000
_JOBS_OF_A_LANE = 10

Pairs = list[tuple[str, int]]


class Pending:
    """Jobs that wait in one queue; what comes in goes out again, so the depth stays."""

    def __init__(self, conn: emq.Connector, queue: str) -> None:
        self._jobs = emq.Jobs(conn, queue)
        self._depth = 0

    async def deepen(self, depth: int) -> None:
        """Let so many jobs wait."""
        for at in range(self._depth, depth, _FILL):
            await self._enqueue(min(_FILL, depth - at))
        self._depth = depth

    async def turn(self) -> Figures:
        """Some come in, as many are claimed, held and completed."""
        took = {"enqueue": 0.0, "claim": 0.0, "complete": 0.0}
        for _ in range(0, JOBS, _CALL):
            took["enqueue"] += await _timed(lambda: self._enqueue(_CALL))
        held: Pairs = []
        took["claim"] = await _timed(lambda: _claim(self._jobs, JOBS, 100, held))
        took["extend"] = await _timed(lambda: self._jobs.extend_locks(held[:1_000], LEASE_MS))
        for at in range(0, JOBS, _CALL):
            took["complete"] += await _timed(lambda at=at: self._jobs.complete_many(held[at : at + _CALL]))  # type: ignore[misc]
        took["stats"] = await _timed(self._jobs.counts)
        return {f"{name}, so many wait": seconds for name, seconds in took.items()}

    async def _enqueue(self, count: int) -> None:
        await self._jobs.enqueue_many([(emq.mint("JOB"), _PAYLOAD) for _ in range(count)])


class Active(Pending):
    """Jobs that somebody has in hand."""

    async def deepen(self, depth: int) -> None:
        """Have so many jobs in hand."""
        more = depth - self._depth
        await super().deepen(depth)
        await _claim(self._jobs, more, _FILL, [])

    async def turn(self) -> Figures:
        """Some more are taken in hand, held and completed; nothing has lapsed."""
        for _ in range(0, JOBS, _CALL):
            await self._enqueue(_CALL)
        held: Pairs = []
        took = {"claim": await _timed(lambda: _claim(self._jobs, JOBS, 100, held))}
        took["extend"] = await _timed(lambda: self._jobs.extend_locks(held[:1_000], LEASE_MS))
        took["complete"] = await _timed(lambda: self._jobs.complete_many(held))
        took["reap"] = await _timed(lambda: self._jobs.reap(1_000))
        return {f"{name}, so many in hand": seconds for name, seconds in took.items()}


class InLanes:
    """Jobs that wait in lanes, ten in each."""

    def __init__(self, conn: emq.Connector, queue: str) -> None:
        self._lanes = emq.Lanes(conn, queue)
        self._depth = 0
        self._next = 0

    async def deepen(self, depth: int) -> None:
        """Let so many jobs wait."""
        lanes = depth // _JOBS_OF_A_LANE
        for at in range(self._depth, depth, _FILL):
            await self._enqueue(_FILL, lanes, at)
        self._depth = depth

    async def turn(self) -> Figures:
        """Some come in, as many are claimed and completed."""
        lanes = self._depth // _JOBS_OF_A_LANE
        took = {"enqueue": 0.0}
        for at in range(0, JOBS, _CALL):
            took["enqueue"] += await _timed(lambda at=at: self._enqueue(_CALL, lanes, self._next + at))  # type: ignore[misc]
        self._next += JOBS
        held: Pairs = []
        took["claim"] = await _timed(lambda: _claim(self._lanes, JOBS, 100, held))
        took["complete"] = await _timed(lambda: self._lanes.complete_many(held))
        return {f"{name}, so many wait in lanes": seconds for name, seconds in took.items()}

    async def _enqueue(self, count: int, lanes: int, first: int) -> None:
        groups = [emq.group("PLR", 1 + (first + place) % lanes) for place in range(count)]
        await self._lanes.enqueue_many([(group, emq.mint("JOB"), _PAYLOAD) for group in groups])


async def depths(url: str, sizes: Sequence[int], rounds: int) -> dict[int, Figures]:
    """The same steps in queues of each size."""
    async with await emq.connect(url) as conn:
        await conn.command("FLUSHALL")
        works: dict[int, list[Work]] = {}
        for size in sizes:
            began = time.perf_counter()
            kinds = ("p", Pending), ("a", Active), ("l", InLanes)
            queues = [kind(conn, f"growth.{letter}.{size}") for letter, kind in kinds]
            for queue in queues:
                await queue.deepen(size)
            print(f"queues: {size:,} jobs each ({time.perf_counter() - began:.1f} s)", flush=True)
            works[size] = [queue.turn for queue in queues]
        found = await alternate(works, rounds)
        await conn.command("FLUSHALL")
        return found


async def batches(url: str, sizes: Sequence[int], rounds: int) -> dict[int, Figures]:
    """Each step with batches of each size, in a queue that holds nothing else."""
    async with await emq.connect(url) as conn:
        jobs = emq.Jobs(conn, "growth.b")

        async def one(size: int) -> Figures:
            pairs = [(emq.mint("JOB"), _PAYLOAD) for _ in range(size)]
            verdicts: list[emq.Verdict] = []
            took = {"`enqueue_many`": await _timed(lambda: _enqueue(jobs, pairs, verdicts))}
            if refused := {str(verdict) for verdict in verdicts} - {"enqueued"}:
                raise RuntimeError(f"some jobs were not enqueued: {', '.join(sorted(refused))}")
            held: Pairs = []
            took["`claim_batch`"] = await _timed(lambda: _claim(jobs, size, size, held))
            took["`extend_locks`"] = await _timed(lambda: jobs.extend_locks(held, LEASE_MS))
            took["`complete_many`"] = await _timed(lambda: jobs.complete_many(held))
            return took

        # The small ones more often: they are the ones that a busy machine disturbs.
        return {size: await measure([lambda size=size: one(size)], _turns(size, rounds)) for size in sizes}  # type: ignore[misc]


def _turns(size: int, rounds: int) -> int:
    return rounds * max(1, min(20, 1_000 // size))


async def _enqueue(jobs: emq.Jobs, pairs: list[tuple[str, bytes]], verdicts: list[emq.Verdict]) -> None:
    verdicts += await jobs.enqueue_many(pairs)


async def _claim(jobs: emq.Jobs | emq.Lanes, count: int, call: int, held: Pairs) -> None:
    while len(held) < count:
        # What came before some trouble is returned without it; the next call tells of trouble that lasts.
        claims = await jobs.claim_batch(min(call, count - len(held)), lease_ms=LEASE_MS)
        if not claims:
            raise RuntimeError(f"{len(held)} of {count} jobs were claimed, and no more wait")
        held += [(claim.id, claim.token) for claim in claims]


async def _timed(step: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await step()
    return time.perf_counter() - began
