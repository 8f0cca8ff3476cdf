"""What is in pending and is no job: skipped, dropped, counted in metrics:dropped, and never served."""

from __future__ import annotations

import pytest

import emq
from tests.emq.core.makers import Maker, ids


async def test_a_member_without_a_row_is_dropped_counted_and_never_served(
    jobs: emq.Jobs, make: Maker
) -> None:
    # given a pending entry whose row is gone, older than a real job
    ghost, real = ids(2)
    await make.conn.command("ZADD", make.keys.pending, 0, ghost)
    await jobs.enqueue(real, b"x")

    # when the queue is claimed
    claim = await jobs.claim()

    # then the ghost is skipped, no row was made for it, and it is counted
    assert claim is not None
    assert claim.id == real
    assert await make.members(make.keys.pending) == []
    assert await make.conn.command("EXISTS", make.keys.job(ghost)) == 0
    assert (await jobs.counts()).dropped == 1


GARBAGE: list[str | bytes] = [
    "x", "", "JOB", "JOB0KHTOWnGLu-", "JOB0KHTOWnGLuA:lock", "job0KHTOWnGLuA", "JOBAzL8n0Y58m8", "JOBzzzzzzzzzzz",
    "JOB0KHTOWnGLu\n", "{other}:job:x", b"\xff\x00", "JOB٠KHTOWnGLu",
]  # fmt: skip


async def test_garbage_in_pending_is_dropped_whatever_its_form(jobs: emq.Jobs, make: Maker) -> None:
    # given members that are no ids, some with a key where their row would be
    for garbage in GARBAGE:
        await make.conn.command("ZADD", make.keys.pending, 0, garbage)
    await make.conn.command("HSET", make.keys.base + "job:JOBAzL8n0Y58m8", "attempts", "0", "payload", "x")
    await make.conn.command("SET", make.keys.base + "job:JOB0KHTOWnGLuA:lock", "1")
    real = await make.waiting()

    # when a batch is claimed
    claims = await jobs.claim_batch(100)

    # then only the job is served
    assert [claim.id for claim in claims] == [real]
    assert await jobs.pending_size() == 0
    assert (await jobs.counts()).dropped == len(GARBAGE)


@pytest.mark.parametrize(
    "row",
    [
        ("SET", "a string"),
        ("HSET", "lock", "1"),
        ("HSET", "attempts", "0"),
        ("HSET", "attempts", "x", "payload", "x"),
        ("HSET", "payload", "x"),
    ],
    ids=str,
)
async def test_a_broken_row_is_dropped_and_costs_its_neighbours_nothing(
    jobs: emq.Jobs, make: Maker, row: tuple[str, ...]
) -> None:
    one, broken, three = ids(3)
    await jobs.enqueue_many([(one, b"x"), (three, b"x")])
    await make.conn.command(row[0], make.keys.job(broken), *row[1:])
    await make.conn.command("ZADD", make.keys.pending, 0, broken)

    claims = await jobs.claim_batch(10)

    assert [claim.id for claim in claims] == [one, three]
    assert (await jobs.counts()).dropped == 1


async def test_thousands_of_ghosts_do_not_hide_a_job(jobs: emq.Jobs, make: Maker) -> None:
    # given more ghosts than one script call looks at
    ghosts = ids(2_500)
    await make.conn.command("ZADD", make.keys.pending, *(word for id in ghosts for word in ("0", id)))
    real = await make.waiting()

    assert (await jobs.claim() or make).id == real  # type: ignore[union-attr]
    assert (await jobs.counts()).dropped == 2_500

    await make.conn.command("ZADD", make.keys.pending, *(word for id in ghosts for word in ("0", id)))
    real = await make.waiting()
    assert [claim.id for claim in await jobs.claim_batch(3)] == [real]
