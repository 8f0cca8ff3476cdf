"""Nobody waits for somebody else's flood: after k rounds every late lane has had k jobs served."""

from __future__ import annotations

from collections import Counter

import pytest

import emq
from tests.emq.lanes.books import A, B, C, fill, groups

FLOOD = 100_000
LATE, EACH = 50, 10


async def turn_by_turn(lanes: emq.Lanes, verb: str, count: int) -> list[str | None]:
    """The groups of the next ``count`` jobs, in the order they are handed out."""
    order: list[str | None] = []
    while len(order) < count:
        if verb == "claim":
            claim = await lanes.claim()
            order += [claim.group] if claim else []
        else:
            order += [claim.group for claim in await getattr(lanes, verb)(min(100, count - len(order)))]
    return order


async def test_a_flood_of_100_000_delays_late_lanes_by_one_turn(real: emq.Connector, queue: str) -> None:
    # given one lane that holds 100,000 jobs
    lanes = emq.Lanes(real, queue)
    flooder, *late = groups(1 + LATE)
    await fill(lanes, flooder, FLOOD)

    for verb in ("claim", "claim_batch", "claim_any"):
        # when fifty lanes of ten arrive later, and ten rounds of the rota are served
        burst = [(group, emq.mint("JOB"), b"x") for _ in range(EACH) for group in late]
        assert set(await lanes.enqueue_many(burst)) == {emq.ENQUEUED}
        before = await lanes.depth(flooder)
        order = await turn_by_turn(lanes, verb, EACH * (1 + LATE))

        # then after k rounds each late lane has had k jobs, and after ten all 500 are served
        for round in range(1, EACH + 1):
            served = Counter(order[: round * (1 + LATE)])
            assert {served[group] for group in late} == {round}
        assert await lanes.depth(flooder) == before - EACH
        assert await lanes.depths() == {flooder: before - EACH}


async def test_a_flood_outside_of_lanes_does_not_starve_a_lane_nor_the_other_way_round(
    real: emq.Connector, queue: str
) -> None:
    # given 5,000 jobs without a lane and 5,000 in one, and one late job of each kind
    lanes, jobs = emq.Lanes(real, queue), emq.Jobs(real, queue)
    await jobs.enqueue_many([(emq.mint("JOB"), b"x") for _ in range(5_000)])
    (late,) = await fill(lanes, A, 1)

    # then the late lane job is in the first claim
    assert late in [claim.id for claim in await lanes.claim_any(100)]

    await fill(lanes, B, 5_000)
    half = Counter(claim.group for claim in await lanes.claim_any(100))
    assert half == {B: 50, None: 50}


@pytest.mark.parametrize("size", [7, 64])
async def test_weights_of_three_to_one_hold_over_10_000(real: emq.Connector, queue: str, size: int) -> None:
    # given two lanes of 10,000 of which one weighs three
    lanes = emq.Lanes(real, queue)
    await fill(lanes, A, 8_000)
    await fill(lanes, B, 8_000)
    await lanes.weight(A, 3)
    served: Counter[str | None] = Counter()

    # when 10,000 are claimed, whatever the size of a claim
    while served.total() < 10_000:
        claims = await lanes.claim_batch(min(size, 10_000 - served.total()))
        served.update(claim.group for claim in claims)

    # then three of four were its, within 5 %
    assert abs(served[A] / served[B] - 3) <= 3 * 0.05


async def test_light_lanes_appear_within_nine_turns_and_all_drain(real: emq.Connector, queue: str) -> None:
    # given a heavy lane of eight a turn beside two light ones
    lanes = emq.Lanes(real, queue)
    await fill(lanes, A, 80)
    await lanes.weight(A, 8)
    for group in (B, C):
        await fill(lanes, group, 5)

    order: list[str | None] = []
    while claims := await lanes.claim_batch(3):
        order += [claim.group for claim in claims]

    assert {B, C} <= set(order[:10])
    assert Counter(order) == {A: 80, B: 5, C: 5}
