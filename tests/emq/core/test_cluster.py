"""A cluster: every queue works on the node that holds it, while slots move, nodes fail over, or none serves."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator

import pytest

import emq
from emq import delivery
from tests.emq.core.constellations import ClusterNode, TestCluster, clustered, wait_for
from tests.emq.core.makers import Maker, ids, live_through, steer_through
from tests.servers import Kind


@pytest.fixture(scope="module", params=[Kind.REDIS7, Kind.VALKEY], ids=str)
def cluster(request: pytest.FixtureRequest) -> Iterator[TestCluster]:
    """Three primaries and a spare node, of each kind in turn; each test has queues of its own.

    The tests run in the order of the damage they do: the last one leaves a node dead.
    """
    with clustered(Kind(request.param)) as cluster:
        yield cluster


def queues_by_node(cluster: TestCluster, prefix: str) -> list[str]:
    """A queue name for each primary, in their order, in slots of the prefix's own."""
    found: dict[ClusterNode, str] = {}
    for number in itertools.count():
        name = f"{prefix}.{number}"
        found.setdefault(cluster.owner(emq.slot(emq.Keyspace(name).pending)), name)
        if len(found) == 3:
            return [found[node] for node in cluster.primaries]
    raise AssertionError


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slot that is moving is waited for as long as its move takes here."""
    monkeypatch.setattr(delivery, "_PATIENCE_S", 60.0)


async def test_every_flow_works_on_every_node_and_the_version_is_kept_once(cluster: TestCluster) -> None:
    for queue in queues_by_node(cluster, "life"):
        await live_through(cluster.url, queue)
        await live_through(f"{cluster.url}?protocol=2", queue + ".2")

    holders = [node for node in cluster.primaries if "echomq" in node.text("GET", "{emq}:version")]
    assert len(holders) == 1


async def test_lanes_and_the_control_plane_work_on_every_node(cluster: TestCluster) -> None:
    for queue in queues_by_node(cluster, "lanes"):
        await steer_through(cluster.url, queue)
        await steer_through(f"{cluster.url}?protocol=2", queue + ".2")


async def test_a_cluster_of_another_version_is_left_alone(cluster: TestCluster) -> None:
    owner = cluster.owner(emq.slot("{emq}:version"))
    owner.command("SET", "{emq}:version", "echomq:9.0.0")
    try:
        with pytest.raises(emq.VersionMismatch):
            await emq.connect(cluster.url)
    finally:
        owner.command("SET", "{emq}:version", "echomq:3.0.0")


@pytest.mark.usefixtures("patient")
async def test_a_burst_meets_a_slot_that_is_moving_and_lands_where_it_went(cluster: TestCluster) -> None:
    # given a queue with jobs whose slot is half way to another node
    queue = queues_by_node(cluster, "move")[0]
    slot = emq.slot(emq.Keyspace(queue).pending)
    source, target = cluster.primaries[0], cluster.primaries[1]
    async with await emq.connect(cluster.url) as conn:
        jobs, make = emq.Jobs(conn, queue), Maker(conn, queue)
        old = ids(5)
        await jobs.enqueue_many([(id, b"x") for id in old])
        claim = await jobs.claim()
        assert claim is not None
        target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)

        # when a burst is sent while the keys move, and the move ends a moment later
        new = ids(5)
        burst = asyncio.create_task(jobs.enqueue_many([(id, b"y") for id in [*old, *new]]))
        await asyncio.sleep(0.05)
        assert not burst.done()
        _move_keys(source, target, slot)
        await asyncio.sleep(0.05)
        for node in cluster.primaries:
            node.command("CLUSTER", "SETSLOT", slot, "NODE", target.id)

        # then each item has its verdict, and the queue lives on at its new place
        assert await burst == [emq.DUPLICATE] * 5 + [emq.ENQUEUED] * 5
        assert await make.members(make.keys.pending) == [*old[1:], *new]
        await jobs.complete(claim.id, claim.token)
        assert len(await jobs.claim_batch(20)) == 9
        assert target.text("ZCARD", make.keys.active) == ":9"


def _move_keys(source: ClusterNode, target: ClusterNode, slot: int) -> None:
    reply = source.command("CLUSTER", "GETKEYSINSLOT", slot, 1_000).decode()
    keys = [line for line in reply.split("\r\n") if line.startswith("emq:")]
    assert keys
    moved = source.command("MIGRATE", "127.0.0.1", target.port, "", 0, 5_000, "KEYS", *keys)
    assert moved.startswith(b"+OK")


async def test_a_moved_queue_is_followed_by_a_connector_that_knew_its_old_place(cluster: TestCluster) -> None:
    # given a warm connector
    queue = queues_by_node(cluster, "moved")[2]
    slot = emq.slot(emq.Keyspace(queue).pending)
    source, target = cluster.primaries[2], cluster.primaries[0]
    async with await emq.connect(cluster.url) as conn:
        jobs = emq.Jobs(conn, queue)
        await jobs.enqueue(emq.mint("JOB"), b"x")

        # when its queue's slot moves
        target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
        _move_keys(source, target, slot)
        for node in (target, source, cluster.primaries[1]):
            node.command("CLUSTER", "SETSLOT", slot, "NODE", target.id)

        # then nobody notices
        assert await jobs.enqueue(emq.mint("JOB"), b"y") is emq.ENQUEUED
        assert await conn.block_pop(emq.Keyspace(queue).wake, 1) == b"1"
        assert len(await jobs.claim_batch(5)) == 2


async def test_a_slot_nobody_serves_refuses_each_item_for_now_and_serves_again_when_it_can(
    cluster: TestCluster,
) -> None:
    queue = queues_by_node(cluster, "none")[0]
    slot = emq.slot(emq.Keyspace(queue).pending)
    owner = cluster.primaries[0]
    async with await emq.connect(cluster.url) as conn:
        jobs = emq.Jobs(conn, queue)
        await jobs.enqueue(emq.mint("JOB"), b"x")
        owner.command("CLUSTER", "DELSLOTS", slot)

        # when nobody serves it, items are refused in a way that says: again
        verdicts = await jobs.enqueue_many([(id, b"x") for id in ids(2)])
        assert [str(verdict) for verdict in verdicts] == ["refused:CLUSTERDOWN"] * 2
        assert all(isinstance(verdict, emq.Refused) and verdict.transient for verdict in verdicts)

        with pytest.raises(emq.NotSent, match="owns slot"):
            await jobs.enqueue(emq.mint("JOB"), b"x")

        # when it is served again, they land
        owner.command("CLUSTER", "ADDSLOTS", slot)
        assert await jobs.enqueue_many([(id, b"x") for id in ids(2)]) == [emq.ENQUEUED] * 2
        # and when that comes while a burst waits, the burst lands
        owner.command("CLUSTER", "DELSLOTS", slot)
        burst = asyncio.create_task(jobs.enqueue_many([(id, b"x") for id in ids(2)]))
        await asyncio.sleep(0.1)
        owner.command("CLUSTER", "ADDSLOTS", slot)
        assert await burst == [emq.ENQUEUED] * 2


async def test_a_server_that_is_no_cluster_is_one_sentence(redis7_url: str, own_real_server: object) -> None:
    with pytest.raises(emq.Unreachable, match="Is it running"):
        await emq.connect("redis+cluster://127.0.0.1:1,127.0.0.1:2")


async def test_a_promoted_replica_is_found(cluster: TestCluster) -> None:
    # given a queue whose primary has a replica, and a warm connector
    queue = queues_by_node(cluster, "failover")[1]
    primary, spare = cluster.primaries[1], cluster.spare
    cluster.follow(spare, primary)
    async with await emq.connect(cluster.url) as conn:
        jobs = emq.Jobs(conn, queue)
        one, two, three = ids(3)
        await jobs.enqueue(one, b"x")

        # when the replica has that and takes over while the primary lives
        cluster.catch_up(spare, primary)
        cluster.promote(spare)

        # then the same call goes there
        burst = [(one, b"x"), (two, b"y")]
        assert await jobs.enqueue_many(burst) == [emq.DUPLICATE, emq.ENQUEUED]

        # when that one is killed, and the first, which has all by then, takes over again
        wait_for(lambda: "master_link_status:up" in primary.text("INFO", "replication"))
        cluster.catch_up(primary, spare)
        wait_for(lambda: primary.text("ZCARD", emq.Keyspace(queue).pending).startswith("-MOVED"))
        spare.kill()
        cluster.promote(primary)

        # then it goes there, and the jobs are there too
        assert await jobs.enqueue_many([*burst, (three, b"z")]) == [
            emq.DUPLICATE, emq.DUPLICATE, emq.ENQUEUED
        ]  # fmt: skip
        assert [claim.id for claim in await jobs.claim_batch(5)] == [one, two, three]
