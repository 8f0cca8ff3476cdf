"""Several primaries: native commands where all have them, after failovers too, and patience with moving slots."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import emq
from emq import delivery, executors
from tests.emq.core.constellations import ClusterNode, TestCluster, Watched, wait_for
from tests.emq.core.makers import Maker, live_through
from tests.emq.core.test_cluster import queues_by_node
from tests.servers import Kind, binary_of

MAY_LOAD = ("--enable-module-command", "yes")


@pytest.fixture(scope="module", params=[Kind.REDIS7, Kind.VALKEY], ids=str)
def cluster(request: pytest.FixtureRequest, module: Path) -> Iterator[TestCluster]:
    """Three primaries that have the module and a spare node that has not, of each kind in turn.

    The tests run in the order of the damage they do: the last one leaves another node in charge.
    """
    kind = Kind(request.param)
    if binary_of(kind) is None:
        pytest.skip(f"this machine has no {kind}")
    folder = Path(tempfile.mkdtemp(prefix="emq-"))
    cluster = TestCluster(kind, folder, *MAY_LOAD)
    try:
        cluster.start()
        for node in cluster.primaries:
            assert node.command("MODULE", "LOAD", str(module)) == b"+OK\r\n"
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slot that is moving is waited for as long as its move takes here."""
    monkeypatch.setattr(delivery, "_PATIENCE_S", 60.0)


async def test_every_primary_runs_its_own_queues_natively(cluster: TestCluster) -> None:
    for queue in queues_by_node(cluster, "life"):
        await live_through(cluster.url, queue)

    assert [node.calls().get("emq.extends") for node in cluster.primaries] == [1, 1, 1]


def test_the_server_routes_by_the_two_keys(cluster: TestCluster) -> None:
    queue = queues_by_node(cluster, "route")[1]
    k = emq.Keyspace(queue)
    words = ("EMQ.EXTENDS", "2", k.active, k.base, "5000")

    assert cluster.primaries[1].command(*words) == b"*0\r\n"
    assert cluster.primaries[0].command(*words).startswith(b"-MOVED ")
    other = emq.Keyspace(queues_by_node(cluster, "route")[2])
    assert (
        cluster.primaries[1]
        .command("EMQ.EXTENDS", "2", k.active, other.base, "5000")
        .startswith(b"-CROSSSLOT")
    )


def test_a_base_whose_rows_would_be_anywhere_is_refused(cluster: TestCluster) -> None:
    # given bases without a closed hash tag that share a slot with their active set by chance
    for start in ("emq:q", "emq:{q", "emq:{}q"):
        base = next(
            base
            for number in itertools.count()
            if emq.slot(base := f"{start}{number}:") == emq.slot(base + "active")
        )
        node = cluster.owner(emq.slot(base))

        # then nothing is looked for under them
        assert node.command("EMQ.EXTENDS", "2", base + "active", base, "5000", "x", "1").startswith(
            b"-EMQARG "
        )

    # and a closed tag anywhere in it will do
    base = "some{q}:"
    node = cluster.owner(emq.slot(base))
    assert node.command("EMQ.EXTENDS", "2", base + "active", base, "5000", "x", "1") == b"*1\r\n$1\r\nx\r\n"


async def test_one_primary_without_the_module_means_scripts_everywhere(
    cluster: TestCluster, module: Path
) -> None:
    bare = cluster.primaries[2]
    bare.command("MODULE", "UNLOAD", "emq")
    before = [node.calls().get("emq.extends", 0) for node in cluster.primaries[:2]]
    try:
        for queue in queues_by_node(cluster, "bare"):
            async with await emq.connect(cluster.url) as conn:
                claim = await Maker(conn, queue).active()
                await emq.Jobs(conn, queue).extend_locks([(claim.id, 1)], 5_000)
                assert conn.executor == "scripts"
        with pytest.raises(emq.NoNative, match=str(bare.port)):
            await emq.connect(cluster.url, wire=6)
    finally:
        bare.command("MODULE", "LOAD", str(module))
    assert [node.calls().get("emq.extends", 0) for node in cluster.primaries[:2]] == before


async def test_a_primary_that_does_not_answer_costs_a_moment_and_the_leases_live(
    cluster: TestCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "_ASK_WITHIN_S", 4.0)
    monkeypatch.setattr(executors, "_ASK_AGAIN_S", 600.0)
    # given a fresh connection, and another queue's primary that hangs
    queue = queues_by_node(cluster, "hang")[0]
    async with await emq.connect(cluster.url) as conn:
        jobs, claim = emq.Jobs(conn, queue), await Maker(conn, queue).active()
        cluster.primaries[1].pause()
        try:
            # when leases are extended, then scripts do it, and only the first call waits
            await asyncio.wait_for(jobs.extend_lock(claim.id, 1, 60_000), 60)
            await asyncio.wait_for(jobs.extend_lock(claim.id, 1, 60_000), 3.5)
            assert conn.executor == "scripts"
        finally:
            cluster.primaries[1].resume()
    wait_for(lambda: all("cluster_state:ok" in node.text("CLUSTER", "INFO") for node in cluster.primaries))


@pytest.mark.usefixtures("patient")
async def test_an_extension_waits_for_a_slot_that_is_moving(cluster: TestCluster) -> None:
    # given a lease whose slot is half way to another node, where its row is already
    queue = queues_by_node(cluster, "move")[0]
    k = emq.Keyspace(queue)
    slot = emq.slot(k.active)
    source, target = cluster.primaries[0], cluster.primaries[1]
    async with await emq.connect(cluster.url) as conn:
        jobs, make = emq.Jobs(conn, queue), Maker(conn, queue)
        claim = await make.active()
        assert await jobs.extend_locks([(claim.id, 1)], 60_000) == []
        target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
        _move(source, target, k.job(claim.id))
        told = source.command("EMQ.EXTENDS", "2", k.active, k.base, "5000", claim.id, "1")
        assert told.startswith(b"-TRYAGAIN")

        # when it is extended while the rest moves
        extending = asyncio.create_task(jobs.extend_locks([(claim.id, 1)], 600_000))
        await asyncio.sleep(0.05)
        assert not extending.done()
        for key in (k.active, k.metric("dropped"), k.wake):
            _move(source, target, key)
        for node in cluster.primaries:
            node.command("CLUSTER", "SETSLOT", slot, "NODE", target.id)

        # then it is extended at its new place, natively
        assert await extending == []
        assert (await make.score(k.active, claim.id) or 0) > await make.server_ms() + 500_000
        assert conn.executor == "native"


@pytest.mark.usefixtures("patient")
async def test_one_address_that_says_try_again_is_tried_again(cluster: TestCluster) -> None:
    # given a connection that knows one address only, and a slot half away from there
    queue = queues_by_node(cluster, "back")[0]
    k = emq.Keyspace(queue)
    slot = emq.slot(k.active)
    source, target = cluster.primaries[0], cluster.primaries[1]
    async with await emq.connect(f"redis://127.0.0.1:{source.port}") as conn:
        jobs, claim = emq.Jobs(conn, queue), await Maker(conn, queue).active()
        target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
        await jobs.extend_lock(claim.id, 1, 60_000)  # both keys are still there
        source.command("DEL", k.job(claim.id))

        # when a lease is extended, and the slot comes back a moment later
        extending = asyncio.create_task(jobs.extend_lock(claim.id, 1, 60_000))
        await asyncio.sleep(0.05)
        assert not extending.done()
        target.command("CLUSTER", "SETSLOT", slot, "STABLE")
        source.command("CLUSTER", "SETSLOT", slot, "STABLE")
        source.command("HSET", k.job(claim.id), "attempts", "1")

        # then it is extended
        await extending


def _move(source: ClusterNode, target: ClusterNode, key: str) -> None:
    assert source.command("MIGRATE", "127.0.0.1", target.port, key, 0, 5_000)[:3] in (b"+OK", b"+NO")


def test_a_server_that_moves_slots_in_one_piece_may_go_on_doing_so(cluster: TestCluster) -> None:
    # given a lease on a server that refuses to do that with modules which do not say that they bear it
    if cluster.primaries[0].kind is not Kind.VALKEY:
        pytest.skip("this server moves slots key by key only")
    k = emq.Keyspace(queues_by_node(cluster, "whole")[2])
    source, target = cluster.primaries[2], cluster.primaries[0]
    source.command("HSET", k.job("JOB0KHTOWnGLuA"), "attempts", "1")
    source.command("ZADD", k.active, "5", "JOB0KHTOWnGLuA")
    extend = ("EMQ.EXTENDS", "2", k.active, k.base, "5000", "JOB0KHTOWnGLuA", "1")
    assert source.command(*extend) == b"*0\r\n"

    # when its slot moves
    slot = emq.slot(k.active)
    assert (
        source.command("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", target.id) == b"+OK\r\n"
    )

    # then it is extended at its new place
    wait_for(lambda: target.command(*extend) == b"*0\r\n")


async def test_a_promoted_replica_without_the_module_runs_scripts_and_one_with_it_natively(
    cluster: TestCluster, module: Path
) -> None:
    # given a queue whose primary has a replica without the module, and a warm connector
    queue = queues_by_node(cluster, "failover")[1]
    cluster.follow(cluster.spare, cluster.primaries[1])
    async with await emq.connect(cluster.url) as conn:
        jobs, claim = emq.Jobs(conn, queue), await Maker(conn, queue).active()
        assert await jobs.extend_locks([(claim.id, 1)], 60_000) == []
        assert conn.executor == "native"

        # when the replica has all that and takes over, and the old primary knows
        written = _offset(cluster.primaries[1], "master_repl_offset")
        wait_for(lambda: _offset(cluster.spare, "slave_repl_offset") >= written)
        wait_for(lambda: len({_epoch(node) for node in cluster.nodes}) == 1)
        cluster.promote(cluster.spare)
        active = emq.Keyspace(queue).active
        wait_for(lambda: _demoted(cluster.primaries[1], active))

        # then the same call is served there, by scripts
        assert await jobs.extend_locks([(claim.id, 1), (claim.id, 2)], 60_000) == [claim.id]
        assert conn.executor == "scripts"

    # and a new connection to a cluster that has it everywhere again is native
    cluster.spare.command("MODULE", "LOAD", str(module))
    async with await emq.connect(cluster.url) as conn:
        assert await emq.Jobs(conn, queue).extend_locks([(claim.id, 1)], 60_000) == []
        assert conn.executor == "native"


def _epoch(node: ClusterNode) -> str:
    """The epoch a node knows of; one that knows an old one takes over with a claim that is outbid."""
    (line,) = (
        line for line in node.text("CLUSTER", "INFO").splitlines() if line.startswith("cluster_current_epoch")
    )
    return line


def _demoted(node: ClusterNode, key: str) -> bool:
    try:
        return node.text("ZCARD", key).startswith("-MOVED")
    except OSError:  # a server that becomes a replica hangs up on its clients
        return False


def _offset(node: ClusterNode, name: str) -> int:
    (line,) = (line for line in node.text("INFO", "replication").splitlines() if line.startswith(name + ":"))
    return int(line.partition(":")[2])


async def test_behind_a_sentinel_a_failover_is_looked_at_again(module: Path, queue: str) -> None:
    if binary_of(Kind.REDIS7) is None:
        pytest.skip("this machine has no redis-server, which is also the sentinel")
    folder = Path(tempfile.mkdtemp(prefix="emq-"))
    watched = Watched(folder, *MAY_LOAD)
    try:
        # given a master without the module, and a replica that has it
        watched.start()
        assert watched.replica.command("MODULE", "LOAD", str(module)) == b"+OK\r\n"
        async with await emq.connect(watched.url) as conn:
            jobs, claim = emq.Jobs(conn, queue), await Maker(conn, queue).active()
            assert await jobs.extend_locks([(claim.id, 1)], 60_000) == []
            assert conn.executor == "scripts"
            row = emq.Keyspace(queue).job(claim.id)
            wait_for(lambda: b"active" in watched.replica.command("HGET", row, "state"))

            # when the replica becomes the master
            watched.fail_over()

            # then a beat or two later the leases are extended there, natively
            for _ in range(3):
                with contextlib.suppress(emq.ServerRefused):  # a warm connection may meet the old master once
                    failed = await jobs.extend_locks([(claim.id, 1)], 60_000)
            assert failed == []
            assert conn.executor == "native"
    finally:
        watched.stop()
        shutil.rmtree(folder, ignore_errors=True)
