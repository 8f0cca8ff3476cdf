"""Steps that are refused half-way, by a permission that an ACL forgot: no job is lost, no lane forgotten."""

from __future__ import annotations

import contextlib

import pytest

import emq
from tests.emq.lanes.books import METRICS, Books, groups, keys_of
from tests.emq.lanes.strolling import Stroll
from tests.servers import ServerProcess

WRITES = [
    "zadd", "zrem", "hset", "hdel", "hincrby", "del", "rpush", "lpush", "lpop", "lrem", "sadd", "srem", "set", "persist"
]  # fmt: skip


@pytest.mark.parametrize("forgotten", WRITES)
async def test_a_user_who_may_not_do_one_thing_loses_no_job_and_no_lane(
    own_server_of_redis: ServerProcess, queue: str, forgotten: str
) -> None:
    # given a user who may do everything but one command
    own = own_server_of_redis
    own.command("ACL", "SETUSER", "w", "reset", "on", ">p", "~*", "&*", "+@all", f"-{forgotten}")
    async with await emq.connect(own.url) as conn:
        async with await emq.connect(own.url + "&username=w&password=p") as poor:
            # when both work on one queue, in any order
            able, stroll = Stroll(conn, queue, 3), Stroll(poor, queue, 4)
            for step in range(600):
                if step % 3 == 0:
                    await able.step()
                else:
                    with contextlib.suppress(emq.ServerRefused):
                        await stroll.step()

        # then every job that has a row is somewhere, and every lane that can be served by the books is in the rota
        books = await Books.read(conn, queue)
        placed = {id for members in books.places.values() for id in members}
        assert set(books.rows) <= placed
        assert books.servable() <= set(books.ring)

        # and whoever may do everything works them all off
        for group in groups(6):
            await conn.command("HDEL", emq.Keyspace(queue).gactive, group)
        await able.wind_down()
        assert set(await keys_of(conn, queue)) <= METRICS | {"gactive"}


async def test_a_full_server_refuses_new_jobs_and_lets_everything_else_go_on(
    own_real_server: ServerProcess, queue: str
) -> None:
    # given lanes with work on a server that has no memory left
    async with await emq.connect(own_real_server.url) as conn:
        lanes, admin = emq.Lanes(conn, queue), emq.Admin(conn, queue)
        a, b = groups(2)
        ids = [emq.mint("JOB") for _ in range(8)]
        await lanes.enqueue_many([(a if at < 6 else b, id, b"") for at, id in enumerate(ids)])
        await lanes.weight(a, 5)
        own_real_server.command("CONFIG", "SET", "maxmemory", "1")

        # then a new job is refused for now
        (verdict,) = await lanes.enqueue_many([(a, emq.mint("JOB"), b"")])
        assert str(verdict) == "refused:OOM"
        assert isinstance(verdict, emq.Refused)
        assert verdict.transient

        # and whoever works, or steers, goes on
        await lanes.limit(a, 4)
        one, two, three, four = await lanes.claim_turn()
        assert await lanes.pause(b)
        await lanes.complete(one.id, one.token)
        await lanes.retry(two.id, two.token, max_attempts=1)
        await lanes.delay(three.id, three.token, delay_ms=0)
        assert await lanes.promote() == 1
        await emq.DeadLetters(conn, queue).requeue(two.id)
        assert await lanes.unlimit(a)
        assert await lanes.resume(b)
        assert await lanes.reassign(three.id, b)
        assert len(await lanes.claim_any(20)) == 6
        await admin.remove(four.id)
        await admin.pause()
        assert await admin.obliterate(force=True)
