"""Dead letters: why, since when, what came before; sent back to where they came from; removed by hand or by age."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import emq
from tests.emq.core.makers import Maker, ids, said
from tests.emq.lanes.books import A, fill, wrong


async def buried(lanes: emq.Lanes, group: str, reason: str = "no hope", failures: int = 1) -> str:
    """A job of a lane that failed so often, and died."""
    await fill(lanes, group, 1)
    for attempt in range(1, failures + 1):
        claim = await lanes.claim()
        assert claim is not None
        await lanes.retry(
            claim.id, claim.token, delay_ms=0, max_attempts=failures, error=f"{reason}, time {attempt}"
        )
        await lanes.promote()
    return claim.id


async def test_a_dead_letter_keeps_its_reason_its_history_and_its_lane(
    lanes: emq.Lanes, letters: emq.DeadLetters, make: Maker
) -> None:
    before = await make.server_ms()
    id = await buried(lanes, A, failures=3)

    letter = await letters.peek(id)

    assert letter is not None
    assert (letter.id, letter.payload, letter.group, letter.claims, letter.stalled) == (id, b"x", A, 3, 0)
    assert letter.reason == "no hope, time 3"
    assert [(failure.token, failure.reason) for failure in letter.history] == [
        (1, "no hope, time 1"), (2, "no hope, time 2"), (3, "no hope, time 3")
    ]  # fmt: skip
    assert before <= letter.history[0].at_ms <= (letter.died_ms or 0) <= await make.server_ms()
    assert letter.minted_ms == emq.parse(id).unix_ms
    assert await letters.peek(await make.waiting()) is None


async def test_the_dead_are_browsed_by_pages_in_mint_order(
    lanes: emq.Lanes, letters: emq.DeadLetters
) -> None:
    dead = [await buried(lanes, A) for _ in range(5)]

    first = await letters.browse(2)
    second = await letters.browse(2, after=first[-1].id)
    rest = await letters.browse(after=second[-1].id)

    assert [letter.id for letter in (*first, *second, *rest)] == dead
    assert await letters.browse(after=dead[-1]) == []
    assert await letters.count() == 5
    with pytest.raises(emq.MalformedId):
        await letters.browse(after="nobody")


async def test_a_requeued_job_waits_in_its_lane_with_all_its_attempts_before_it(
    lanes: emq.Lanes, letters: emq.DeadLetters, make: Maker
) -> None:
    # given a job that died in its third attempt
    id = await buried(lanes, A, failures=3)
    await make.unwake()

    # when it is requeued
    await letters.requeue(id)

    # then it waits in its lane, a worker is woken, and its reason is history
    assert await make.members(make.keys.lane(A)) == [id]
    assert await make.wakes() == 1
    assert await make.field(id, "last_error") is None
    assert await make.field(id, "dead_at") is None
    assert (await make.field(id, "history") or b"").count(b"\n") == 2
    assert await wrong(make.conn, lanes.queue) == []

    # and it has three attempts again, under tokens that nobody had before
    for attempt in (1, 2, 3):
        claim = await lanes.claim()
        assert claim is not None
        assert (claim.attempt, claim.token) == (attempt, 3 + attempt)
        await lanes.retry(id, claim.token, delay_ms=0, max_attempts=3)
        await lanes.promote()
    assert await letters.count() == 1


async def test_a_former_holder_of_a_requeued_job_cannot_settle_it(
    lanes: emq.Lanes, letters: emq.DeadLetters
) -> None:
    id = await buried(lanes, A)
    await letters.requeue(id)

    for settle in (lanes.complete(id, 1), lanes.retry(id, 1), lanes.delay(id, 1, delay_ms=0)):
        with pytest.raises(emq.Stale):
            await settle


async def test_a_requeued_job_does_not_slip_past_the_limit_or_the_pause_of_its_lane(
    lanes: emq.Lanes, letters: emq.DeadLetters, make: Maker
) -> None:
    id = await buried(lanes, A)
    await fill(lanes, A, 1)
    await lanes.limit(A, 1)
    held = await lanes.claim()
    assert held is not None

    await letters.requeue(id)
    assert await lanes.claim_any(5) == []
    await lanes.pause(A)
    await lanes.complete(held.id, held.token)
    assert await lanes.claim_any(5) == []

    await lanes.resume(A)
    assert [claim.id for claim in await lanes.claim_any(5)] == [id]
    assert await make.in_flight(A) == 1


async def test_a_flat_job_is_requeued_where_it_came_from(
    jobs: emq.Jobs, letters: emq.DeadLetters, make: Maker
) -> None:
    claim = await make.dead()
    await make.unwake()

    await letters.requeue(claim.id)

    assert await make.members(make.keys.pending) == [claim.id]
    assert await make.wakes() == 1
    assert (await jobs.claim() or claim).token == 2


async def test_many_are_requeued_in_one_flush_with_an_outcome_each(
    lanes: emq.Lanes, letters: emq.DeadLetters, make: Maker
) -> None:
    one, two = await buried(lanes, A), await buried(lanes, A)
    waiting, (unknown,) = await make.waiting(), ids(1)

    outcomes = await letters.requeue_many([one, waiting, unknown, two, one])

    assert said(outcomes) == ["requeued", "not dead", "gone", "requeued", "not dead"]
    assert await lanes.depth(A) == 2
    with pytest.raises(emq.MalformedId):
        await letters.requeue_many([one, "nobody"])


@pytest.mark.parametrize("verb", ["requeue", "remove"])
async def test_only_the_dead_are_requeued_or_removed_here(
    letters: emq.DeadLetters, make: Maker, verb: str
) -> None:
    live, gone = await make.active(), emq.mint("JOB")

    with pytest.raises(emq.WrongState):
        await getattr(letters, verb)(live.id)
    with pytest.raises(emq.Gone):
        await getattr(letters, verb)(gone)

    assert await make.members(make.keys.active) == [live.id]
    assert await make.conn.command("EXISTS", make.keys.job(gone)) == 0


async def test_a_dead_job_is_removed_with_its_log(
    lanes: emq.Lanes, letters: emq.DeadLetters, admin: emq.Admin, make: Maker
) -> None:
    id = await buried(lanes, A)
    await admin.add_log(id, "a line")

    await letters.remove(id)

    assert await letters.count() == 0
    assert await make.conn.command("EXISTS", make.keys.job(id), make.keys.logs(id)) == 0


async def test_what_died_before_a_moment_is_purged_and_nothing_else(
    lanes: emq.Lanes, letters: emq.DeadLetters, make: Maker
) -> None:
    # given jobs that died a day ago, one of them minted long before, one just now, and one of a foreign client
    old, older, new = [await buried(lanes, A) for _ in range(3)]
    day_ms = 86_400_000
    now = await make.server_ms()
    for id, age_ms in ((old, day_ms), (older, 9 * day_ms)):
        await make.conn.command("HSET", make.keys.job(id), "dead_at", now - age_ms)
    foreign_old = emq.encode("JOB", (now - 3 * day_ms - 1_704_067_200_000) << 22)
    foreign_new = emq.mint("JOB")
    for id in (foreign_old, foreign_new):
        row = ("HSET", make.keys.job(id), "state", "dead", "attempts", "3", "payload", "x")
        await make.conn.command(*row)
        await make.conn.command("ZADD", make.keys.dead, 0, id)

    # when what died more than two days ago is purged
    removed = await letters.purge(before=datetime.now(UTC) - timedelta(days=2))

    # then by the time of death where one is kept, else by the id
    assert removed == 2
    assert sorted(letter.id for letter in await letters.browse()) == sorted([old, new, foreign_new])
    assert await make.conn.command("EXISTS", make.keys.job(older), make.keys.job(foreign_old)) == 0
    with pytest.raises(emq.MalformedArgument):
        await letters.purge(before=datetime(2030, 1, 1))


async def test_a_purge_goes_through_more_than_one_step(letters: emq.DeadLetters, make: Maker) -> None:
    many = ids(1_203)
    await make.conn.command("ZADD", make.keys.dead, *(word for id in many for word in ("0", id)))

    assert await letters.purge(before=datetime.now(UTC) + timedelta(days=1)) == 1_203
    assert await letters.count() == 0


async def test_a_row_that_is_no_letter_is_shown_as_far_as_it_goes(
    letters: emq.DeadLetters, make: Maker
) -> None:
    id = emq.mint("JOB")
    await make.conn.command("ZADD", make.keys.dead, 0, id)
    await make.conn.command("HSET", make.keys.job(id), "state", "dead", "history", b"\xff nonsense\n5 x y")

    (letter,) = await letters.browse()

    assert (letter.id, letter.payload, letter.claims, letter.died_ms, letter.history) == (
        id,
        b"",
        0,
        None,
        (),
    )
