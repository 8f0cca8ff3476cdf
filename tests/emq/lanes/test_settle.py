"""Lane jobs settled, delayed, lapsed: the lane is free again, the books right, a spent token opens nothing."""

from __future__ import annotations

import pytest

import emq
from tests.emq.core.makers import Maker
from tests.emq.lanes.books import A, fill, wrong


async def claimed(lanes: emq.Lanes, more: int = 1) -> emq.Claim:
    """A job in flight in a lane at its limit of one, with others behind it."""
    await fill(lanes, A, 1 + more)
    await lanes.limit(A, 1)
    claim = await lanes.claim()
    assert claim is not None
    return claim


async def test_a_delayed_job_frees_its_lane_and_keeps_its_attempts(lanes: emq.Lanes, make: Maker) -> None:
    # given a job in flight in a lane with a limit of one, and another behind it
    claim = await claimed(lanes)
    await make.unwake()

    # when its holder must wait
    before = await make.server_ms()
    await lanes.delay(claim.id, claim.token, delay_ms=60_000)

    # then it is scheduled, the lane serves the next, and a worker is told
    assert before + 60_000 <= (await make.score(make.keys.schedule, claim.id) or 0) <= before + 70_000
    assert await make.field(claim.id, "state") == b"scheduled"
    assert await make.field(claim.id, "attempts") == b"1"
    assert await make.wakes() == 1
    following = await lanes.claim()
    assert following is not None
    assert following.id != claim.id
    assert await wrong(make.conn, lanes.queue) == []


async def test_a_lane_at_its_limit_is_served_once_more_after_several_of_its_jobs_are_completed_at_once(
    lanes: emq.Lanes, make: Maker
) -> None:
    # given a lane with three in flight, as many as it may have, and more behind them
    await fill(lanes, A, 6)
    await lanes.limit(A, 3)
    held = [await lanes.claim() for _ in range(3)]
    pairs = [(claim.id, claim.token) for claim in held if claim is not None]
    assert len(pairs) == 3
    assert await lanes.claim() is None

    # when two of them are completed in one call
    assert await lanes.complete_many(pairs[:2]) == [emq.Settlement.COMPLETED] * 2

    # then it stands in the rota once, two more are served, and the books are right
    assert await make.conn.command("LRANGE", make.keys.ring, "0", "-1") == [A.encode()]
    assert len(await lanes.claim_batch(5)) == 2
    assert await wrong(make.conn, lanes.queue) == []


async def test_a_delayed_job_comes_back_as_the_same_attempt_under_the_next_token(
    lanes: emq.Lanes, make: Maker
) -> None:
    claim = await claimed(lanes, more=0)
    await lanes.delay(claim.id, claim.token, delay_ms=0)
    assert await lanes.claim() is None
    assert await lanes.promote() == 1

    again = await lanes.claim()

    assert again == emq.Claim(claim.id, b"x", 2, A, uncounted=1)
    assert (claim.attempt, again.attempt) == (1, 1)
    assert await lanes.retry(claim.id, 2, delay_ms=0, max_attempts=2) == "scheduled"
    await lanes.promote()
    last = await lanes.claim()
    assert last is not None
    assert last.attempt == 2
    assert await lanes.retry(claim.id, 3, max_attempts=2) == "dead"


@pytest.mark.parametrize("place", ["scheduled", "waiting", "in flight again", "gone"])
async def test_a_token_spent_on_a_delay_opens_nothing(lanes: emq.Lanes, make: Maker, place: str) -> None:
    # given a job that its holder gave back
    claim = await claimed(lanes, more=0)
    await lanes.delay(claim.id, 1, delay_ms=0)
    if place != "scheduled":
        await lanes.promote()
    if place in ("in flight again", "gone"):
        await lanes.claim()
    if place == "gone":
        await lanes.complete(claim.id, 2)

    # when the same token is used again
    expected = emq.Gone if place == "gone" else emq.Stale
    for settle in (
        lanes.complete(claim.id, 1),
        lanes.retry(claim.id, 1),
        lanes.delay(claim.id, 1, delay_ms=0),
    ):
        with pytest.raises(expected):
            await settle

    # then nothing has changed
    assert await wrong(make.conn, lanes.queue) == []


async def test_a_delay_after_a_reap_takes_the_job_out_of_its_lane(lanes: emq.Lanes, make: Maker) -> None:
    claim = await claimed(lanes, more=0)
    await make.lapse(claim.id)
    assert await lanes.reap() == 1

    await lanes.delay(claim.id, 1, delay_ms=5)

    assert await lanes.depth(A) == 0
    assert await make.ring() == []
    assert await wrong(make.conn, lanes.queue) == []


@pytest.mark.parametrize("ms", [-1, 1.5, True, 10**15])
async def test_a_delay_out_of_range_is_refused_before_anything_is_sent(lanes: emq.Lanes, ms: int) -> None:
    claim = await claimed(lanes)

    with pytest.raises(emq.MalformedArgument):
        await lanes.delay(claim.id, 1, delay_ms=ms)

    await lanes.complete(claim.id, 1)


async def test_a_flat_job_can_be_delayed_too(jobs: emq.Jobs, make: Maker) -> None:
    claim = await make.active()
    await make.unwake()

    await jobs.delay(claim.id, 1, delay_ms=0)
    assert await make.wakes() == 1
    assert await jobs.promote() == 1

    assert await jobs.claim() == emq.Claim(claim.id, b"x", 2, None, uncounted=1)


async def test_a_lapsed_job_returns_to_its_lane_and_its_late_holder_may_still_settle_it(
    lanes: emq.Lanes, make: Maker
) -> None:
    claim = await claimed(lanes)
    await make.lapse(claim.id)
    assert await lanes.reap() == 1
    assert await lanes.depth(A) == 2

    await lanes.complete(claim.id, 1)

    assert await lanes.depth(A) == 1
    assert await wrong(make.conn, lanes.queue) == []


async def test_a_completed_job_takes_its_log_with_it(lanes: emq.Lanes, make: Maker) -> None:
    claim = await claimed(lanes, more=0)
    await make.conn.command("RPUSH", make.keys.job(claim.id) + ":logs", "a line")

    await lanes.complete(claim.id, 1)

    assert await make.conn.command("EXISTS", make.keys.job(claim.id) + ":logs") == 0


async def test_the_history_of_a_job_keeps_its_last_ten_failures(lanes: emq.Lanes, make: Maker) -> None:
    await fill(lanes, A, 1)
    for attempt in range(1, 14):
        claim = await lanes.claim()
        assert claim is not None
        said = f"failure {attempt}\n" + "x" * 500
        await lanes.retry(claim.id, claim.token, delay_ms=0, error=said)
        await lanes.promote()

    history = (await make.field(claim.id, "history") or b"").decode().split("\n")

    assert [line.split()[1:4] for line in history] == [
        [str(attempt), "failure", str(attempt)] for attempt in range(4, 14)
    ]
    assert max(map(len, history)) < 250
    assert await make.field(claim.id, "last_error") == said.encode()
