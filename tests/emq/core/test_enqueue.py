"""Enqueue: a verdict per item, in input order; nothing undone; a burst sent again converges."""

from __future__ import annotations

import pytest

import emq
from emq.scripts import script
from tests.emq.core.makers import Maker, ids, said


async def test_a_job_is_written_with_exactly_its_three_fields(
    jobs: emq.Jobs, make: Maker, conn: emq.Connector, queue: str
) -> None:
    id = emq.mint("JOB")

    assert await jobs.enqueue(id, b"\x00\xff\r\n") is emq.ENQUEUED

    row = await emq.Admin(conn, queue).job(id)
    assert row == {"state": b"pending", "attempts": b"0", "payload": b"\x00\xff\r\n"}
    assert await make.score(make.keys.pending, id) == 0


async def test_a_burst_of_five_gets_a_verdict_each_and_converges_when_sent_again(
    jobs: emq.Jobs, make: Maker
) -> None:
    # given a job that is there already, two new ones, one more and an id that is none
    known = await make.waiting(b"first")
    new = ids(3)
    burst = [(new[0], "a"), (new[1], "b"), (known, "c"), (new[2], "d"), ("JOB0KHTOWnGLu-", "e")]

    # when the burst is sent
    verdicts = await jobs.enqueue_many(burst)

    # then each item has its own verdict and the others landed
    assert said(verdicts) == ["enqueued", "enqueued", "duplicate", "enqueued", "refused:kind"]
    assert await make.members(make.keys.pending) == sorted([known, *new])
    assert await make.field(known, "payload") == b"first"

    # when it is sent again, every good one is known
    assert said(await jobs.enqueue_many(burst)) == ["duplicate"] * 4 + ["refused:kind"]

    # and once completed, it is new again
    claim = await jobs.claim()
    assert claim is not None
    await jobs.complete(claim.id, claim.token)
    assert await jobs.enqueue(claim.id, b"") is emq.ENQUEUED


async def test_one_id_twice_in_one_burst_is_enqueued_once(jobs: emq.Jobs, make: Maker) -> None:
    one, other = ids(2)

    verdicts = await jobs.enqueue_many([(one, "1"), (other, "2"), (one, "3"), (one, "4")])

    assert said(verdicts) == ["enqueued", "enqueued", "duplicate", "duplicate"]
    assert await make.field(one, "payload") == b"1"


@pytest.mark.parametrize("state", ["active", "scheduled", "dead", "reaped"])
async def test_a_known_id_is_a_duplicate_in_whatever_state(jobs: emq.Jobs, make: Maker, state: str) -> None:
    claim: emq.Claim = await getattr(make, state)()
    row = await make.conn.command("HGETALL", make.keys.job(claim.id))

    assert await jobs.enqueue(claim.id, b"other") is emq.DUPLICATE

    assert await make.conn.command("HGETALL", make.keys.job(claim.id)) == row


@pytest.mark.parametrize(
    "id", ["", "JOB", "job0KHTOWnGLuA", "USR0KHTOWnGLuC", "JOBAzL8n0Y58m8", "JOB0KHTOWnGLuA\n"]
)
async def test_an_id_that_is_no_job_id_is_refused_at_its_place_and_touches_nothing(
    jobs: emq.Jobs, make: Maker, id: str
) -> None:
    good = emq.mint("JOB")

    verdicts = await jobs.enqueue_many([(id, b"x"), (good, b"x"), (id, b"x")])

    assert said(verdicts) == ["refused:kind", "enqueued", "refused:kind"]
    assert isinstance(verdicts[0], emq.Refused)
    assert not verdicts[0].transient
    assert await make.members(make.keys.pending) == [good]


async def test_a_burst_of_refused_items_alone_asks_no_server(jobs: emq.Jobs, conn: emq.Connector) -> None:
    await conn.close()

    assert said(await jobs.enqueue_many([("x", b""), ("y", b"")])) == ["refused:kind", "refused:kind"]


async def test_an_empty_burst_is_an_error(jobs: emq.Jobs) -> None:
    with pytest.raises(emq.EmptyPipeline):
        await jobs.enqueue_many([])


@pytest.mark.parametrize("payload", [None, 7, bytearray(b"x"), ["x"], "\ud800"])
async def test_a_payload_that_is_neither_text_nor_bytes_is_refused_before_anything_is_sent(
    jobs: emq.Jobs, payload: str
) -> None:
    with pytest.raises(emq.MalformedPayload):
        await jobs.enqueue_many([(emq.mint("JOB"), b"fine"), (emq.mint("JOB"), payload)])

    assert await jobs.pending_size() == 0


@pytest.mark.parametrize(
    "item", ["JOB0KHTOWnGLuA", ("JOB0KHTOWnGLuA",), ("JOB0KHTOWnGLuA", b"x", 5), None, 7]
)
async def test_an_item_that_is_no_pair_is_refused_in_a_sentence_before_anything_is_sent(
    jobs: emq.Jobs, item: object
) -> None:
    with pytest.raises(
        emq.MalformedArgument, match=r"is a pair of JOB id and payload, not .*; nothing was sent"
    ):
        await jobs.enqueue_many([(emq.mint("JOB"), b"x"), item])  # type: ignore[list-item]

    assert await jobs.pending_size() == 0


async def test_text_travels_as_utf_8(jobs: emq.Jobs) -> None:
    await jobs.enqueue(emq.mint("JOB"), "🍎")

    claim = await jobs.claim()

    assert claim is not None
    assert claim.payload == "🍎".encode()


async def test_a_burst_of_thousands_keeps_its_order(jobs: emq.Jobs) -> None:
    many = ids(5_000)

    verdicts = await jobs.enqueue_many([(id, b"x") for id in many[::2]])
    verdicts = await jobs.enqueue_many([(id, b"x") for id in many])

    assert said(verdicts) == ["duplicate", "enqueued"] * 2_500
    assert await jobs.pending_size() == 5_000


async def test_a_key_that_is_no_row_refuses_its_item_alone(jobs: emq.Jobs, make: Maker) -> None:
    # given a string where the second job's row would be
    one, two, three = ids(3)
    await make.conn.command("SET", make.keys.job(two), "not a row")

    # when the burst is sent
    verdicts = await jobs.enqueue_many([(one, b""), (two, b""), (three, b"")])

    # then only that item is refused, with the server's code
    assert said(verdicts) == ["enqueued", "refused:WRONGTYPE", "enqueued"]
    assert isinstance(verdicts[1], emq.Refused)
    assert not verdicts[1].transient
    assert await make.members(make.keys.pending) == [one, three]


@pytest.mark.parametrize("broken", ["pending", "wake"])
async def test_a_key_of_the_wrong_type_leaves_no_half_written_job(
    jobs: emq.Jobs, make: Maker, broken: str
) -> None:
    await make.conn.command("SET", getattr(make.keys, broken), "x")
    id = emq.mint("JOB")

    assert str(await jobs.enqueue(id, b"")) == "refused:WRONGTYPE"

    assert await make.conn.command("EXISTS", make.keys.job(id)) == 0


async def test_a_job_for_later_is_scheduled_and_known(jobs: emq.Jobs, make: Maker) -> None:
    soon, later = ids(2)
    before = await make.server_ms()

    assert await jobs.enqueue_in(soon, b"x", 60_000) is emq.ENQUEUED
    assert await jobs.enqueue_at(later, b"x", 1_999_999_999_999) is emq.ENQUEUED
    after = await make.server_ms()

    assert before + 60_000 <= (await make.score(make.keys.schedule, soon) or 0) <= after + 60_000
    assert await make.score(make.keys.schedule, later) == 1_999_999_999_999
    assert await make.field(soon, "state") == b"scheduled"
    assert await jobs.claim() is None
    assert await jobs.enqueue_in(soon, b"y", 0) is emq.DUPLICATE
    assert await jobs.enqueue(later, b"y") is emq.DUPLICATE


async def test_a_past_time_is_due_at_once(jobs: emq.Jobs) -> None:
    one, other = ids(2)
    await jobs.enqueue_at(one, b"x", 1)
    await jobs.enqueue_in(other, b"x", 0)

    assert await jobs.promote() == 2


async def test_scheduling_refuses_other_kinds_and_impossible_times(jobs: emq.Jobs, make: Maker) -> None:
    assert str(await jobs.enqueue_in("USR0KHTOWnGLuC", b"", 5)) == "refused:kind"
    for ms in (-1, 1.5, True, 10**15):
        with pytest.raises(emq.MalformedArgument):
            await jobs.enqueue_in(emq.mint("JOB"), b"", ms)  # type: ignore[arg-type]
    assert (await jobs.counts()).scheduled == 0


@pytest.mark.parametrize("ms", ["1e3", " 5", "5 ", "05", "-1", "", "0x10", "1.0"])
async def test_the_script_takes_digits_only(conn: emq.Connector, keys: emq.Keyspace, ms: str) -> None:
    id = emq.mint("JOB")

    with pytest.raises(emq.ServerRefused, match="EMQARG"):
        await conn.run(script("schedule"), (keys.job(id), keys.schedule), (id, b"", "in", ms))

    assert await conn.command("EXISTS", keys.job(id)) == 0


@pytest.mark.parametrize("verb", ["enqueue", "schedule"])
async def test_the_scripts_refuse_another_kind_themselves(
    conn: emq.Connector, keys: emq.Keyspace, verb: str
) -> None:
    id = "ORD0KHTOWnGLuA"

    with pytest.raises(emq.Kind):
        await conn.run(script(verb), (keys.job(id), keys.pending), (id, b"", "in", "5"))

    assert await conn.command("EXISTS", keys.job(id), keys.pending) == 0


async def test_the_first_waiting_job_leaves_one_wake_token_and_later_ones_none(
    jobs: emq.Jobs, make: Maker
) -> None:
    await make.waiting()
    assert await make.wakes() == 1

    await make.unwake()
    await make.waiting()
    assert await make.wakes() == 0
