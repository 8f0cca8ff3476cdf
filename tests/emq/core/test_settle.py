"""Complete and retry: only by the holder, only while the job is in flight or waits again, and gone means gone."""

from __future__ import annotations

import pytest

import emq
from emq.scripts import script
from tests.emq.core.makers import Maker, ids

COMPLETED, GONE, STALE = emq.Settlement.COMPLETED, emq.Settlement.GONE, emq.Settlement.STALE


async def test_a_completed_job_is_gone_from_everywhere_and_counted(jobs: emq.Jobs, make: Maker) -> None:
    claim = await make.active()

    await jobs.complete(claim.id, claim.token)

    assert await make.conn.command("EXISTS", make.keys.job(claim.id)) == 0
    assert await jobs.counts() == emq.Counts(0, 0, 0, 0, completed=1)


async def test_a_second_completion_finds_it_gone(jobs: emq.Jobs, make: Maker) -> None:
    claim = await make.gone()

    with pytest.raises(emq.Gone, match=claim.id):
        await jobs.complete(claim.id, claim.token)
    with pytest.raises(emq.Gone, match=claim.id):
        await jobs.retry(claim.id, claim.token)

    assert (await jobs.counts()).completed == 1


async def test_a_token_that_is_not_the_fence_settles_nothing(jobs: emq.Jobs, make: Maker) -> None:
    claim = await make.stale()

    for settling in (jobs.complete(claim.id, claim.token), jobs.retry(claim.id, claim.token)):
        with pytest.raises(emq.Stale):
            await settling

    assert await jobs.counts() == emq.Counts(0, 1, 0, 0)
    assert await make.field(claim.id, "last_error") is None


async def test_a_holder_whose_lease_was_reaped_may_still_settle_while_the_job_waits(
    jobs: emq.Jobs, make: Maker
) -> None:
    one = await make.reaped()
    await jobs.complete(one.id, one.token)
    assert await jobs.counts() == emq.Counts(0, 0, 0, 0, completed=1)

    two = await make.reaped()
    assert await jobs.retry(two.id, two.token, delay_ms=60_000) == "scheduled"
    assert await jobs.counts() == emq.Counts(0, 0, 1, 0, completed=1)


@pytest.mark.parametrize("state", ["scheduled", "dead"])
async def test_a_job_that_was_settled_otherwise_is_stale_and_leaves_no_ghost(
    jobs: emq.Jobs, make: Maker, state: str
) -> None:
    # given a job that its holder scheduled again or buried, token unchanged
    claim: emq.Claim = await getattr(make, state)()
    counts = await jobs.counts()

    # when the same holder settles it once more
    for settling in (jobs.complete(claim.id, claim.token), jobs.retry(claim.id, claim.token)):
        with pytest.raises(emq.Stale):
            await settling

    # then it stays where it is
    assert await jobs.counts() == counts
    assert await make.field(claim.id, "state") == state.encode()


async def test_a_job_that_was_never_claimed_cannot_be_settled(jobs: emq.Jobs, make: Maker) -> None:
    id = await make.waiting()

    for settling in (jobs.complete(id, 0), jobs.retry(id, 0)):
        with pytest.raises(emq.Stale):
            await settling

    assert await jobs.pending_size() == 1


async def test_a_retry_schedules_with_its_delay_its_error_and_the_next_token(
    jobs: emq.Jobs, make: Maker
) -> None:
    claim = await make.active()
    before = await make.server_ms()

    assert await jobs.retry(claim.id, claim.token, delay_ms=5_000, error="boom 💥") == "scheduled"
    after = await make.server_ms()

    assert before + 5_000 <= (await make.score(make.keys.schedule, claim.id) or 0) <= after + 5_000
    assert await make.field(claim.id, "state") == b"scheduled"
    assert await make.field(claim.id, "last_error") == "boom 💥".encode()
    await make.conn.command("ZADD", make.keys.schedule, 1, claim.id)
    assert await jobs.promote() == 1
    assert await jobs.claim() == emq.Claim(claim.id, claim.payload, 2)


async def test_a_retry_at_once_wakes_a_parked_worker_and_one_behind_others_does_not(
    jobs: emq.Jobs, make: Maker
) -> None:
    await jobs.enqueue_in(emq.mint("JOB"), b"", 30_000)
    claim = await make.active()
    await make.unwake()
    await jobs.retry(claim.id, claim.token, delay_ms=60_000)
    assert await make.wakes() == 0

    claim = await make.active()
    await make.unwake()
    await jobs.retry(claim.id, claim.token, delay_ms=0)
    assert await make.wakes() == 1
    assert await jobs.promote() == 1


async def test_a_job_is_dead_at_its_last_attempt_and_not_before(jobs: emq.Jobs, make: Maker) -> None:
    claim = await make.active()
    assert await jobs.retry(claim.id, claim.token, delay_ms=0, max_attempts=2, error="one") == "scheduled"
    await jobs.promote()
    again = await jobs.claim()
    assert again is not None

    assert await jobs.retry(again.id, again.token, delay_ms=0, max_attempts=2, error="two") == "dead"

    assert await make.score(make.keys.dead, claim.id) == 0
    assert await make.field(claim.id, "state") == b"dead"
    assert await make.field(claim.id, "last_error") == b"two"
    assert await jobs.counts() == emq.Counts(0, 0, 0, 1, failed=1)


async def test_a_long_or_odd_error_text_is_kept_as_far_as_it_goes(jobs: emq.Jobs, make: Maker) -> None:
    claim = await make.active()

    await jobs.retry(claim.id, claim.token, error="\ud800" + "x" * 5_000)

    kept = await make.field(claim.id, "last_error")
    assert kept == b"?" + b"x" * 1_999


@pytest.mark.parametrize(
    ("delay_ms", "max_attempts"), [(-1, 5), (1.5, 5), (True, 5), (5, 0), (5, -1), (10**15, 5)]
)
async def test_numbers_out_of_range_settle_nothing(
    jobs: emq.Jobs, make: Maker, delay_ms: int, max_attempts: int
) -> None:
    claim = await make.active()

    with pytest.raises(emq.MalformedArgument):
        await jobs.retry(claim.id, claim.token, delay_ms=delay_ms, max_attempts=max_attempts)

    assert (await jobs.counts()).active == 1


@pytest.mark.parametrize("text", ["1e3", " 5", "05", "-1", "", "0x10"])
async def test_the_retry_script_takes_digits_only(make: Maker, text: str) -> None:
    claim = await make.active()
    k = make.keys
    keys = (k.active, k.schedule, k.dead, k.job(claim.id))

    for delay, most in ((text, "5"), ("5", text), ("5", "0")):
        with pytest.raises(emq.ServerRefused) as refused:
            await make.conn.run(script("retry"), keys, (claim.id, "1", delay, most, "", k.base))
        assert refused.value.code == "EMQARG"

    assert await make.score(k.active, claim.id) is not None


@pytest.mark.parametrize("id", ["", "x", "JOB0KHTOWnGLu-", "JOB0KHTOWnGLuA\n"])
async def test_an_id_that_is_none_is_refused_before_it_becomes_a_key(jobs: emq.Jobs, id: str) -> None:
    for settling in (
        jobs.complete(id, 1),
        jobs.retry(id, 1),
        jobs.extend_lock(id, 1, 5),
        jobs.extend_locks([(id, 1)], 5),
    ):
        with pytest.raises(emq.MalformedId):
            await settling


@pytest.mark.parametrize("token", ["1", 1.0, None, True])
async def test_a_token_that_is_no_whole_number_is_refused(jobs: emq.Jobs, make: Maker, token: int) -> None:
    claim = await make.active()

    with pytest.raises(emq.MalformedArgument):
        await jobs.complete(claim.id, token)


async def test_many_are_completed_in_one_flush_each_on_its_own(jobs: emq.Jobs, make: Maker) -> None:
    # given jobs in every state
    gone, dead, scheduled, stale = (
        await make.gone(), await make.dead(), await make.scheduled(), await make.stale(),
    )  # fmt: skip
    fine = await make.active()
    other = await make.active()

    # when all are completed at once, one of them twice, with an id that is none
    settled = await jobs.complete_many(
        [
            (fine.id, fine.token),
            (gone.id, gone.token),
            (stale.id, stale.token),
            ("nonsense", 1),
            (dead.id, dead.token),
            (scheduled.id, scheduled.token),
            (other.id, other.token),
            (fine.id, fine.token),
        ]
    )

    # then each has its own outcome in its own place
    assert [str(one) for one in settled] == [
        "completed", "gone", "stale", "refused:kind", "stale", "stale", "completed", "gone"
    ]  # fmt: skip


async def test_a_server_error_on_one_completion_costs_the_others_nothing(jobs: emq.Jobs, make: Maker) -> None:
    broken, fine = ids(1)[0], await make.active()
    await make.conn.command("SET", make.keys.job(broken), "not a row")

    settled = await jobs.complete_many([(broken, 1), (fine.id, fine.token)])

    assert [str(one) for one in settled] == ["refused:WRONGTYPE", "completed"]


async def test_completing_nothing_is_an_error(jobs: emq.Jobs) -> None:
    with pytest.raises(emq.EmptyPipeline):
        await jobs.complete_many([])


async def test_a_job_of_a_flow_is_not_settled_behind_its_parents_back(jobs: emq.Jobs, make: Maker) -> None:
    # given the claimed child of a flow that another client made
    claim = await make.active()
    await make.conn.command("HSET", make.keys.job(claim.id), "parent", emq.mint("JOB"))
    row = await make.conn.command("HGETALL", make.keys.job(claim.id))

    # when it is completed or would die, it is refused and nothing is written
    for settling in (jobs.complete(claim.id, claim.token), jobs.retry(claim.id, claim.token, max_attempts=1)):
        with pytest.raises(emq.ServerRefused) as refused:
            await settling
        assert refused.value.code == "EMQFLOW"
    assert str((await jobs.complete_many([(claim.id, claim.token)]))[0]) == "refused:EMQFLOW"
    assert await make.conn.command("HGETALL", make.keys.job(claim.id)) == row
    assert await jobs.counts() == emq.Counts(0, 1, 0, 0)

    # then trying again later is allowed: its parent has nothing to learn from that
    assert await jobs.retry(claim.id, claim.token, max_attempts=5) == "scheduled"
