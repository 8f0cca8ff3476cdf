"""Jobs with a group: complete, retry, promote and reap keep the books of their lane, arranged here by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

import emq
from tests.emq.core.makers import Maker

GROUP = "PRT0KHTxoFhxxo"

Settle = Callable[[emq.Jobs, emq.Claim], Awaitable[object]]


async def complete(jobs: emq.Jobs, claim: emq.Claim) -> None:
    await jobs.complete(claim.id, claim.token)


async def schedule(jobs: emq.Jobs, claim: emq.Claim) -> None:
    await jobs.retry(claim.id, claim.token, delay_ms=60_000)


async def bury(jobs: emq.Jobs, claim: emq.Claim) -> None:
    await jobs.retry(claim.id, claim.token, max_attempts=1)


settles = pytest.mark.parametrize("settle", [complete, schedule, bury], ids=lambda verb: verb.__name__)


@settles
async def test_a_settled_job_leaves_flight_and_the_count_ends_with_the_last(
    jobs: emq.Jobs, make: Maker, settle: Settle
) -> None:
    one, two = await make.lane_active(GROUP), await make.lane_active(GROUP)

    await settle(jobs, one)
    assert await make.in_flight(GROUP) == 1

    await settle(jobs, two)
    assert await make.in_flight(GROUP) is None


@settles
async def test_a_lane_with_work_comes_back_into_the_rota_and_wakes_a_worker(
    jobs: emq.Jobs, make: Maker, settle: Settle
) -> None:
    # given a lane out of the rota because it was at its limit
    claim = await make.lane_active(GROUP)
    await make.in_lane(GROUP, ring=False)
    await make.conn.command("HSET", make.keys.glimit, GROUP, "1")

    await settle(jobs, claim)

    assert await make.ring() == [GROUP]
    assert await make.wakes() == 1


@settles
@pytest.mark.parametrize("why", ["paused", "empty", "full", "there already"])
async def test_a_lane_that_cannot_be_served_stays_out_of_the_rota(
    jobs: emq.Jobs, make: Maker, settle: Settle, why: str
) -> None:
    claim = await make.lane_active(GROUP)
    if why != "empty":
        await make.in_lane(GROUP, ring=why == "there already")
    if why == "paused":
        await make.conn.command("SADD", make.keys.paused, GROUP)
    if why == "full":
        await make.lane_active(GROUP)
        await make.conn.command("HSET", make.keys.glimit, GROUP, "1")

    await settle(jobs, claim)

    assert await make.ring() == ([GROUP] if why == "there already" else [])
    # A worker is woken to learn when the job is due, and for nothing else.
    assert await make.wakes() == (1 if settle is schedule else 0)


@settles
async def test_a_settle_after_a_reap_takes_the_job_out_of_its_lane_and_an_empty_lane_out_of_the_rota(
    jobs: emq.Jobs, make: Maker, settle: Settle
) -> None:
    # given a lane job whose lease was reaped: it waits in its lane, in flight no longer
    claim = await make.lane_active(GROUP)
    await make.lapse(claim.id)
    assert await jobs.reap() == 1
    assert await make.members(make.keys.lane(GROUP)) == [claim.id]
    assert await make.in_flight(GROUP) is None
    assert await make.ring() == [GROUP]

    # when its late holder settles it
    await settle(jobs, claim)

    # then the lane is empty and out of the rota, and nothing is counted twice
    assert await make.members(make.keys.lane(GROUP)) == []
    assert await make.ring() == []
    assert await make.in_flight(GROUP) is None


@settles
async def test_a_settle_after_a_reap_leaves_a_lane_with_other_work_in_the_rota(
    jobs: emq.Jobs, make: Maker, settle: Settle
) -> None:
    claim = await make.lane_active(GROUP)
    other = await make.in_lane(GROUP)
    await make.lapse(claim.id)
    await jobs.reap()

    await settle(jobs, claim)

    assert await make.members(make.keys.lane(GROUP)) == [other]
    assert await make.ring() == [GROUP]


@settles
async def test_a_group_job_that_waits_in_flat_pending_can_be_settled_there(
    jobs: emq.Jobs, make: Maker, settle: Settle
) -> None:
    claim = await make.lane_active(GROUP)
    await make.conn.command("ZREM", make.keys.active, claim.id)
    await make.conn.command("HDEL", make.keys.gactive, GROUP)
    await make.conn.command("ZADD", make.keys.pending, 0, claim.id)

    await settle(jobs, claim)

    assert await jobs.pending_size() == 0
    assert await make.in_flight(GROUP) is None


async def test_a_reaped_job_returns_to_its_lane_and_the_lane_to_the_rota(jobs: emq.Jobs, make: Maker) -> None:
    # given two jobs in flight in a lane whose limit they fill, one of them lapsed
    lapsed, held = await make.lane_active(GROUP), await make.lane_active(GROUP)
    await make.conn.command("HSET", make.keys.glimit, GROUP, "2")
    await make.lapse(lapsed.id)

    # when leases are reaped
    assert await jobs.reap() == 1

    # then only the lapsed one waits again, in its lane
    assert await make.members(make.keys.lane(GROUP)) == [lapsed.id]
    assert await make.members(make.keys.active) == [held.id]
    assert await make.in_flight(GROUP) == 1
    assert await make.ring() == [GROUP]
    assert await make.wakes() == 1
    assert await jobs.pending_size() == 0


async def test_a_promoted_job_waits_in_its_lane(jobs: emq.Jobs, make: Maker) -> None:
    claim = await make.lane_active(GROUP)
    await schedule(jobs, claim)
    await make.conn.command("ZADD", make.keys.schedule, 1, claim.id)
    await make.unwake()  # the token that says when the job is due

    assert await jobs.promote() == 1

    assert await make.members(make.keys.lane(GROUP)) == [claim.id]
    assert await make.ring() == [GROUP]
    assert await make.wakes() == 1
    assert await make.field(claim.id, "state") == b"pending"


async def test_a_job_promoted_into_a_full_lane_does_not_bring_it_into_the_rota(
    jobs: emq.Jobs, make: Maker
) -> None:
    claim, _held = await make.lane_active(GROUP), await make.lane_active(GROUP)
    await make.conn.command("HSET", make.keys.glimit, GROUP, "1")
    await schedule(jobs, claim)
    await make.conn.command("ZADD", make.keys.schedule, 1, claim.id)
    await make.unwake()  # the token that says when the job is due

    assert await jobs.promote() == 1

    assert await make.members(make.keys.lane(GROUP)) == [claim.id]
    assert await make.ring() == []


async def test_wake_tokens_of_lanes_are_bounded(jobs: emq.Jobs, make: Maker) -> None:
    for _ in range(80):
        claim = await make.lane_active(GROUP)
        await make.conn.command("DEL", make.keys.ring)
        await make.lapse(claim.id)
        await jobs.reap()

    assert await make.wakes() == 64


@pytest.mark.parametrize("verb", ["reap", "promote"])
async def test_a_lane_of_the_wrong_type_loses_no_job(jobs: emq.Jobs, make: Maker, verb: str) -> None:
    # given a key that is no lane
    claim = await make.lane_active(GROUP)
    source = make.keys.active if verb == "reap" else make.keys.schedule
    if verb == "promote":
        await schedule(jobs, claim)
    await make.conn.command("ZADD", source, 1, claim.id)
    await make.conn.command("SET", make.keys.lane(GROUP), "x")

    # when its job should move there
    with pytest.raises(emq.ServerRefused) as refused:
        await getattr(jobs, verb)()

    # then it stays where it is
    assert refused.value.code == "WRONGTYPE"
    assert await make.members(source) == [claim.id]
