"""Many items in one script call: verdicts, effects and errors are those of a call for each item."""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

import emq
from emq.batches import CHUNK, CHUNK_BYTES
from tests.emq.core.makers import ids, pairs, said
from tests.proxy import FaultProxy
from tests.servers import ServerProcess

GROUPS = [emq.group("PLR", number) for number in range(3)]
FAR = 4_000_000_000_000
SEEDS = range(40)

Burst = list[Any]
Send = Callable[[emq.Connector, str, int, Burst], Awaitable[list[Any]]]


async def enqueue(conn: emq.Connector, queue: str, chunk: int, burst: Burst) -> list[Any]:
    return list(await emq.Jobs(conn, queue, chunk=chunk).enqueue_many(burst))


async def lane_enqueue(conn: emq.Connector, queue: str, chunk: int, burst: Burst) -> list[Any]:
    laned = [(GROUPS[at % 3] if len(id) == 14 else id, id, payload) for at, (id, payload) in enumerate(burst)]
    return list(await emq.Lanes(conn, queue, chunk=chunk).enqueue_many(laned))


async def complete(conn: emq.Connector, queue: str, chunk: int, burst: Burst) -> list[Any]:
    tokens = [(id, len(payload) % 3) for id, payload in burst]
    return list(await emq.Jobs(conn, queue, chunk=chunk).complete_many(tokens))


SENDS: list[Send] = [enqueue, lane_enqueue, complete]


def told(outcomes: Sequence[Any]) -> list[tuple[str, str]]:
    """What each outcome says; servers put the name of the script that met an error behind it."""
    words = [getattr(outcome, "message", "") for outcome in outcomes]
    return [
        (str(outcome), re.sub(r",? script: .*|\(call to .*", "", message))
        for outcome, message in zip(outcomes, words, strict=True)
    ]


READS = {
    b"hash": ("HGETALL",),
    b"zset": ("ZRANGE", "0", "-1", "WITHSCORES"),
    b"list": ("LRANGE", "0", "-1"),
    b"set": ("SMEMBERS",),
    b"string": ("GET",),
}


async def whole(conn: emq.Connector, queue: str) -> dict[bytes, Any]:
    """Everything that is in a queue, by the ends of its keys."""
    base = emq.Keyspace(queue).base
    named = await conn.on_each_primary("KEYS", base + "*")
    keys = [key for _, some in named for key in some]
    found = {}
    for key in keys:
        verb, *rest = READS[await conn.command("TYPE", key)]
        content = await conn.command(verb, key, *rest)
        if isinstance(content, dict):
            content = [word for pair in content.items() for word in pair]
        if verb in ("HGETALL", "SMEMBERS"):
            content = sorted(content)
        found[key[len(base) :]] = content
    assert found
    return found


async def arrange(conn: emq.Connector, queue: str, seed: int) -> Burst:
    """A queue of jobs in all states, with some keys that are not what they should be, and a burst that meets them.

    The same seed makes the same queue, whatever its name.
    """
    dice, keys = random.Random(seed), emq.Keyspace(queue)
    known = [emq.encode("JOB", (seed << 30) + at) for at in range(24)]
    commands: list[tuple[Any, ...]] = []
    for at, id in enumerate(known[:14]):
        row = {"state": "active", "attempts": dice.choice("0112"), "payload": f"old {at}"}
        if dice.random() < 0.4:
            row["group"] = dice.choice(GROUPS)
        row |= dice.choice([{}, {}, {}, {"parent": id}, {"spent": "1"}])
        commands.append(("HSET", keys.job(id), *(word for pair in row.items() for word in pair)))
        place = dice.choice([keys.active] * 4 + [keys.pending, keys.dead, keys.lane(GROUPS[0])])
        commands.append(("ZADD", place, FAR if place == keys.active else 0, id))
    commands += [("HSET", keys.gactive, group, dice.randint(1, 4)) for group in GROUPS]
    commands += [("HSET", keys.glimit, GROUPS[0], 2), ("RPUSH", keys.ring, GROUPS[1])]
    commands += [("SET", keys.job(id), "no row") for id in known[14:16]]
    for key in (keys.pending, keys.active, keys.wake, keys.lane(GROUPS[1]), keys.ring, keys.logs(known[0])):
        if dice.random() < 0.12:
            commands += [("DEL", key), ("SET", key, "something else")]
    if dice.random() < 0.2:
        commands.append(("SADD", keys.paused, GROUPS[2]))
    await conn.pipeline(commands)
    burst = [(id, b"x" * dice.randint(0, 5)) for id in dice.choices(known, k=30)]
    return [*burst, ("USR0KHTOWnGLuA", b"1"), ("no id", b""), *burst[:2]]


@pytest.mark.parametrize("send", SENDS)
@pytest.mark.parametrize("seed", SEEDS)
async def test_items_of_a_chunk_fare_as_items_that_travel_alone(
    conn: emq.Connector, queue: str, send: Send, seed: int
) -> None:
    # given the same queue twice
    alone, together = queue + ".alone", queue + ".together"
    burst = await arrange(conn, alone, seed)
    assert await arrange(conn, together, seed) == burst

    # when the same burst is sent, item by item to the one, in chunks to the other
    reference = await send(conn, alone, 1, burst)
    verdicts = await send(conn, together, random.Random(seed).choice([2, 7, 200]), burst)

    # then nothing tells them apart
    assert told(verdicts) == told(reference)
    assert await whole(conn, together) == await whole(conn, alone)


async def test_a_full_server_refuses_the_new_items_of_a_chunk_and_no_others(
    own_real_server: ServerProcess, queue: str
) -> None:
    # given known jobs, some of them held, and a server out of memory
    async with await emq.connect(own_real_server.url) as conn:
        known, burst = pairs(8), []
        for part in ("alone", "together"):
            jobs = emq.Jobs(conn, f"{queue}.{part}")
            await jobs.enqueue_many(known)
            await jobs.claim_batch(4, lease_ms=FAR)
        own_real_server.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
        own_real_server.command("CONFIG", "SET", "maxmemory", "1")

        # when known and new ones are mixed
        burst = [item for both in zip(known, pairs(8), strict=True) for item in both]
        reference = await enqueue(conn, queue + ".alone", 1, burst)
        verdicts = await enqueue(conn, queue + ".together", 5, burst)
        settled = [
            await emq.Jobs(conn, f"{queue}.{part}", chunk=chunk).complete_many([(id, 1) for id, _ in burst])
            for part, chunk in (("alone", 1), ("together", 5))
        ]

        # then each has its own verdict, and what frees memory goes on
        assert said(verdicts) == ["duplicate", "refused:OOM"] * 8
        assert told(verdicts) == told(reference)
        assert said(settled[1]) == ["completed", "gone"] * 4 + ["stale", "gone"] * 4
        assert settled[0] == settled[1]


@pytest.mark.parametrize("send", SENDS)
@pytest.mark.parametrize("without", ["-zadd", "-hset", "-del", "-zrem", "-exists", "-hmget", "-zmscore"])
async def test_a_user_who_may_not_do_all_is_refused_in_a_chunk_what_is_refused_alone(
    own_real_server: ServerProcess, queue: str, send: Send, without: str
) -> None:
    own_real_server.command("ACL", "SETUSER", "w", "reset", "on", ">p", "~*", "&*", "+@all", without)
    async with (
        await emq.connect(own_real_server.url) as conn,
        await emq.connect(own_real_server.url + "&username=w&password=p") as poor,
    ):
        alone, together = queue + ".alone", queue + ".together"
        burst = await arrange(conn, alone, 0)
        await arrange(conn, together, 0)

        reference = await send(poor, alone, 1, burst)
        verdicts = await send(poor, together, 200, burst)

        assert told(verdicts) == told(reference)
        assert await whole(conn, together) == await whole(conn, alone)


async def test_a_job_whose_log_a_user_may_not_delete_costs_those_settled_with_it_nothing(
    own_real_server: ServerProcess, queue: str
) -> None:
    async with await emq.connect(own_real_server.url) as conn:
        settled = []
        for part, chunk in (("alone", 1), ("together", 200)):
            # given five jobs in hand, and a user who may not touch the log of the third
            keys, jobs = emq.Keyspace(f"{queue}.{part}"), emq.Jobs(conn, f"{queue}.{part}")
            held = ids(5)
            await jobs.enqueue_many([(id, b"") for id in held])
            await jobs.claim_batch(5)
            rows = [f"~{keys.job(id)}{'' if at == 2 else '*'}" for at, id in enumerate(held)]
            others = [f"~{keys.base}{key}" for key in ("", "active", "pending", "metrics:*")]
            own_real_server.command(
                "ACL", "SETUSER", "w", "reset", "on", ">p", "&*", "+@all", "~{emq}*", *rows, *others
            )

            # when all are settled, item by item and together, one of them twice
            url = own_real_server.url + "&username=w&password=p"
            async with await emq.connect(url) as poor:
                burst = [(id, 1) for id in (*held, held[0])]
                settled.append(await emq.Jobs(poor, jobs.queue, chunk=chunk).complete_many(burst))
            assert await jobs.counts() == emq.Counts(pending=0, active=1, scheduled=0, dead=0, completed=4)

        # then it alone is refused
        assert said(settled[1]) == ["completed"] * 2 + ["refused:NOPERM"] + ["completed"] * 2 + ["gone"]
        assert told(settled[1]) == told(settled[0])


async def test_a_read_only_replica_refuses_each_item_of_a_chunk_for_now(replica_url: str, queue: str) -> None:
    async with await emq.connect(replica_url) as conn:
        verdicts = await enqueue(conn, queue, 2, pairs(5))

    assert said(verdicts) == ["refused:READONLY"] * 5
    assert all(isinstance(verdict, emq.Refused) and verdict.transient for verdict in verdicts)


async def test_a_cut_between_chunks_keeps_the_verdicts_that_were_read(server_url: str, queue: str) -> None:
    # given a burst of four chunks and an item that never travels
    burst: Burst = pairs(20)
    burst.insert(2, ("nonsense", b""))
    async with FaultProxy(server_url) as proxy, await emq.connect(proxy.url) as conn:
        await enqueue(conn, queue, 5, pairs(2))
        landed_before = await emq.Jobs(conn, queue).pending_size()

        # when the line is cut once two of its calls were applied and answered
        proxy.cut_after_commands(2, deliver=True)
        with pytest.raises(emq.Uncertain) as uncertain:
            await enqueue(conn, queue, 5, burst)

        # then what was read is known, whole calls of it, and the rest is not
        known = said([verdict for verdict in uncertain.value.verdicts if verdict is not None])
        assert len(uncertain.value.verdicts) == 21
        assert known.count("enqueued") in (0, 5, 10)
        assert known.count("refused:kind") == 1
        assert await emq.Jobs(conn, queue).pending_size() == landed_before + 10

        # and the same burst again lands the others
        again = said(await enqueue(conn, queue, 5, burst))
        assert (again.count("duplicate"), again.count("enqueued")) == (10, 10)


async def test_a_script_that_was_forgotten_halfway_is_sent_again_for_its_chunks_only(
    own_server: ServerProcess, queue: str
) -> None:
    async with await emq.connect(own_server.url) as conn:
        await enqueue(conn, queue, 200, pairs(2))
        own_server.command("SCRIPT", "FLUSH")

        assert await enqueue(conn, queue, 50, pairs(500)) == [emq.ENQUEUED] * 500


async def test_large_payloads_make_short_calls(own_real_server: ServerProcess, queue: str) -> None:
    async with await emq.connect(own_real_server.url) as conn:
        await enqueue(conn, queue, CHUNK, pairs(2))
        assert len(await emq.Jobs(conn, queue).claim_batch(2)) == 2
        before = own_real_server.calls()["evalsha"]
        sizes = [CHUNK_BYTES // 2] * 4 + [CHUNK_BYTES * 2] + [1] * 100
        items = [(id, b"y" * size) for id, size in zip(ids(len(sizes)), sizes, strict=True)]

        assert await enqueue(conn, queue, CHUNK, items) == [emq.ENQUEUED] * len(items)

        claims = await emq.Jobs(conn, queue).claim_batch(len(items))
        assert [len(claim.payload) for claim in claims] == sizes
        assert own_real_server.calls()["evalsha"] - before == 2 + 1 + 1 + 1


@pytest.mark.parametrize("chunk", [0, -1, 1_001, True, "9", None])
def test_a_chunk_is_a_number_of_items(conn: emq.Connector, chunk: Any) -> None:
    with pytest.raises(emq.MalformedArgument):
        emq.Jobs(conn, "cm", chunk=chunk)
