"""A script that fails half-way: no job may end in no set at all, and nothing half-written may read as landed."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable

import pytest

import emq
from tests.emq.core.makers import Maker, ids
from tests.servers import ServerProcess

GROUP = "PRT0KHTxoFhxxo"
OTHER = "PRT0KHTxoFhxxp"


async def login(own_real_server: ServerProcess, without: str) -> emq.Connector:
    """A user who may do everything but one command, as a hand-written ACL easily has it."""
    own_real_server.command("ACL", "SETUSER", "w", "reset", "on", ">p", "~*", "&*", "+@all", without)
    return await emq.connect(own_real_server.url + "&username=w&password=p")


async def test_an_enqueue_that_was_refused_halfway_is_no_duplicate_when_it_is_sent_again(
    own_real_server: ServerProcess, queue: str
) -> None:
    # given a user who may not ZADD
    (id,) = ids(1)
    async with await login(own_real_server, "-zadd") as poor:
        assert isinstance(await emq.Jobs(poor, queue).enqueue(id, b"x"), emq.Refused)

    # when the permission was repaired and the item is sent again
    async with await emq.connect(own_real_server.url) as conn:
        jobs = emq.Jobs(conn, queue)
        verdict = await jobs.enqueue(id, b"x")

        # then it landed, or it says why not; "duplicate" would be a lost job
        assert (str(verdict), await jobs.pending_size()) == ("enqueued", 1)


@pytest.mark.parametrize("without", ["-zadd", "-hset", "-hmget"])
async def test_a_claim_that_may_not_do_all_it_must_takes_no_job_out_of_the_queue(
    own_real_server: ServerProcess, queue: str, without: str
) -> None:
    async with await emq.connect(own_real_server.url) as conn, await login(own_real_server, without) as poor:
        jobs = emq.Jobs(conn, queue)
        await jobs.enqueue_many([(id, b"x") for id in ids(5)])

        with pytest.raises(emq.ServerRefused):
            await emq.Jobs(poor, queue).claim_batch(3)

        counts = await jobs.counts()
        assert counts.pending + counts.active == 5


async def test_a_limit_that_is_no_number_costs_no_job(
    conn: emq.Connector, jobs: emq.Jobs, keys: emq.Keyspace
) -> None:
    # given a job with a group in flat pending, as EchoMQ's reprocess leaves it, and a broken limit
    five = ids(5)
    await jobs.enqueue_many([(id, b"x") for id in five])
    await conn.command("HSET", keys.job(five[2]), "group", GROUP)
    await conn.command("HSET", keys.glimit, GROUP, "many")

    with contextlib.suppress(emq.ServerRefused):
        await jobs.claim_batch(5)

    counts = await jobs.counts()
    assert counts.pending + counts.active == 5


async def test_a_completion_that_happened_does_not_read_refused(
    conn: emq.Connector, jobs: emq.Jobs, make: Maker
) -> None:
    # given a lane with work and a broken limit
    claim = await make.lane_active(GROUP)
    await make.in_lane(GROUP, ring=False)
    await conn.command("HSET", make.keys.glimit, GROUP, "many")

    (settlement,) = await jobs.complete_many([(claim.id, claim.token)])

    # then what it says and what it did agree
    row_is_there = await conn.command("EXISTS", make.keys.job(claim.id)) == 1
    assert (settlement is emq.Settlement.COMPLETED) == (not row_is_there)


@pytest.mark.parametrize("verb", ["promote", "reap"])
async def test_one_broken_lane_does_not_stop_the_others_from_moving(
    conn: emq.Connector, jobs: emq.Jobs, make: Maker, verb: str
) -> None:
    # given the oldest of three due jobs in a lane whose key is no zset
    held = [await make.active() for _ in range(3)]
    source = make.keys.active
    if verb == "promote":
        source = make.keys.schedule
        for claim in held:
            await jobs.retry(claim.id, claim.token, delay_ms=60_000)
    for due, claim in enumerate(held, start=1):
        await conn.command("ZADD", source, due, claim.id)
    await conn.command("HSET", make.keys.job(held[0].id), "group", GROUP)
    await conn.command("SET", make.keys.lane(GROUP), "no zset")

    for _ in range(3):
        with contextlib.suppress(emq.ServerRefused):
            await getattr(jobs, verb)()

    assert await make.members(make.keys.pending) == [held[1].id, held[2].id]


async def test_a_full_queue_can_be_paused(own_real_server: ServerProcess, queue: str) -> None:
    async with await emq.connect(own_real_server.url) as conn:
        own_real_server.command("CONFIG", "SET", "maxmemory", "1")

        await emq.Admin(conn, queue).pause()

        assert await emq.Admin(conn, queue).paused()


async def test_a_group_that_is_no_text_costs_the_other_jobs_of_a_claim_nothing(
    conn: emq.Connector, jobs: emq.Jobs, keys: emq.Keyspace
) -> None:
    five = ids(5)
    await jobs.enqueue_many([(id, b"x") for id in five])
    await conn.command("HSET", keys.job(five[2]), "group", b"\xff\xfe")

    claimed = {claim.id for claim in await jobs.claim_batch(5)}

    assert claimed >= set(five) - {five[2]}


Step = Callable[[emq.Jobs, emq.Claim], Awaitable[object]]

STEPS: dict[str, Step] = {
    "complete": lambda jobs, claim: jobs.complete(claim.id, claim.token),
    "retry": lambda jobs, claim: jobs.retry(claim.id, claim.token),
    "bury": lambda jobs, claim: jobs.retry(claim.id, claim.token, max_attempts=1),
    "delay": lambda jobs, claim: jobs.delay(claim.id, claim.token, delay_ms=1),
    "reap": lambda jobs, claim: jobs.reap(),
    "reap_group": lambda jobs, claim: emq.Lanes(jobs._conn, jobs.queue).reap_group(GROUP),
    "promote": lambda jobs, claim: jobs.promote(),
    "reassign": lambda jobs, claim: emq.Lanes(jobs._conn, jobs.queue).reassign(claim.id, OTHER),
}


async def arranged(conn: emq.Connector, make: Maker, step: str) -> emq.Claim:
    """A lane's job where ``step`` finds it."""
    claim = await make.lane_active(GROUP)
    if step in ("reap", "reap_group", "reassign"):
        await make.lapse(claim.id)
    if step == "promote":
        await make.jobs.retry(claim.id, claim.token, delay_ms=0)
    if step == "reassign":
        assert await make.jobs.reap() == 1
    return claim


@pytest.mark.parametrize("without", ["-zadd", "-zrem", "-hset", "-del", "-hincrby", "-lpush", "-rpush"])
@pytest.mark.parametrize("step", STEPS)
async def test_no_step_that_is_refused_halfway_leaves_a_job_in_no_set(
    own_real_server: ServerProcess, queue: str, step: str, without: str
) -> None:
    async with await emq.connect(own_real_server.url) as conn, await login(own_real_server, without) as poor:
        make = Maker(conn, queue)
        claim = await arranged(conn, make, step)

        with contextlib.suppress(emq.EmqError):
            await STEPS[step](emq.Jobs(poor, queue), claim)

        # then a job with a row is somewhere
        k = make.keys
        places = [k.pending, k.active, k.schedule, k.dead, k.lane(GROUP), k.lane(OTHER)]
        scores = await conn.pipeline([("ZSCORE", place, claim.id) for place in places])
        there = await conn.command("EXISTS", k.job(claim.id)) == 1
        assert any(score is not None for score in scores) or not there

        # and whoever may do everything gets it moving again, unless it is done or dead
        if there and scores[3] is None:
            for place in (k.active, k.schedule):
                await conn.command("ZADD", place, "XX", 1, claim.id)
            await make.jobs.reap()
            await make.jobs.promote()
            again = await make.jobs.claim() or await emq.Lanes(conn, queue).claim()
            assert again is not None
            await make.jobs.complete(again.id, again.token)


@pytest.mark.parametrize(
    ("field", "value"),
    [("attempts", "9" * 400), ("attempts", "9" * 16), ("uncounted", "x"), ("uncounted", "9" * 400)],
)
async def test_a_number_that_is_none_costs_the_other_jobs_of_a_claim_nothing(
    conn: emq.Connector, jobs: emq.Jobs, keys: emq.Keyspace, field: str, value: str
) -> None:
    five = ids(5)
    await jobs.enqueue_many([(id, b"x") for id in five])
    await conn.command("HSET", keys.job(five[2]), field, value)

    claimed = {claim.id for claim in await jobs.claim_batch(5)}

    assert claimed >= set(five) - {five[2]}


@pytest.mark.parametrize("broken", ["gactive", "ring", "glimit", "paused"])
async def test_books_that_cannot_be_kept_do_not_make_a_completion_read_refused(
    conn: emq.Connector, jobs: emq.Jobs, make: Maker, broken: str
) -> None:
    claim = await make.lane_active(GROUP)
    await make.in_lane(GROUP, ring=False)
    await conn.command("HSET", make.keys.glimit, GROUP, 1)
    await conn.command("DEL", getattr(make.keys, broken))
    await conn.command("SET", getattr(make.keys, broken), "something else")

    (settlement,) = await jobs.complete_many([(claim.id, claim.token)])

    assert settlement is emq.Settlement.COMPLETED
    assert await conn.command("EXISTS", make.keys.job(claim.id)) == 0
