"""Reap and promote: what is due becomes ready, once, in bounded steps; what has no row is dropped."""

from __future__ import annotations

import asyncio

import pytest

import emq
from tests.emq.core.makers import Maker, ids


async def test_a_lapsed_lease_is_reaped_counted_and_wakes_a_worker(jobs: emq.Jobs, make: Maker) -> None:
    claim, held = await make.lapsed(), await make.active()
    await make.unwake()

    assert await jobs.reap() == 1

    assert await make.members(make.keys.pending) == [claim.id]
    assert await make.members(make.keys.active) == [held.id]
    assert await make.field(claim.id, "state") == b"pending"
    assert await make.field(claim.id, "stalled") == b"1"
    assert await make.field(claim.id, "attempts") == b"1"
    assert await make.wakes() == 1
    assert await jobs.reap() == 0


async def test_every_lapse_is_counted(jobs: emq.Jobs, make: Maker) -> None:
    claim = await make.reaped()
    await jobs.claim()
    await make.lapse(claim.id)
    await jobs.reap()

    assert await make.field(claim.id, "stalled") == b"2"


async def test_a_lease_lapses_by_the_servers_clock(jobs: emq.Jobs, make: Maker) -> None:
    claim = await make.active(lease_ms=1)

    while await jobs.reap() == 0:
        await asyncio.sleep(0.001)

    assert await make.members(make.keys.pending) == [claim.id]


@pytest.mark.parametrize(("limit", "moved"), [(1, 1), (7, 7), (700, 700), (5_000, 1_100)])
async def test_a_limit_bounds_what_is_moved(jobs: emq.Jobs, make: Maker, limit: int, moved: int) -> None:
    # given 1,100 lapsed leases
    many = ids(1_100)
    await jobs.enqueue_many([(id, b"") for id in many])
    await jobs.claim_batch(1_100)
    await make.conn.command("ZADD", make.keys.active, *(word for id in many for word in ("1", id)))

    # when they are reaped, and promoted after a retry
    assert await jobs.reap(limit) == moved

    assert await jobs.pending_size() == moved


async def test_scheduled_jobs_are_promoted_when_due_and_not_before(jobs: emq.Jobs, make: Maker) -> None:
    due, later = ids(2)
    await jobs.enqueue_at(due, b"x", 1)
    await jobs.enqueue_in(later, b"x", 60_000)

    assert await jobs.promote() == 1

    assert await make.members(make.keys.pending) == [due]
    assert await make.field(due, "state") == b"pending"
    assert await make.wakes() == 1
    assert await jobs.claim() == emq.Claim(due, b"x", 1)
    assert await jobs.promote() == 0


async def test_thousands_are_promoted_in_slices(jobs: emq.Jobs, make: Maker) -> None:
    many = ids(1_100)
    for id in many[:3]:
        await jobs.enqueue_at(id, b"x", 1)
    await jobs.enqueue_many([(id, b"") for id in many[3:]])
    await make.conn.command("DEL", make.keys.pending)
    await make.conn.command("ZADD", make.keys.schedule, *(word for id in many for word in ("1", id)))

    assert await jobs.promote(2_000) == 1_100
    assert [claim.id for claim in await jobs.claim_batch(2_000)] == many


@pytest.mark.parametrize("verb", ["reap", "promote"])
async def test_members_without_a_row_are_dropped_and_counted(jobs: emq.Jobs, make: Maker, verb: str) -> None:
    # given ghosts and garbage beside a real job
    source = make.keys.active if verb == "reap" else make.keys.schedule
    claim = await make.lapsed() if verb == "reap" else await make.scheduled()
    for member in (ids(1)[0], "garbage", "", claim.id):
        await make.conn.command("ZADD", source, 1, member)

    # when they are due
    assert await getattr(jobs, verb)() == 1

    # then only the job waits, and no row was made for the others
    assert await make.members(make.keys.pending) == [claim.id]
    assert await make.members(source) == []
    assert (await jobs.counts()).dropped == 3
    assert len(await make.conn.command("KEYS", make.keys.base + "job:*")) == 1


@pytest.mark.parametrize("state", ["scheduled", "dead", "reaped"])
async def test_a_settled_job_that_a_foreign_client_put_back_into_active_stays_where_it_belongs(
    jobs: emq.Jobs, make: Maker, state: str
) -> None:
    # given an EchoMQ worker that extended a job after it was settled or reaped
    claim: emq.Claim = await getattr(make, state)()
    counts = await jobs.counts()
    stalled = await make.field(claim.id, "stalled")
    await make.lapse(claim.id)

    # when that lapses
    assert await jobs.reap() == 0

    # then the job is in one place only
    assert await jobs.counts() == counts
    assert await make.field(claim.id, "stalled") == stalled


@pytest.mark.parametrize("verb", ["reap", "promote"])
async def test_pending_of_the_wrong_type_is_refused_before_a_job_is_moved(
    jobs: emq.Jobs, make: Maker, verb: str
) -> None:
    source = make.keys.active if verb == "reap" else make.keys.schedule
    claim = await make.lapsed() if verb == "reap" else await make.scheduled()
    await make.conn.command("ZADD", source, 1, claim.id)
    await make.conn.command("DEL", make.keys.pending)
    await make.conn.command("SET", make.keys.pending, "x")

    with pytest.raises(emq.ServerRefused) as refused:
        await getattr(jobs, verb)()

    assert refused.value.code == "WRONGTYPE"
    assert await make.members(source) == [claim.id]


async def test_two_reapers_at_once_move_each_job_once(jobs: emq.Jobs, make: Maker) -> None:
    many = ids(400)
    await jobs.enqueue_many([(id, b"") for id in many])
    await jobs.claim_batch(400)
    await make.conn.command("ZADD", make.keys.active, *(word for id in many for word in ("1", id)))

    moved = await asyncio.gather(*(jobs.reap(400) for _ in range(3)))

    assert sum(moved) == 400
    assert {await make.field(id, "stalled") for id in many[::40]} == {b"1"}


async def test_a_promotion_says_when_the_next_job_is_due(jobs: emq.Jobs, make: Maker) -> None:
    assert await jobs.promote_and_look() == (0, None)

    await jobs.enqueue_in(emq.mint("JOB"), b"", 3_600_000)
    moved, left_ms = await jobs.promote_and_look()
    assert moved == 0
    assert left_ms is not None
    assert 3_500_000 < left_ms <= 3_600_000

    many = emq.mint_many("JOB", 3)
    for id in many:
        await jobs.enqueue_at(id, b"", 1)
    assert await jobs.promote_and_look(2) == (2, 0)
    await jobs.enqueue_at(emq.mint("JOB"), b"", 10**14)
    assert (await jobs.promote_and_look(2))[0] == 1


async def test_a_job_so_far_off_is_looked_for_in_a_day(jobs: emq.Jobs) -> None:
    await jobs.enqueue_at(emq.mint("JOB"), b"", 10**14)

    assert await jobs.promote_and_look() == (0, 86_400_000)


async def test_a_job_that_is_due_first_wakes_a_worker_and_one_that_is_due_later_does_not(
    conn: emq.Connector, queue: str, jobs: emq.Jobs, make: Maker
) -> None:
    # given some ways to schedule a job
    lanes, group = emq.Lanes(conn, queue), emq.group("PLR", 1)
    one, two = await make.active(), await make.active()
    steps = [
        lambda ms: jobs.enqueue_in(emq.mint("JOB"), b"", ms),
        lambda ms: lanes.enqueue_in(group, emq.mint("JOB"), b"", ms),
        lambda ms: jobs.retry(one.id, one.token, delay_ms=ms),
        lambda ms: jobs.delay(two.id, two.token, delay_ms=ms),
    ]
    for ahead, schedule in enumerate(steps):
        await make.unwake()

        # when one is due after another, nobody is woken
        if ahead < 2:
            await jobs.enqueue_in(emq.mint("JOB"), b"", 900_000 - 10_000 * ahead)
            await make.unwake()
            await schedule(950_000)
            assert await make.wakes() == 0

        # when it is due before all others, somebody is
        await schedule(800_000 - 10_000 * ahead)
        assert await make.wakes() == 1
