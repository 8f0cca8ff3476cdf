"""A worker serves lanes and what is outside of them: woken by any lane, never past a limit, whoever is killed."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

import emq
from tests.emq.core.makers import ids
from tests.emq.lanes.books import METRICS, A, B, C, fill, groups, keys_of, wrong
from tests.emq.lanes.working import start
from tests.emq.runtime.conftest import until
from tests.emq.runtime.working import running


async def test_one_worker_serves_lanes_and_what_is_outside_of_them(
    conn: emq.Connector, lanes: emq.Lanes, jobs: emq.Jobs
) -> None:
    # given jobs of three kinds
    expected = dict.fromkeys(await fill(lanes, A, 5), A) | dict.fromkeys(await fill(lanes, B, 5), B)
    flat = ids(5)
    await jobs.enqueue_many([(id, b"x") for id in flat])
    given: dict[str, str | None] = {}

    async def handle(job: emq.HeldJob) -> None:
        given[job.id] = job.group

    # when one worker runs
    async with running(emq.Worker(conn, lanes.queue, each=handle)) as worker:
        await until(lambda: worker.stats.completed == 15)

    # then it was given all, each with its lane, and nothing is left
    assert given == expected | dict.fromkeys(flat)
    assert await keys_of(conn, lanes.queue) == ["metrics:completed"]


@pytest.mark.parametrize("where", ["new lane", "flat", "promoted lane", "resumed lane", "freed lane"])
async def test_a_parked_worker_wakes_on_new_work_wherever_it_is(
    conn: emq.Connector, lanes: emq.Lanes, jobs: emq.Jobs, where: str
) -> None:
    # given a worker that is parked for a long time, and a lane that is parked and one at its limit
    seen = asyncio.Event()

    async def handle(job: emq.HeldJob) -> None:
        seen.set()

    await fill(lanes, A, 1)
    await lanes.pause(A)
    await fill(lanes, B, 2)
    await lanes.limit(B, 1)
    held = await lanes.claim()
    assert held is not None
    await conn.command("DEL", emq.Keyspace(lanes.queue).wake)
    options = emq.WorkerOptions(beat_ms=600_000)
    async with running(emq.Worker(conn, lanes.queue, each=handle, options=options)) as worker:
        await until(lambda: worker._parked is not None)
        assert not seen.is_set()

        # when work comes up
        if where == "new lane":
            await fill(lanes, C, 1)
        elif where == "flat":
            await jobs.enqueue(emq.mint("JOB"), b"")
        elif where == "promoted lane":
            await lanes.enqueue_in(C, emq.mint("JOB"), b"", 0)
            await lanes.promote()
        elif where == "resumed lane":
            await lanes.resume(A)
        else:
            await lanes.complete(held.id, held.token)

        # then it is served at once
        async with asyncio.timeout(60):
            await seen.wait()


async def test_a_handler_that_says_later_frees_the_lane_and_spends_no_attempt(
    conn: emq.Connector, lanes: emq.Lanes
) -> None:
    # given a lane in order, whose first job must wait three times, with two attempts allowed
    first, second = await fill(lanes, A, 2)
    await lanes.limit(A, 1)
    seen: list[tuple[str, int, int]] = []

    async def handle(job: emq.HeldJob) -> None:
        seen.append((job.id, job.attempt, job.token))
        if job.id == first and job.token < 4:
            raise emq.Later(60_000)

    options = emq.WorkerOptions(beat_ms=50, max_attempts=2)
    async with running(emq.Worker(conn, lanes.queue, each=handle, options=options)) as worker:
        # when it waits, the second is served meanwhile
        await until(lambda: worker.stats.completed == 1)

        # when its time comes, again and again
        for delays in (1, 2, 3):
            await until(lambda: worker.stats.delayed == delays)  # noqa: B023
            await conn.command("ZADD", emq.Keyspace(lanes.queue).schedule, "XX", 1, first)
        await until(lambda: worker.stats.completed == 2)

    # then all its claims were its first attempt
    assert seen[1][0] == second
    assert [entry[1:] for entry in seen if entry[0] == first] == [(1, 1), (1, 2), (1, 3), (1, 4)]
    assert (worker.stats.delayed, worker.stats.retried, worker.stats.dead) == (3, 0, 0)
    assert await keys_of(conn, lanes.queue) == ["glimit", "metrics:completed"]


async def test_a_batch_handler_answers_later_for_some(conn: emq.Connector, lanes: emq.Lanes) -> None:
    waits, done = await fill(lanes, A, 1), await fill(lanes, B, 2)

    async def handle(jobs: Sequence[emq.HeldJob]) -> dict[str, emq.Outcome]:
        return {job.id: emq.Later(60_000) for job in jobs if job.id in waits}

    async with running(emq.Worker(conn, lanes.queue, batch=handle)) as worker:
        await until(lambda: worker.stats.delayed == 1 and worker.stats.completed == len(done))

    row = await emq.Admin(conn, lanes.queue).job(waits[0])
    assert row is not None
    assert (row["state"], row["attempts"], row["uncounted"]) == (b"scheduled", b"1", b"1")


@pytest.mark.parametrize("delay", [-1, 1.5, None, True, "5"])
def test_later_takes_whole_milliseconds(delay: int) -> None:
    with pytest.raises(ValueError, match="whole milliseconds"):
        emq.Later(delay)


async def test_the_number_of_attempts_may_be_each_jobs_own(conn: emq.Connector, lanes: emq.Lanes) -> None:
    # given a worker whose cap goes by the lane, and fails for one
    one, two, three = [(await fill(lanes, group, 1))[0] for group in (A, B, C)]

    def most(claim: emq.Claim) -> int:
        if claim.group == C:
            raise RuntimeError("no idea")
        return {A: 1, B: 3}[claim.group or ""]

    attempts: Counter[str] = Counter()

    async def handle(job: emq.HeldJob) -> None:
        attempts[job.id] += 1
        assert job.max_attempts == {one: 1, two: 3, three: 20}[job.id]
        raise emq.Dead("enough") if attempts[job.id] == 5 else RuntimeError("always")

    options = emq.WorkerOptions(beat_ms=20, max_attempts=most, backoff=emq.fixed(0))
    async with running(emq.Worker(conn, lanes.queue, each=handle, options=options)) as worker:
        await until(lambda: worker.stats.dead == 3)

    assert attempts == {one: 1, two: 3, three: 5}


async def test_lapsed_leases_count_towards_the_attempts(conn: emq.Connector, lanes: emq.Lanes) -> None:
    # given a job whose lease lapsed twice
    (id,) = await fill(lanes, A, 1)
    for _ in range(2):
        await lanes.claim()
        await conn.command("ZADD", emq.Keyspace(lanes.queue).active, 1, id)
        await lanes.reap()
    attempts: list[int] = []

    async def handle(job: emq.HeldJob) -> None:
        attempts.append(job.attempt)
        raise RuntimeError("once more")

    # when a worker with three attempts fails it
    options = emq.WorkerOptions(beat_ms=20, max_attempts=3, backoff=emq.fixed(0))
    async with running(emq.Worker(conn, lanes.queue, each=handle, options=options)) as worker:
        await until(lambda: worker.stats.dead == 1)

    assert attempts == [3]


async def test_one_slow_lane_holds_up_no_other(conn: emq.Connector, lanes: emq.Lanes) -> None:
    # given one lane whose jobs never end, at a limit of one, and another
    await fill(lanes, A, 50)
    await lanes.limit(A, 1)
    await fill(lanes, B, 50)
    forever = asyncio.Event()

    async def handle(job: emq.HeldJob) -> None:
        if job.group == A:
            await forever.wait()

    options = emq.WorkerOptions(concurrency=4, grace_ms=100)
    async with running(emq.Worker(conn, lanes.queue, each=handle, options=options)) as worker:
        await until(lambda: worker.stats.completed == 50)

    assert await lanes.depths() == {A: 49}


async def test_no_lane_is_ever_past_its_limit_with_eight_workers_in_four_processes_one_of_them_killed(
    redis7_url: str, queue: str, tmp_path: Path
) -> None:
    # given 40 lanes with limits of one to three
    async with await emq.connect(redis7_url) as conn:
        lanes = emq.Lanes(conn, queue)
        limits = {group: 1 + at % 3 for at, group in enumerate(groups(40))}
        for group, limit in limits.items():
            await lanes.limit(group, limit)
        many = [(group, emq.mint("JOB"), b"") for _ in range(30) for group in limits]

        # when eight workers in four processes serve them, and one process is killed on the way
        notes = [tmp_path / str(at) for at in range(4)]
        workers = [start(redis7_url, queue, path) for path in notes]
        try:
            await until(lambda: all(path.exists() for path in notes), within_s=60)
            assert set(await lanes.enqueue_many(many)) == {emq.ENQUEUED}
            admin, killed, over = emq.Admin(conn, queue), False, []
            deadline = time.monotonic() + 120
            while (await admin.counts()).completed < len(many) and time.monotonic() < deadline:
                flying = await conn.command("HGETALL", emq.Keyspace(queue).gactive)
                now = (
                    dict(flying)
                    if isinstance(flying, dict)
                    else dict(zip(flying[::2], flying[1::2], strict=True))
                )
                over += [group for group, n in now.items() if int(n) > limits[group.decode()]]
                if not killed and (await admin.counts()).completed > len(many) // 3:
                    workers[0].send_signal(signal.SIGKILL)
                    killed = True
                await asyncio.sleep(0.005)
        finally:
            for worker in workers:
                with contextlib.suppress(ProcessLookupError):
                    worker.kill()
                worker.wait(60)

        # then no lane was ever past its limit, neither by the books nor in the workers' hands
        assert killed
        assert over == []
        assert _most_at_once(notes[1:]) <= max(limits.values())
        for group, limit in limits.items():
            assert _most_at_once(notes[1:], group) <= limit
        assert (await admin.counts()).completed == len(many)
        assert set(await keys_of(conn, queue)) - METRICS <= {"glimit"}
        assert await wrong(conn, queue) == []


def _most_at_once(notes: Sequence[Path], group: str | None = None) -> int:
    """The most jobs of one lane that were in hands at one moment."""
    changes = []
    for path in notes:
        for line in path.read_text().splitlines():
            at, change, lane, _id = line.split()
            changes.append((float(at), int(change), lane))
    flying: Counter[str] = Counter()
    most = 0
    for _at, change, lane in sorted(changes):
        flying[lane] += change
        if group is None or lane == group:
            most = max(most, flying[lane])
    return most
