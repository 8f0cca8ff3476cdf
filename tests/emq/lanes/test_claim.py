"""Out of lanes: turn by turn, never a ghost, never past a limit, never in a pause."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

import emq
from emq.scripts import script
from tests.emq.core.makers import Maker, ids
from tests.emq.lanes.books import A, B, C, fill, wrong


async def one_by_one(lanes: emq.Lanes, count: int) -> list[emq.Claim]:
    claims = [await lanes.claim() for _ in range(count)]
    return [claim for claim in claims if claim is not None]


@pytest.mark.parametrize("batch", [1, 2, 4, 10])
async def test_two_lanes_are_served_by_turns_the_oldest_of_each_first(lanes: emq.Lanes, batch: int) -> None:
    of_a, of_b = await fill(lanes, A, 2), await fill(lanes, B, 2)

    claims = [claim for _ in range(4 // min(batch, 4)) for claim in await lanes.claim_batch(batch)]

    assert [(claim.group, claim.id) for claim in claims] == [
        (A, of_a[0]), (B, of_b[0]), (A, of_a[1]), (B, of_b[1])
    ]  # fmt: skip
    assert {claim.token for claim in claims} == {1}
    assert await lanes.claim() is None


async def test_a_claim_is_a_job_in_flight_under_a_lease_and_counted_in_its_lane(
    lanes: emq.Lanes, make: Maker
) -> None:
    (id,) = await fill(lanes, A, 1)
    before = await make.server_ms()

    claim = await lanes.claim(lease_ms=5_000)
    after = await make.server_ms()

    assert claim == emq.Claim(id, b"x", 1, A)
    assert before + 5_000 <= (await make.score(make.keys.active, id) or 0) <= after + 5_000
    assert await make.in_flight(A) == 1
    assert await make.ring() == []
    await lanes.complete(id, 1)
    assert await make.in_flight(A) is None


async def test_a_batch_serves_many_lanes_under_one_deadline(lanes: emq.Lanes, make: Maker) -> None:
    for group, count in ((A, 100), (B, 3), (C, 1)):
        await fill(lanes, group, count)

    claims = await lanes.claim_batch(20)

    assert Counter(claim.group for claim in claims) == {A: 16, B: 3, C: 1}
    assert [claim.group for claim in claims[:3]] == [A, B, C]
    assert len({await make.score(make.keys.active, claim.id) for claim in claims}) == 1
    assert await wrong(make.conn, lanes.queue) == []


async def test_a_batch_larger_than_a_slice_is_claimed_whole(lanes: emq.Lanes) -> None:
    expected = sorted(await fill(lanes, A, 700) + await fill(lanes, B, 600))

    claims = await lanes.claim_batch(1_500)

    assert sorted(claim.id for claim in claims) == expected


async def test_ten_claimers_at_once_never_share_a_job(lanes: emq.Lanes, make: Maker) -> None:
    groups = [emq.group("PLR", number) for number in range(7)]
    expected = sorted([id for group in groups for id in await fill(lanes, group, 50)])

    batches = await asyncio.gather(*(lanes.claim_batch(40) for _ in range(10)))

    assert sorted(claim.id for batch in batches for claim in batch) == expected
    assert await wrong(make.conn, lanes.queue) == []


@pytest.mark.parametrize("verb", ["claim_batch", "claim_any"])
@pytest.mark.parametrize("size", [1, 2, 7, 100])
async def test_weights_hold_whatever_the_size_of_a_claim(
    lanes: emq.Lanes, make: Maker, verb: str, size: int
) -> None:
    # given two lanes of which one has three jobs a turn
    await fill(lanes, A, 200)
    await fill(lanes, B, 200)
    await lanes.weight(A, 3)

    # when 200 jobs are claimed
    served: list[str | None] = []
    while len(served) < 200:
        served += [claim.group for claim in await getattr(lanes, verb)(min(size, 200 - len(served)))]

    # then three of four are its, at any moment
    assert Counter(served) == {A: 150, B: 50}
    assert abs(served[:100].count(A) - 75) <= 3
    assert await wrong(make.conn, lanes.queue) == []


async def test_a_turn_is_as_many_jobs_as_the_weight_all_of_one_lane(lanes: emq.Lanes) -> None:
    of_a, of_b = await fill(lanes, A, 5), await fill(lanes, B, 2)
    await lanes.weight(A, 3)

    turns = [[claim.id for claim in await lanes.claim_turn()] for _ in range(5)]

    assert turns == [of_a[:3], of_b[:1], of_a[3:], of_b[1:], []]


async def test_a_turn_that_was_cut_short_goes_on_unless_its_lane_was_parked(
    lanes: emq.Lanes, make: Maker
) -> None:
    await fill(lanes, A, 9)
    await fill(lanes, B, 9)
    await lanes.weight(A, 3)
    assert [claim.group for claim in await lanes.claim_batch(2)] == [A, A]
    assert await make.conn.command("GET", make.keys.turn) == b"1 " + A.encode()

    # when its lane is parked, the turn is over, and it begins anew afterwards
    await lanes.pause(A)
    assert [claim.group for claim in await lanes.claim_batch(2)] == [B, B]
    assert await make.conn.command("GET", make.keys.turn) is None
    await lanes.resume(A)
    assert [claim.group for claim in await lanes.claim_batch(5)] == [B, A, A, A, B]


async def test_what_is_left_of_a_turn_is_forgotten_in_time(lanes: emq.Lanes, make: Maker) -> None:
    await fill(lanes, A, 9)
    await lanes.weight(A, 3)
    await lanes.claim()

    assert 0 < await make.conn.command("PTTL", make.keys.turn) <= 60_000


async def test_half_of_a_mixed_claim_is_for_lanes_and_what_one_side_lacks_the_other_gives(
    lanes: emq.Lanes, jobs: emq.Jobs, make: Maker
) -> None:
    flat = ids(10)
    await jobs.enqueue_many([(id, b"x") for id in flat])
    of_a = await fill(lanes, A, 4)

    # when there is enough of both
    first = await lanes.claim_any(4)
    assert [claim.id for claim in first] == [*of_a[:2], *flat[:2]]

    # when the odd one goes to one of them
    assert [c.group for c in await lanes.claim_any(1, first="pending")] == [None]
    assert [c.group for c in await lanes.claim_any(1, first="lanes")] == [A]

    # when lanes lack
    assert [c.group for c in await lanes.claim_any(6)] == [A, None, None, None, None, None]

    # when pending lacks
    of_b = await fill(lanes, B, 5)
    assert [claim.id for claim in await lanes.claim_any(7)] == [*of_b[:4], *flat[8:], of_b[4]]
    assert await lanes.claim_any(3) == []
    assert await wrong(make.conn, lanes.queue) == []


async def test_a_paused_queue_hands_out_nothing_of_its_lanes(
    lanes: emq.Lanes, make: Maker, queue: str
) -> None:
    await fill(lanes, A, 2)
    admin = emq.Admin(make.conn, queue)
    await admin.pause()

    assert await lanes.claim() is None
    assert await lanes.claim_batch(5) == []
    assert await lanes.claim_turn() == []
    assert await lanes.claim_any(5) == []
    assert await lanes.depth(A) == 2

    await admin.resume()
    assert len(await lanes.claim_batch(5)) == 2


async def test_members_without_a_row_are_dropped_and_counted_and_never_served(
    lanes: emq.Lanes, make: Maker, jobs: emq.Jobs
) -> None:
    # given a lane of ghosts before a job, and a lane of ghosts alone
    ghosts = ids(30)
    for group in (A, B):
        await make.conn.command("ZADD", make.keys.lane(group), *(word for id in ghosts for word in ("0", id)))
        await make.conn.command("RPUSH", make.keys.ring, group)
    real = await make.in_lane(A)

    claims = [claim for _ in range(3) for claim in await lanes.claim_batch(40)]

    assert [claim.id for claim in claims] == [real]
    assert (await jobs.counts()).dropped == 60
    assert await make.ring() == []
    assert await make.conn.command("EXISTS", make.keys.job(ghosts[0])) == 0


async def test_a_rota_full_of_lanes_that_cannot_be_served_is_cleared_in_one_claim(
    lanes: emq.Lanes, make: Maker
) -> None:
    # given 2,500 empty lanes in the rota, more than one step looks at
    groups = [emq.group("PLR", number) for number in range(2_500)]
    await make.conn.command("RPUSH", make.keys.ring, *groups)
    (id,) = await fill(lanes, emq.group("PLR", 9_999), 1)

    assert (await lanes.claim() or make).id == id  # type: ignore[union-attr]
    assert await make.ring() == []


async def test_a_parked_lane_that_a_foreign_hand_left_in_the_rota_is_not_served(
    lanes: emq.Lanes, make: Maker
) -> None:
    await fill(lanes, A, 1)
    await make.conn.command("SADD", make.keys.paused, A)

    assert await lanes.claim() is None
    assert await lanes.depth(A) == 1


async def test_a_broken_lane_costs_the_others_nothing(lanes: emq.Lanes, make: Maker) -> None:
    await make.conn.command("SET", make.keys.lane(A), "no lane")
    await make.conn.command("RPUSH", make.keys.ring, A, "no group at all")
    of_b = await fill(lanes, B, 2)

    assert [claim.id for claim in await lanes.claim_batch(5)] == of_b


@pytest.mark.parametrize("broken", ["active", "ring", "paused", "glimit", "gactive", "gweight", "turn"])
async def test_a_key_of_the_wrong_type_is_refused_before_a_job_is_taken(
    lanes: emq.Lanes, make: Maker, broken: str
) -> None:
    await fill(lanes, A, 1)
    key = getattr(make.keys, broken)
    await make.conn.command("DEL", key)
    await make.conn.command("SET" if broken != "turn" else "SADD", key, "x")

    for claiming in (lanes.claim_batch(5), lanes.claim_turn(), lanes.claim_any(5)):
        with pytest.raises(emq.ServerRefused) as refused:
            await claiming
        assert refused.value.code == "WRONGTYPE"

    assert await lanes.depth(A) == 1


@pytest.mark.parametrize("text", ["0", "1e3", " 5", "05", "-1", "5.0", "", "0x10", "9999999999999999"])
async def test_the_scripts_take_digits_only(lanes: emq.Lanes, make: Maker, text: str) -> None:
    (id,) = await fill(lanes, A, 1)
    k = make.keys

    for verb, keys, args in (
        ("lane_claim", (k.ring, k.active), (k.base, text, "5")),
        ("lane_claim", (k.ring, k.active), (k.base, "5", text)),
        ("lane_claim_turn", (k.ring, k.active), (k.base, text)),
        ("claim_any", (k.pending, k.ring, k.active), (k.base, text, "5", "lanes")),
        ("claim_any", (k.pending, k.ring, k.active), (k.base, "5", text, "lanes")),
        ("claim_any", (k.pending, k.ring, k.active), (k.base, "5", "5", text)),
        ("lane_limit", (k.glimit, k.ring), (A, text, k.base)),
        ("lane_weight", (k.gweight,), (A, text)),
        ("lane_schedule", (k.job(id), k.schedule), (id, "x", A, text, "5")),
    ):
        with pytest.raises(emq.ServerRefused) as refused:
            await make.conn.run(script(verb), keys, args)
        assert refused.value.code == "EMQARG"

    assert await make.field(id, "attempts") == b"0"


@pytest.mark.parametrize("number", [0, -1, 1.5, True, "5", 10**15])
async def test_numbers_out_of_range_are_refused_before_anything_is_sent(
    lanes: emq.Lanes, number: int
) -> None:
    await fill(lanes, A, 1)

    for call in (
        lanes.claim(lease_ms=number),
        lanes.claim_batch(number),
        lanes.claim_batch(5, lease_ms=number),
        lanes.claim_turn(lease_ms=number),
        lanes.claim_any(number),
        lanes.claim_any(5, lease_ms=number),
        lanes.limit(A, number),
        lanes.weight(A, number),
        lanes.reap_group(A, number),
    ):
        with pytest.raises(emq.MalformedArgument):
            await call

    assert await lanes.depth(A) == 1


async def test_a_claim_that_leaves_work_passes_the_wake_on(lanes: emq.Lanes, make: Maker) -> None:
    await fill(lanes, A, 2)
    await make.unwake()

    await lanes.claim()
    assert await make.wakes() == 1
    await make.unwake()

    await lanes.claim()
    assert await make.wakes() == 0
