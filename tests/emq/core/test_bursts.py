"""Large bursts: ids are looked at all at once, calls are packed while the first ones are worked on."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import emq
from emq.admitting import job_packer, lane_packer
from emq.frames import OnDemand, in_parts
from emq.ids import is_valid, surely_valid
from emq.keyspace import Keyspace
from emq.resp import pack, pack_script
from emq.scripts import script
from emq.wire import Wire

KEYS = Keyspace("a.queue-with_a.long-name")
GROUP = emq.group("PLR", 5_000_000_101)
LATE = "JOBAzL8n0Y58m7"  # well formed, of the last millisecond there is

jobs = st.integers(0, 2**63 - 1).map(lambda number: emq.encode("JOB", number))
spoiled = st.one_of(
    st.text(max_size=30),
    st.tuples(jobs, st.integers(0, 13), st.text(max_size=2)).map(
        lambda t: t[0][: t[1]] + t[2] + t[0][t[1] + 1 :]
    ),
    st.sampled_from(
        [None, 7, b"JOB0KHTOWnGLuA", "USR0KHTOWnGLuA", "JOB0KHTOWnGLu\n", "JOBAzL8n0Y58m8", LATE]
    ),
)


@given(st.lists(jobs | spoiled, max_size=8))
def test_what_is_sure_of_all_is_true_of_each(ids: list[object]) -> None:
    if surely_valid(ids, "JOB"):  # type: ignore[arg-type]
        assert all(is_valid(id, "JOB") for id in ids)
    if surely_valid(ids):  # type: ignore[arg-type]
        assert all(is_valid(id) for id in ids)


def test_minted_ids_are_sure_and_a_single_other_one_makes_it_unsure() -> None:
    ids = [emq.mint("JOB") for _ in range(2_500)]
    assert surely_valid(ids, "JOB")
    assert surely_valid([*ids, GROUP])
    assert not surely_valid([*ids, GROUP], "JOB")
    assert not surely_valid([*ids, LATE], "JOB")


@pytest.mark.parametrize(
    "halves", [("JOB0KHTOWnGLu", "A\nJOB0KHTOWnGLuA"), ("JOB0KHTOWnGLuA\nJOB0KHTOWnGLuA",)]
)
def test_ids_that_only_fit_together_are_not_sure(halves: tuple[str, ...]) -> None:
    assert not surely_valid(halves, "JOB")


@pytest.mark.parametrize("payload", [b"", b"x", b"\r\n$5\r\n", "🍎".encode(), b"y" * 70_000])
def test_a_call_packed_in_parts_is_the_call_packed_at_once(payload: bytes) -> None:
    id, enqueue, schedule, lane = (
        emq.mint("JOB"),
        script("enqueue"),
        script("schedule"),
        script("lane_enqueue"),
    )

    flat = job_packer(enqueue, KEYS.row, KEYS.pending)
    later = job_packer(schedule, KEYS.row, KEYS.schedule, "in", 1_500)
    fair = lane_packer(lane, KEYS)

    assert flat(id, payload) == pack_script(enqueue.sha, (KEYS.job(id), KEYS.pending), (id, payload))
    assert later(id, payload) == pack_script(
        schedule.sha, (KEYS.job(id), KEYS.schedule), (id, payload, "in", 1_500)
    )
    args = (id, payload, GROUP, KEYS.base)
    assert fair(GROUP, id, payload) == pack_script(lane.sha, (KEYS.job(id), KEYS.lane(GROUP)), args)


@pytest.mark.parametrize("count", [0, 1, 124, 125, 126, 5_000])
def test_parts_are_all_frames_in_order_the_first_of_them_small(count: int) -> None:
    frames = OnDemand(count, lambda place: b"%d," % place)

    parts = list(in_parts(frames))

    assert b"".join(parts) == b"".join(b"%d," % place for place in range(count))
    assert not parts or parts[0].count(b",") <= 125
    assert len(frames) == count


def test_things_on_demand_have_ends() -> None:
    made = OnDemand(3, lambda place: place)

    assert (list(made), made[-1], made[1:]) == ([0, 1, 2], 2, [1, 2])
    with pytest.raises(IndexError):
        made[3]


async def test_later_parts_are_packed_when_the_first_have_left(valkey_url: str) -> None:
    # given a wire, and parts that look whether the server has got those before
    async with await emq.connect(valkey_url) as conn:
        server = await conn._topology.server(0)
        wire = await server.take()
        left: list[int] = []

        def parts():
            for _ in range(3):
                left.append(wire._taken())
                yield b"PING\r\n" * 1_000

        # when
        replies = await wire.exchange(parts(), 3_000, 5.0)
        await server.give_back(wire)

    # then
    assert replies == [b"PONG"] * 3_000
    assert [later - left[0] for later in left] == [0, 6_000, 12_000]


class Watched:
    """A wire's transport that notes how many commands are ahead of the replies at each write."""

    def __init__(self, wire: Wire) -> None:
        self.wire, self.under, self.ahead = wire, wire._transport, list[int]()

    def write(self, data: bytes) -> None:
        sent = len(self.ahead) + 1
        self.ahead.append(sent - len(self.wire._replies))
        self.under.write(data)

    def __getattr__(self, name: str) -> object:
        return getattr(self.under, name)


@pytest.mark.parametrize("unanswered", [1, 2, 5, 50])
async def test_no_more_commands_are_written_ahead_of_the_replies_than_was_said(
    valkey_url: str, unanswered: int
) -> None:
    async with await emq.connect(valkey_url) as conn:
        server = await conn._topology.server(0)
        wire = await server.take()
        wire._transport = watched = Watched(wire)
        frames = OnDemand(20, lambda place: pack(("ECHO", place)), unanswered)

        replies = await wire.exchange(in_parts(frames), 20, 5.0, unanswered)
        wire._transport = watched.under
        await server.give_back(wire)

    assert replies == [b"%d" % place for place in range(20)]
    assert len(watched.ahead) == 20
    assert max(watched.ahead) == min(unanswered, 20)


async def test_long_script_calls_are_written_one_after_the_other(
    valkey_url: str, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a server that knows the scripts
    async with await emq.connect(valkey_url, wire=4) as conn:
        jobs, lanes = emq.Jobs(conn, queue), emq.Lanes(conn, queue)
        burst = [(id, b"x") for id in emq.mint_many("JOB", 3_000)]
        for name in ("enqueue_many", "lane_enqueue_many", "extend_locks", "complete_many", "claim_batch"):
            await conn.command("SCRIPT", "LOAD", script(name).text)
        asked: list[tuple[int, int | None]] = []
        exchange = Wire.exchange

        async def noted(wire: Wire, parts: Iterable[bytes], expected: int, *more: Any) -> list[Any]:
            asked.append((expected, more[1]))
            return await exchange(wire, parts, expected, *more)

        monkeypatch.setattr(Wire, "exchange", noted)

        # when many jobs are enqueued, extended, completed
        await jobs.enqueue_many(burst)
        held = [(claim.id, claim.token) for claim in await jobs.claim_batch(3_000)]
        assert await jobs.extend_locks(held, 60_000) == []
        assert set(await jobs.complete_many(held)) == {emq.Settlement.COMPLETED}
        await lanes.enqueue_many([(GROUP, id, body) for id, body in burst])

    # then the server has two such calls at a time, or one that is long
    assert [limit for expected, limit in asked if expected > 2] == [2, 1, 2, 2]
    assert [expected for expected, limit in asked if limit == 1] == [12]


async def test_a_large_part_and_many_small_ones_leave_whole(valkey_url: str, queue: str) -> None:
    async with await emq.connect(valkey_url) as conn:
        jobs = emq.Jobs(conn, queue)
        payloads = [b"z" * (3 << 20), *(b"%d" % n for n in range(3_000))]

        assert set(await jobs.enqueue_many([(emq.mint("JOB"), payload) for payload in payloads])) == {
            emq.ENQUEUED
        }
        assert [claim.payload for claim in await jobs.claim_batch(4_000)] == payloads


async def test_a_wire_whose_parts_fail_is_closed_and_the_next_one_works(valkey_url: str) -> None:
    async with await emq.connect(valkey_url) as conn:
        server = await conn._topology.server(0)
        wire = await server.take()

        # when
        with pytest.raises(ZeroDivisionError):
            await wire.exchange((b"PING\r\n" * (1 // n) for n in (1, 1, 0)), 3, 5.0)

        # then
        assert wire.dead
        await server.give_back(wire)
        assert await conn.command("PING", "again") == b"again"


async def test_bursts_side_by_side_keep_their_verdicts_apart(valkey_url: str, queue: str) -> None:
    async with await emq.connect(valkey_url) as conn:
        lanes = emq.Lanes(conn, queue)
        known = [emq.mint("JOB") for _ in range(500)]
        await lanes.enqueue_many([(GROUP, id, b"") for id in known])
        mixed = [
            list(itertools.chain.from_iterable((id, emq.mint("JOB"), "no id") for id in known[at::4]))
            for at in range(4)
        ]

        found = await asyncio.gather(
            *(lanes.enqueue_many([(GROUP, id, b"") for id in burst]) for burst in mixed)
        )

        for burst in found:
            assert [str(verdict) for verdict in burst] == ["duplicate", "enqueued", "refused:kind"] * 125
