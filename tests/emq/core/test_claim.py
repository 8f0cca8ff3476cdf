"""Claim: the oldest waiting job, a fresh token, a lease on the server's clock; never a ghost, never in a pause."""

from __future__ import annotations

import asyncio

import pytest

import emq
from emq.scripts import script
from tests.emq.core.makers import Maker, ids

GROUP = "PRT0KHTxoFhxxo"


async def test_a_claim_is_the_oldest_job_with_token_1_and_a_lease(jobs: emq.Jobs, make: Maker) -> None:
    # given two jobs, the older enqueued last
    older, newer = ids(2)
    await jobs.enqueue_many([(newer, b"new"), (older, b"old")])
    before = await make.server_ms()

    # when one is claimed
    claim = await jobs.claim(lease_ms=5_000)
    after = await make.server_ms()

    # then it is the older, in flight until its deadline
    assert claim == emq.Claim(older, b"old", 1, None)
    assert before + 5_000 <= (await make.score(make.keys.active, older) or 0) <= after + 5_000
    assert await make.field(older, "state") == b"active"
    assert await make.members(make.keys.pending) == [newer]


async def test_each_claim_of_a_job_has_the_next_token(jobs: emq.Jobs, make: Maker) -> None:
    first = await make.reaped()

    second = await jobs.claim()

    assert second == emq.Claim(first.id, first.payload, 2, None)


async def test_an_empty_queue_hands_out_nothing(jobs: emq.Jobs) -> None:
    assert await jobs.claim() is None
    assert await jobs.claim_batch(5) == []


async def test_a_batch_is_the_oldest_in_order_under_one_deadline(jobs: emq.Jobs, make: Maker) -> None:
    many = ids(7)
    await jobs.enqueue_many([(id, id) for id in reversed(many)])

    claims = await jobs.claim_batch(5)

    assert [(claim.id, claim.payload.decode(), claim.token) for claim in claims] == [
        (id, id, 1) for id in many[:5]
    ]
    assert len({await make.score(make.keys.active, id) for id in many[:5]}) == 1
    assert [claim.id for claim in await jobs.claim_batch(5)] == many[5:]


async def test_a_batch_larger_than_a_slice_is_claimed_whole(jobs: emq.Jobs) -> None:
    many = ids(1_203)
    await jobs.enqueue_many([(id, b"") for id in many])

    claims = await jobs.claim_batch(1_200)

    assert [claim.id for claim in claims] == many[:1_200]


async def test_ten_claimers_at_once_never_share_a_job(jobs: emq.Jobs) -> None:
    many = ids(300)
    await jobs.enqueue_many([(id, b"") for id in many])

    batches = await asyncio.gather(*(jobs.claim_batch(40) for _ in range(10)))

    assert sorted(claim.id for batch in batches for claim in batch) == many


@pytest.mark.parametrize("number", [0, -1, 1.5, True, "5", 10**15])
async def test_numbers_out_of_range_are_refused_before_anything_is_sent(
    jobs: emq.Jobs, make: Maker, number: int
) -> None:
    await make.waiting()

    for claiming in (
        jobs.claim(lease_ms=number),
        jobs.claim_batch(5, lease_ms=number),
        jobs.claim_batch(number),
        jobs.promote(number),
        jobs.reap(number),
    ):
        with pytest.raises(emq.MalformedArgument):
            await claiming

    assert await jobs.pending_size() == 1


@pytest.mark.parametrize("text", ["0", "1e3", " 5", "05", "-1", "5.0", "", "0x10", "9999999999999999"])
async def test_the_scripts_take_digits_only_and_touch_nothing_else(make: Maker, text: str) -> None:
    id = await make.waiting()
    k = make.keys

    for verb, keys, args in (
        ("claim", (k.pending, k.active), (k.base, text)),
        ("claim_batch", (k.pending, k.active), (k.base, text, "5")),
        ("claim_batch", (k.pending, k.active), (k.base, "5", text)),
        ("promote", (k.schedule, k.pending), (k.base, text)),
        ("reap", (k.active, k.pending), (k.base, text)),
    ):
        with pytest.raises(emq.ServerRefused) as refused:
            await make.conn.run(script(verb), keys, args)
        assert refused.value.code == "EMQARG"

    assert await make.members(k.pending) == [id]
    assert await make.field(id, "attempts") == b"0"


async def test_a_paused_queue_hands_out_nothing_and_takes_in_everything(
    jobs: emq.Jobs, make: Maker, queue: str
) -> None:
    # given a paused queue
    admin = emq.Admin(make.conn, queue)
    await admin.pause()
    assert await admin.paused()

    # when a job comes in, no claim gets it
    id = await make.waiting()
    assert await jobs.claim() is None
    assert await jobs.claim_batch(5) == []
    assert await make.members(make.keys.pending) == [id]

    # then resuming wakes a parked worker, and the claim gets it
    await make.unwake()
    await admin.resume()
    assert not await admin.paused()
    assert await make.wakes() == 1
    assert (await jobs.claim() or make).id == id  # type: ignore[union-attr]


async def test_resuming_an_empty_queue_wakes_nobody_and_a_lane_in_the_rota_does(
    make: Maker, queue: str
) -> None:
    admin = emq.Admin(make.conn, queue)
    await admin.pause()
    await admin.resume()
    assert await make.wakes() == 0

    await make.in_lane(GROUP)
    await admin.resume()
    assert await make.wakes() == 1


async def test_active_of_the_wrong_type_is_refused_before_a_job_is_taken(jobs: emq.Jobs, make: Maker) -> None:
    id = await make.waiting()
    await make.conn.command("SET", make.keys.active, "x")

    for claiming in (jobs.claim(), jobs.claim_batch(5)):
        with pytest.raises(emq.ServerRefused) as refused:
            await claiming
        assert refused.value.code == "WRONGTYPE"

    assert await make.members(make.keys.pending) == [id]
    assert await make.field(id, "attempts") == b"0"


async def test_a_claim_that_leaves_work_passes_the_wake_on_and_the_last_one_does_not(
    jobs: emq.Jobs, make: Maker
) -> None:
    # given three jobs whose wake token a worker took
    await jobs.enqueue_many([(id, b"") for id in ids(3)])
    await make.unwake()

    # when one is claimed, another worker is told
    await jobs.claim()
    assert await make.wakes() == 1

    # when the token is still there, it is not doubled
    await jobs.claim_batch(1)
    assert await make.wakes() == 1

    # when the last is claimed, nobody is told
    await make.unwake()
    await jobs.claim_batch(1)
    assert await make.wakes() == 0


async def test_a_waiting_job_with_a_group_is_in_flight_there_once_claimed(
    jobs: emq.Jobs, make: Maker
) -> None:
    # given a lane job that a foreign client put into flat pending, its group at a limit of two
    id = await make.in_lane(GROUP)
    await make.lane_active(GROUP)
    await make.conn.command("ZADD", make.keys.pending, 0, id)
    await make.conn.command("HSET", make.keys.glimit, GROUP, "2")

    # when it is claimed
    claim = await jobs.claim()

    # then it counts as in flight, and its group has left the rota
    assert claim is not None
    assert claim.group == GROUP
    assert await make.in_flight(GROUP) == 2
    assert await make.ring() == []


async def test_counts_tell_where_the_jobs_are(jobs: emq.Jobs, make: Maker, queue: str) -> None:
    await make.gone()
    await make.dead()
    await make.scheduled()
    await make.active()
    await make.waiting()
    await make.waiting()

    assert await jobs.counts() == emq.Counts(2, 1, 1, 1, completed=1, failed=1, dropped=0)
    assert await emq.Admin(make.conn, queue).counts() == await jobs.counts()
    assert await jobs.pending_size() == 2


async def test_the_row_of_no_job_is_none(make: Maker, queue: str) -> None:
    assert await emq.Admin(make.conn, queue).job(emq.mint("JOB")) is None
