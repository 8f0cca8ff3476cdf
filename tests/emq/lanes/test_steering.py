"""An operator's hand on a lane: parked, limited, weighed, moved, emptied; the books stay right."""

from __future__ import annotations

import pytest

import emq
from tests.emq.core.makers import Maker
from tests.emq.lanes.books import A, B, C, fill, wrong


async def test_a_parked_lane_is_skipped_and_keeps_its_backlog(lanes: emq.Lanes, make: Maker) -> None:
    of_a, of_b = await fill(lanes, A, 2), await fill(lanes, B, 2)

    assert await lanes.pause(A) is True
    assert await lanes.pause(A) is False
    assert [claim.id for claim in await lanes.claim_batch(10)] == of_b
    new = await fill(lanes, A, 1)
    assert await lanes.claim() is None
    assert await lanes.depth(A) == 3

    await make.unwake()
    assert await lanes.resume(A) is True
    assert await make.wakes() == 1
    assert await lanes.resume(A) is False
    assert [claim.id for claim in await lanes.claim_batch(10)] == [*of_a, *new]
    assert await wrong(make.conn, lanes.queue) == []


async def test_a_limit_lets_so_many_out_and_the_next_when_one_is_settled(
    lanes: emq.Lanes, make: Maker
) -> None:
    ids = await fill(lanes, A, 8)
    await lanes.limit(A, 3)

    claims = await lanes.claim_batch(8)
    assert [claim.id for claim in claims] == ids[:3]
    assert await lanes.claim_batch(8) == []
    assert await lanes.claim_any(8) == []
    assert await lanes.claim_turn() == []

    await make.unwake()
    await lanes.complete(claims[1].id, claims[1].token)
    assert await make.wakes() == 1
    assert [claim.id for claim in await lanes.claim_batch(8)] == ids[3:4]
    assert await wrong(make.conn, lanes.queue) == []


async def test_a_limit_of_one_keeps_the_order_of_a_lane(lanes: emq.Lanes) -> None:
    ids = await fill(lanes, A, 5)
    await lanes.limit(A, 1)
    seen = []

    while claims := await lanes.claim_batch(10):
        (claim,) = claims
        seen.append(claim.id)
        assert await lanes.claim_batch(10) == []
        await lanes.complete(claim.id, claim.token)

    assert seen == ids


async def test_a_limit_set_below_what_is_in_flight_waits_for_it_to_fall(
    lanes: emq.Lanes, make: Maker
) -> None:
    await fill(lanes, A, 6)
    claims = await lanes.claim_batch(4)
    await lanes.limit(A, 2)
    assert await make.ring() == []

    for claim, in_rota in zip(claims[:3], ([], [], [A]), strict=True):
        await lanes.complete(claim.id, claim.token)
        assert await make.ring() == in_rota
    assert len(await lanes.claim_batch(5)) == 1
    assert await wrong(make.conn, lanes.queue) == []


@pytest.mark.parametrize("how", ["raised", "lifted"])
async def test_a_limit_that_is_raised_or_lifted_serves_the_lane_on(
    lanes: emq.Lanes, make: Maker, how: str
) -> None:
    await fill(lanes, A, 6)
    await lanes.limit(A, 1)
    assert len(await lanes.claim_batch(9)) == 1
    await make.unwake()

    if how == "raised":
        await lanes.limit(A, 3)
    else:
        assert await lanes.unlimit(A) is True
        assert await lanes.unlimit(A) is False

    assert await make.wakes() == 1
    assert len(await lanes.claim_batch(9)) == (2 if how == "raised" else 5)
    assert await wrong(make.conn, lanes.queue) == []


@pytest.mark.parametrize("verb", ["pause", "limit", "unlimit", "weight"])
async def test_a_lane_without_jobs_can_be_steered_and_is_in_no_rota(
    lanes: emq.Lanes, make: Maker, verb: str
) -> None:
    await getattr(lanes, verb)(A, *([5] if verb in ("limit", "weight") else []))
    assert await make.ring() == []

    (id,) = await fill(lanes, A, 1)
    claim = await lanes.claim()

    assert (claim.id if claim else None) == (None if verb == "pause" else id)
    assert await wrong(make.conn, lanes.queue) == []


async def test_a_parked_lane_stays_out_whatever_its_limit_says(lanes: emq.Lanes, make: Maker) -> None:
    await fill(lanes, A, 2)
    await lanes.pause(A)

    await lanes.limit(A, 1)
    await lanes.limit(A, 2)
    await lanes.unlimit(A)

    assert await make.ring() == []


async def test_a_weight_of_one_is_what_every_lane_has(lanes: emq.Lanes, make: Maker) -> None:
    await lanes.weight(A, 7)
    assert await make.conn.command("HGET", make.keys.gweight, A) == b"7"

    await lanes.weight(A, 1)
    assert await make.conn.command("EXISTS", make.keys.gweight) == 0
    with pytest.raises(emq.MalformedArgument):
        await lanes.weight(A, 1_001)


async def test_a_waiting_job_moves_to_another_lane_and_is_counted_there(
    lanes: emq.Lanes, make: Maker
) -> None:
    # given the only job of one lane and one of another
    (id,), (other,) = await fill(lanes, A, 1), await fill(lanes, B, 1)
    await make.unwake()

    # when it moves into a third
    assert await lanes.reassign(id, C) is True
    assert await lanes.reassign(id, C) is False

    # then it waits there at score 0, its old lane is out of the rota, and a claim counts it where it is
    assert await make.score(make.keys.lane(C), id) == 0
    assert await make.field(id, "group") == C.encode()
    assert await make.ring() == [B, C]
    assert await make.wakes() == 1
    assert [claim.id for claim in await lanes.claim_batch(5)] == [other, id]
    assert (await make.in_flight(A), await make.in_flight(C)) == (None, 1)
    assert await wrong(make.conn, lanes.queue) == []


async def test_a_job_in_flight_or_without_a_row_does_not_move(lanes: emq.Lanes, make: Maker) -> None:
    await fill(lanes, A, 1)
    claim = await lanes.claim()
    assert claim is not None

    with pytest.raises(emq.WrongState):
        await lanes.reassign(claim.id, B)
    with pytest.raises(emq.Gone):
        await lanes.reassign(emq.mint("JOB"), B)

    assert await make.field(claim.id, "group") == A.encode()
    assert await wrong(make.conn, lanes.queue) == []


@pytest.mark.parametrize("state", ["flat", "scheduled", "dead"])
async def test_a_job_outside_of_lanes_moves_into_one(
    lanes: emq.Lanes, jobs: emq.Jobs, make: Maker, state: str
) -> None:
    # given a job that waits outside of lanes, or a lane job that is scheduled or dead
    id = await make.waiting()
    if state != "flat":
        assert await lanes.reassign(id, A)
        claim = await lanes.claim()
        assert claim is not None
        await lanes.retry(id, 1, delay_ms=0, max_attempts=1 if state == "dead" else 9)

    assert await lanes.reassign(id, B) is True

    # then it waits there now, or once it is due
    if state == "scheduled":
        await lanes.promote()
    assert await lanes.depth(B) == (0 if state == "dead" else 1)
    assert await jobs.pending_size() == 0
    assert await wrong(make.conn, lanes.queue) == []


async def test_a_drained_lane_is_gone_with_rows_and_logs_and_touches_nothing_else(
    lanes: emq.Lanes, make: Maker
) -> None:
    # given a lane with one job in flight and more waiting than one step removes, beside another lane
    waiting = await fill(lanes, A, 250)
    flying, sibling = await lanes.claim(), await fill(lanes, B, 1)
    assert flying is not None
    await make.conn.command("RPUSH", make.keys.job(waiting[5]) + ":logs", "a line")

    assert await lanes.drain(A) == 249
    assert await lanes.drain(A) == 0

    assert await make.ring() == [B]
    assert await make.in_flight(A) == 1
    assert await lanes.depths() == {B: 1}
    assert await make.conn.command("EXISTS", make.keys.job(waiting[5]) + ":logs") == 0
    assert await make.conn.command("EXISTS", make.keys.job(flying.id), make.keys.job(sibling[0])) == 2
    await lanes.complete(flying.id, flying.token)
    assert await wrong(make.conn, lanes.queue) == []


async def test_a_drain_leaves_jobs_of_flows(lanes: emq.Lanes, make: Maker) -> None:
    child, other = await fill(lanes, A, 2)
    await make.conn.command("HSET", make.keys.job(child), "parent", other)

    assert await lanes.drain(A) == 1

    assert await make.members(make.keys.lane(A)) == [child]
    assert await make.ring() == [A]


async def test_only_the_named_group_is_reaped_however_many_others_lapsed_before(
    lanes: emq.Lanes, make: Maker
) -> None:
    # given 600 lapsed jobs of one lane, more than a step looks at, and two of another that lapsed later
    await fill(lanes, A, 600)
    others = await lanes.claim_batch(600, lease_ms=1)
    mine = await fill(lanes, B, 3)
    await lanes.claim_batch(3)
    for id in mine[:2]:
        await make.conn.command("ZADD", make.keys.active, (await make.server_ms()) - 1, id)

    assert await lanes.reap_group(B, 1) == 1
    assert await lanes.reap_group(B) == 1
    assert await lanes.reap_group(B) == 0

    assert await make.members(make.keys.lane(B)) == mine[:2]
    assert (await make.in_flight(A), await make.in_flight(B)) == (len(others), 1)
    assert await make.field(mine[0], "stalled") == b"1"
    assert await wrong(make.conn, lanes.queue) == []


async def test_depths_tell_of_every_lane_that_has_work(lanes: emq.Lanes) -> None:
    # given lanes in the rota, parked, and at their limit, and one that is named and empty
    for group, count in ((A, 3), (B, 2), (C, 4)):
        await fill(lanes, group, count)
    await lanes.pause(A)
    await lanes.limit(B, 1)
    await lanes.claim_batch(2)
    empty = emq.group("PLR", 77)

    assert await lanes.depths() == {A: 3, B: 1, C: 3}
    assert await lanes.depths([empty, C]) == {empty: 0, C: 3}
