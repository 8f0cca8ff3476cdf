"""Bursts on a server in trouble: forgotten scripts, no memory, no master: a verdict per item all the same."""

from __future__ import annotations

import emq
from emq.delivery import Delivery
from emq.resp import pack, pack_script
from emq.scripts import script
from tests.emq.core.makers import Maker, ids, said
from tests.servers import ServerProcess


async def test_a_flushed_script_inside_a_burst_is_healed_for_the_items_that_missed_it(
    own_server: ServerProcess, queue: str
) -> None:
    # given a connector whose scripts are loaded
    async with await emq.connect(own_server.url) as conn:
        jobs = emq.Jobs(conn, queue)
        await jobs.enqueue(emq.mint("JOB"), b"")
        own_server.command("SCRIPT", "FLUSH")

        # when a burst meets a server that forgot them
        many = ids(200)
        verdicts = await jobs.enqueue_many([(id, b"x") for id in many])

        # then every item landed, once
        assert verdicts == [emq.ENQUEUED] * 200
        assert await jobs.pending_size() == 201


async def test_a_script_lost_halfway_through_a_burst_is_sent_again_for_the_rest_only(
    own_server: ServerProcess, queue: str
) -> None:
    # given a known job, and a burst with a SCRIPT FLUSH in its middle
    async with await emq.connect(own_server.url) as conn:
        keys, many, enqueue = emq.Keyspace(queue), ids(6), script("enqueue")
        await conn.run(enqueue, (keys.job(many[0]), keys.pending), (many[0], b"x"))
        burst = [pack_script(enqueue.sha, (keys.job(id), keys.pending), (id, b"x")) for id in many]
        burst.insert(3, pack(("SCRIPT", "FLUSH")))
        load = pack(("SCRIPT", "LOAD", enqueue.text))

        # when it is sent
        replies = await Delivery(conn._topology, emq.slot(keys.pending), burst, load, 5.0).run()

        # then what came before is not sent again (it would answer 0), and what came after landed
        assert replies == [0, 1, 1, b"OK", 1, 1, 1]


async def test_a_full_server_refuses_new_jobs_and_lets_held_ones_go_on(
    own_real_server: ServerProcess, queue: str
) -> None:
    # given jobs in every hand, and a server that is out of memory
    async with await emq.connect(own_real_server.url) as conn:
        jobs, make = emq.Jobs(conn, queue), Maker(conn, queue)
        await jobs.enqueue_many([(id, b"x") for id in ids(6)])
        one, two, three, four = await jobs.claim_batch(4)
        own_real_server.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
        own_real_server.command("CONFIG", "SET", "maxmemory", "1")

        # when more is sent, each item is refused, and told apart from one that never can land
        verdicts = await jobs.enqueue_many([(id, b"x") for id in ids(3)])
        assert said(verdicts) == ["refused:OOM"] * 3
        assert all(isinstance(verdict, emq.Refused) and verdict.transient for verdict in verdicts)

        # then claims, leases, settles and reaps go on: they are what frees the memory
        await jobs.extend_lock(one.id, one.token, 60_000)
        assert await jobs.extend_locks([(one.id, 1), (two.id, 1)], 60_000) == []
        await jobs.complete(one.id, one.token)
        assert await jobs.complete_many([(two.id, two.token)]) == [emq.Settlement.COMPLETED]
        assert await jobs.retry(three.id, three.token, delay_ms=0) == "scheduled"
        assert await jobs.retry(four.id, four.token, max_attempts=1) == "dead"
        assert len(await jobs.claim_batch(5)) == 2
        assert await jobs.promote() == 1

        # and with memory again, the same ids land
        own_real_server.command("CONFIG", "SET", "maxmemory", "0")
        assert await make.waiting()


async def test_a_read_only_replica_refuses_each_item_for_now(replica_url: str, queue: str) -> None:
    async with await emq.connect(replica_url) as conn:
        verdicts = await emq.Jobs(conn, queue).enqueue_many([(id, b"x") for id in ids(2)])

    assert said(verdicts) == ["refused:READONLY"] * 2
    assert all(isinstance(verdict, emq.Refused) and verdict.transient for verdict in verdicts)
