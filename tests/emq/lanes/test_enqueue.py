"""Into lanes: a verdict per item, in input order; each job in the lane of its group; groups gated like ids."""

from __future__ import annotations

import pytest

import emq
from emq.scripts import script
from tests.emq.core.makers import Maker, said
from tests.emq.lanes.books import A, B, fill, ids, wrong


async def test_a_lane_job_is_written_with_exactly_its_four_fields(
    lanes: emq.Lanes, make: Maker, conn: emq.Connector, queue: str
) -> None:
    id = emq.mint("JOB")

    assert await lanes.enqueue(A, id, b"\x00\xff") is emq.ENQUEUED

    row = await emq.Admin(conn, queue).job(id)
    assert row == {"state": b"pending", "attempts": b"0", "payload": b"\x00\xff", "group": A.encode()}
    assert await make.score(make.keys.lane(A), id) == 0
    assert await make.ring() == [A]


async def test_a_burst_over_many_lanes_gets_a_verdict_each_in_one_flush(
    lanes: emq.Lanes, make: Maker
) -> None:
    # given a job that is there already, in another lane
    (known,) = await fill(lanes, B, 1)
    one, two, three = ids(3)

    # when a burst for three lanes is sent, some of it refused
    burst = [
        (A, one, "1"), (B, two, "2"), (A, known, "3"), ("nobody", three, "4"), (A, "JOB0KHTOWnGLu-", "5"),
        (A, three, "6"),
    ]  # fmt: skip
    verdicts = await lanes.enqueue_many(burst)

    # then each item has its own verdict, and what landed is in its lane
    assert said(verdicts) == ["enqueued", "enqueued", "duplicate", "refused:kind", "refused:kind", "enqueued"]
    assert await make.members(make.keys.lane(A)) == sorted([one, three])
    assert await make.members(make.keys.lane(B)) == sorted([known, two])

    # and sent again it converges
    assert said(await lanes.enqueue_many(burst)) == ["duplicate"] * 3 + ["refused:kind"] * 2 + ["duplicate"]
    assert await wrong(make.conn, lanes.queue) == []


@pytest.mark.parametrize(
    "group", ["", "PLR", "plr0KHTOWnGLuA", "PLRAzL8n0Y58m8", "PLR0KHTOWnGLuA\n", None, 7]
)
async def test_a_group_that_is_no_branded_id_is_refused_at_its_place_and_touches_nothing(
    lanes: emq.Lanes, conn: emq.Connector, make: Maker, group: str
) -> None:
    good = emq.mint("JOB")

    verdicts = await lanes.enqueue_many([(group, emq.mint("JOB"), b""), (A, good, b"")])

    assert said(verdicts) == ["refused:kind", "enqueued"]
    assert await lanes.groups() == [A]
    assert str(await lanes.enqueue_in(group, emq.mint("JOB"), b"", 0)) == "refused:kind"
    if isinstance(group, str):
        for steer in (lanes.pause(group), lanes.resume(group), lanes.limit(group, 1), lanes.depth(group)):
            with pytest.raises(emq.MalformedId):
                await steer


async def test_an_empty_burst_and_a_payload_that_cannot_travel_are_errors(lanes: emq.Lanes) -> None:
    with pytest.raises(emq.EmptyPipeline):
        await lanes.enqueue_many([])
    with pytest.raises(emq.MalformedPayload):
        await lanes.enqueue_many([(A, emq.mint("JOB"), b""), (A, emq.mint("JOB"), 7)])  # type: ignore[list-item]

    assert await lanes.groups() == []


async def test_a_burst_of_thousands_over_hundreds_of_lanes_keeps_its_order(lanes: emq.Lanes) -> None:
    groups = [emq.group("PLR", number) for number in range(300)]
    many = [(groups[at % 300], id, b"x") for at, id in enumerate(ids(3_000))]

    assert said(await lanes.enqueue_many(many[::2])) == ["enqueued"] * 1_500
    assert said(await lanes.enqueue_many(many)) == ["duplicate", "enqueued"] * 1_500
    assert set((await lanes.depths()).values()) == {10}


@pytest.mark.parametrize("broken", ["lane", "ring", "wake", "paused", "glimit", "gactive", "row"])
async def test_a_key_of_the_wrong_type_refuses_its_item_and_leaves_no_half_written_job(
    lanes: emq.Lanes, make: Maker, broken: str
) -> None:
    # given a hash where a string, or a string where anything else is expected
    id, neighbour = ids(2)
    key = {"lane": make.keys.lane(A), "row": make.keys.job(id)}.get(broken) or getattr(make.keys, broken)
    await make.conn.command("SET", key, "x")

    verdicts = await lanes.enqueue_many([(A, id, b""), (B, neighbour, b"")])

    assert str(verdicts[0]) == "refused:WRONGTYPE"
    if broken != "row":
        assert await make.conn.command("EXISTS", make.keys.job(id)) == 0
    if broken in ("lane", "row"):
        assert verdicts[1] is emq.ENQUEUED


async def test_the_first_job_of_a_lane_wakes_a_worker_and_the_next_does_not(
    lanes: emq.Lanes, make: Maker
) -> None:
    await fill(lanes, A, 1)
    assert await make.wakes() == 1
    await make.unwake()

    await fill(lanes, A, 3)
    assert await make.wakes() == 0

    await fill(lanes, B, 1)
    assert await make.wakes() == 1


async def test_no_more_than_64_wake_tokens_are_kept(lanes: emq.Lanes, make: Maker) -> None:
    await lanes.enqueue_many([(emq.group("PLR", at), id, b"") for at, id in enumerate(ids(80))])

    assert await make.wakes() == 64
    assert len(await make.ring()) == 80


async def test_a_job_for_later_comes_into_its_lane_when_it_is_due(lanes: emq.Lanes, make: Maker) -> None:
    soon, later = ids(2)
    assert await lanes.enqueue_in(A, soon, b"x", 0) is emq.ENQUEUED
    assert await lanes.enqueue_at(A, later, b"x", 1_999_999_999_999) is emq.ENQUEUED
    assert await lanes.claim() is None
    assert await lanes.enqueue(B, soon, b"y") is emq.DUPLICATE
    await make.unwake()

    assert await lanes.promote() == 1

    assert await make.members(make.keys.lane(A)) == [soon]
    assert await make.wakes() == 1
    assert await lanes.claim() == emq.Claim(soon, b"x", 1, A)
    assert await make.score(make.keys.schedule, later) == 1_999_999_999_999
    assert await wrong(make.conn, lanes.queue) == []


async def test_scheduling_refuses_other_kinds_and_impossible_times(lanes: emq.Lanes, make: Maker) -> None:
    assert str(await lanes.enqueue_in(A, "USR0KHTOWnGLuC", b"", 5)) == "refused:kind"
    for ms in (-1, 1.5, True, 10**15):
        with pytest.raises(emq.MalformedArgument):
            await lanes.enqueue_in(A, emq.mint("JOB"), b"", ms)  # type: ignore[arg-type]

    assert await make.members(make.keys.schedule) == []


@pytest.mark.parametrize("verb", ["lane_enqueue", "lane_schedule"])
async def test_the_scripts_refuse_another_kind_themselves(make: Maker, verb: str) -> None:
    id, k = "ORD0KHTOWnGLuA", make.keys
    args = (id, b"", A, k.base) if verb == "lane_enqueue" else (id, b"", A, "in", "5")

    with pytest.raises(emq.Kind):
        await make.conn.run(script(verb), (k.job(id), k.lane(A)), args)

    assert await make.conn.command("EXISTS", k.job(id), k.lane(A)) == 0


async def test_numbers_make_groups_that_never_meet_and_go_back() -> None:
    numbers = [0, 1, -1, 2, -2, 5_000_000_000, -1_002_003_004_005, 2**62 - 1, -(2**62)]

    groups = [emq.group("CHT", number) for number in numbers]

    assert len(set(groups)) == len(numbers)
    assert all(emq.is_valid(group, "CHT") for group in groups)
    assert [emq.group_number(group) for group in groups] == numbers
    for number in (2**62, -(2**62) - 1, 1.0, True, "1"):
        with pytest.raises(emq.MalformedArgument):
            emq.group("CHT", number)  # type: ignore[arg-type]
    with pytest.raises(emq.MalformedId):
        emq.group("cht", 1)
