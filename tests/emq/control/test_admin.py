"""A queue under an operator's hand: looked at, paused, drained, obliterated; one job seen, changed, removed."""

from __future__ import annotations

import pytest

import emq
from emq.scripts import script
from tests.emq.core.makers import Maker, ids
from tests.emq.lanes.books import A, B, C, fill, keys_of, wrong


async def in_every_state(make: Maker, lanes: emq.Lanes) -> dict[str, str]:
    """A job in each state, one of them in a lane."""
    made = {"dead": (await make.dead()).id, "scheduled": (await make.scheduled()).id}
    made["active"] = (await make.active()).id
    made["pending"] = await make.waiting()
    (made["lane"],) = await fill(lanes, A, 1)
    return made


async def test_the_state_of_a_job_is_where_it_is(admin: emq.Admin, make: Maker, lanes: emq.Lanes) -> None:
    made = await in_every_state(make, lanes)

    states = {name: await admin.state(id) for name, id in made.items()}

    assert states == {
        "dead": emq.State.DEAD, "scheduled": emq.State.SCHEDULED, "active": emq.State.ACTIVE,
        "pending": emq.State.PENDING, "lane": emq.State.PENDING,
    }  # fmt: skip
    assert await admin.state(emq.mint("JOB")) is emq.State.ABSENT


async def test_the_states_of_many_jobs_are_told_in_their_order(
    admin: emq.Admin, make: Maker, lanes: emq.Lanes
) -> None:
    made = await in_every_state(make, lanes)
    asked = [made["lane"], emq.mint("JOB"), made["dead"], made["active"], made["lane"]]

    states = await admin.states(asked)

    assert states == [await admin.state(id) for id in asked]
    assert states[:2] == [emq.State.PENDING, emq.State.ABSENT]
    assert await admin.states([]) == []
    with pytest.raises(emq.MalformedId):
        await admin.states([made["dead"], "nobody"])


async def test_a_row_in_no_set_is_unknown_and_a_parent_of_a_flow_waits(admin: emq.Admin, make: Maker) -> None:
    lost, parent = ids(2)
    await make.conn.command("HSET", make.keys.job(lost), "state", "pending", "attempts", "0")
    await make.conn.command("HSET", make.keys.job(parent), "state", "awaiting_children", "attempts", "0")

    assert await admin.state(lost) is emq.State.UNKNOWN
    assert await admin.state(parent) is emq.State.AWAITING_CHILDREN


async def test_counts_are_of_every_state_lanes_included_in_one_round_trip(
    admin: emq.Admin, make: Maker, lanes: emq.Lanes, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given jobs in every state, and lanes in the rota, parked and at their limit
    await in_every_state(make, lanes)
    await make.conn.command("HINCRBY", make.keys.metric("completed"), "count", 7)
    await fill(lanes, B, 3)
    await lanes.pause(B)
    await lanes.limit(C, 1)
    await fill(lanes, C, 3)
    while (claim := await lanes.claim()) is not None and claim.group != C:
        await lanes.complete(claim.id, claim.token)
    sent: list[object] = []
    flush = make.conn.flush

    async def counted(*call: object) -> object:
        sent.append(call)
        return await flush(*call)  # type: ignore[arg-type]

    monkeypatch.setattr(make.conn, "flush", counted)

    counts = await admin.counts()

    assert counts == emq.Counts(1, 2, 1, 1, completed=8, failed=1, dropped=0, in_lanes=5)
    assert counts.waiting == 6
    assert len(sent) == 1


async def test_more_lanes_than_one_look_takes_in_are_counted_all_the_same(
    admin: emq.Admin, lanes: emq.Lanes
) -> None:
    await lanes.enqueue_many([(emq.group("PLR", at), id, b"") for at, id in enumerate(ids(1_203))])

    assert (await admin.counts()).in_lanes == 1_203


async def test_ages_are_those_of_the_oldest_ids(admin: emq.Admin, make: Maker, lanes: emq.Lanes) -> None:
    # given two waiting jobs, minted an hour and a minute ago, a lane job of two hours and one that is due
    now = await make.server_ms()

    def minted(ago_ms: int) -> str:
        return emq.encode("JOB", (now - ago_ms - 1_704_067_200_000) << 22)

    await emq.Jobs(make.conn, lanes.queue).enqueue_many([(minted(60_000), b""), (minted(3_600_000), b"")])
    await lanes.enqueue_many([(A, minted(10_000), b""), (B, minted(7_200_000), b"")])
    await lanes.enqueue_at(A, minted(5_000), b"", now - 2_000)

    ages = await admin.ages()

    def near(found: int | None, ago_ms: int) -> bool:
        return found is not None and ago_ms <= found < ago_ms + 60_000

    assert near(ages.pending, 3_600_000)
    assert near(ages.in_lanes, 7_200_000)
    assert near(ages.scheduled, 5_000)
    assert near(ages.overdue, 2_000)
    assert (ages.active, ages.lapsed, ages.dead) == (None, None, None)


async def test_a_lease_that_lapsed_is_as_old_as_its_lapse(admin: emq.Admin, make: Maker) -> None:
    # given a job in flight, and one whose lease lapsed a minute ago
    await make.active()
    lapsed, now = (await make.active()).id, await make.server_ms()
    assert (await admin.ages()).lapsed is None
    await make.conn.command("ZADD", make.keys.active, now - 60_000, lapsed)

    found = (await admin.ages()).lapsed

    assert found is not None
    assert 60_000 <= found < 120_000


async def test_throughput_is_told_by_two_looks_at_the_counters(admin: emq.Admin, make: Maker) -> None:
    found = await admin.throughput(0.05)
    assert (found.completed, found.failed) == (0, 0)

    for seconds in (0, -1, 4_000):
        with pytest.raises(emq.MalformedArgument):
            await admin.throughput(seconds)


@pytest.mark.parametrize(
    ("scheduled", "lanes_too", "gone"), [(False, False, 251), (True, False, 252), (True, True, 254)]
)
async def test_a_drain_removes_what_waits_and_nothing_else(
    admin: emq.Admin, make: Maker, lanes: emq.Lanes, scheduled: bool, lanes_too: bool, gone: int
) -> None:
    # given jobs in every state, more waiting than one step removes, one with a log
    made = await in_every_state(make, lanes)
    await emq.Jobs(make.conn, lanes.queue).enqueue_many([(id, b"") for id in ids(250)])
    await fill(lanes, B, 1)
    await admin.add_log(made["pending"], "a line")

    removed = await admin.drain(scheduled=scheduled, lanes=lanes_too)

    assert removed == gone
    for id in (made["active"], made["dead"]):
        assert await admin.job(id) is not None
    assert await admin.job(made["pending"]) is None
    assert await make.conn.command("EXISTS", make.keys.logs(made["pending"])) == 0
    assert (await admin.counts()).in_lanes == (0 if lanes_too else 2)
    assert await wrong(make.conn, lanes.queue) == []


async def test_a_drain_leaves_jobs_of_flows(admin: emq.Admin, make: Maker) -> None:
    child, other = await make.waiting(), await make.waiting()
    await make.conn.command("HSET", make.keys.job(child), "parent", other)

    assert await admin.drain() == 1

    assert await make.members(make.keys.pending) == [child]


async def test_only_a_paused_queue_without_jobs_in_flight_is_obliterated(
    admin: emq.Admin, make: Maker, lanes: emq.Lanes
) -> None:
    await in_every_state(make, lanes)
    before = await keys_of(make.conn, lanes.queue)

    with pytest.raises(emq.WrongState, match="not paused"):
        await admin.obliterate(force=True)
    await admin.pause()
    with pytest.raises(emq.WrongState, match="in flight"):
        await admin.obliterate()

    assert await keys_of(make.conn, lanes.queue) == sorted({*before, "meta"})
    assert await admin.obliterate(force=True) is True
    assert await keys_of(make.conn, lanes.queue) == []


async def test_an_obliteration_leaves_nothing_whatever_there_was_and_touches_no_other_queue(
    admin: emq.Admin, make: Maker, lanes: emq.Lanes
) -> None:
    # given everything a queue can have, also what only a foreign client makes, and a neighbour with a longer name
    await in_every_state(make, lanes)
    await fill(lanes, C, 3)
    await lanes.limit(C, 1)
    await lanes.weight(C, 4)
    await lanes.claim_batch(4)
    await lanes.pause(B)
    base, parent = make.keys.base, emq.mint("JOB")
    row = f"job:{parent}"
    for key in (
        f"{row}:dependencies", f"{row}:lock", "de:abc", "limiter", "stream:log:archived"
    ):  # fmt: skip
        await make.conn.command("SET", base + key, "1")
    for key in (
        f"{row}:processed",
        f"{row}:failed",
        f"{row}:unsuccessful",
        "repeat:x",
        row,
        "metrics:dropped",
    ):
        await make.conn.command("HSET", base + key, "state", "awaiting_children")
    for key in ("flow:outbox", f"{row}:logs", "metrics:completed:data"):
        await make.conn.command("RPUSH", base + key, "x")
    await make.conn.command("ZADD", base + "repeat", 1, "x")
    neighbour = emq.Jobs(make.conn, lanes.queue + "x")
    await neighbour.enqueue(emq.mint("JOB"), b"")

    # when it is obliterated
    await admin.pause()
    assert await admin.obliterate(force=True) is True

    # then nothing is left, and the queue can be used anew
    assert await keys_of(make.conn, lanes.queue) == []
    assert await neighbour.pending_size() == 1
    assert await admin.paused() is False
    assert await make.waiting()


async def test_an_obliteration_goes_on_where_it_was_stopped(admin: emq.Admin, lanes: emq.Lanes) -> None:
    # given more keys than the budget lets it look at in one go
    await lanes.enqueue_many([(A, id, b"") for id in ids(3_000)])
    await admin.pause()

    # when it is stopped by its budget, then the pause still stands, and calling again ends it
    calls = 1
    while not await admin.obliterate(budget=1_000):
        assert await admin.paused()
        calls += 1

    assert calls > 1
    with pytest.raises(emq.WrongState):
        await admin.obliterate()


@pytest.mark.parametrize("text", ["1e3", " 5", "-1", "", "0x10", "1.0"])
async def test_the_scripts_take_digits_only(make: Maker, text: str) -> None:
    id, k = await make.waiting(), make.keys
    await make.conn.command("HSET", k.meta, "paused", "1")

    for verb, keys, args in (
        ("drain", (k.pending,), (k.base, text, "5")),
        ("drain", (k.pending,), (k.base, "0", text)),
        ("obliterate", (k.meta, k.active), (k.base, "", text, "5")),
        ("obliterate", (k.meta, k.active), (k.base, "", "0", text)),
        ("add_log", (k.job(id), k.logs(id)), ("x", text)),
        ("counts", (k.pending, k.active, k.schedule, k.dead), (k.base, text)),
        ("dead_purge", (k.dead,), (k.base, text, "0", "", "5")),
        ("dead_purge", (k.dead,), (k.base, "5", "0", "", text)),
        ("lane_drain", (k.lane(A), k.ring), (k.base, A, text, "5")),
        ("lane_drain", (k.lane(A), k.ring), (k.base, A, "0", text)),
        ("lane_reap", (k.active, k.lane(A)), (k.base, A, text, "5")),
        ("lane_reap", (k.active, k.lane(A)), (k.base, A, "0", text)),
        ("delay", (k.active, k.schedule, k.job(id)), (id, "1", text, k.base)),
    ):
        with pytest.raises(emq.ServerRefused) as refused:
            await make.conn.run(script(verb), keys, args)
        assert refused.value.code == "EMQARG"

    assert await make.members(k.pending) == [id]
