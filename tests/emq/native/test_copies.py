"""What the native commands wrote is written everywhere: on replicas without the module, and in the append-only file."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import emq
from tests.emq.core.constellations import free_ports, put_away, wait_for
from tests.emq.native import fuzz
from tests.emq.native.conftest import server_with
from tests.emq.native.raw import Raw
from tests.emq.native.states import told
from tests.emq.native.test_commands import ONE, TWO, make, many, one
from tests.servers import Kind, ServerProcess


def everything(raw: Raw) -> dict[bytes, Any]:
    """All keys of a server and what is in them."""
    looks = {b"zset": ("ZRANGE", 0, -1, "WITHSCORES"), b"hash": ("HGETALL",), b"string": ("GET",)}
    found = {}
    for key in raw.ask("KEYS", "*"):
        verb, *rest = looks[bytes(raw.ask("TYPE", key))]
        content = raw.ask(verb, key, *rest)
        found[key] = (
            dict(zip(content[::2], content[1::2], strict=True)) if isinstance(content, list) else content
        )
    return found


@pytest.fixture
def pair(kind: Kind, module: Path, short_folder: Path) -> Iterator[tuple[Raw, Raw]]:
    """A primary with the module and a replica without it, both reached directly."""
    (port,) = free_ports(1)
    options = ("--bind", "127.0.0.1", "--protected-mode", "no", "--repl-diskless-sync-delay", "0")
    primary = server_with(kind, short_folder / "p", module, "--port", str(port), *options).start()
    replica = ServerProcess(kind, short_folder / "r", "--replicaof", f"127.0.0.1 {port}", *options).start()
    with Raw(primary.socket_path) as first, Raw(replica.socket_path) as second:
        wait_for(lambda: b"master_link_status:up" in second.ask("INFO", "replication"))
        yield first, second
    put_away(replica, primary)


def caught_up(primary: Raw, replica: Raw) -> None:
    primary.ask("SET", "mark", random.randbytes(8).hex())
    wait_for(lambda: replica.ask("GET", "mark") == primary.ask("GET", "mark"))


def test_a_replica_without_the_module_has_what_the_primary_has(pair: tuple[Raw, Raw]) -> None:
    # given
    primary, replica = pair
    k = emq.Keyspace("q")
    make(primary, k, ONE)
    make(primary, k, TWO)
    assert told(replica.ask(*many(k))) == "!ERR"

    # when
    assert primary.ask(*many(k, ONE, "1", TWO, "1", TWO, "2")) == [TWO.encode()]
    assert primary.ask(*one(k, ONE, "1", "9000")) == 1
    assert primary.flush([("MULTI",), many(k, TWO, "1"), ("EXEC",)])[-1] == [[]]

    # then
    caught_up(primary, replica)
    assert everything(replica) == everything(primary)
    assert replica.ask("HGET", k.job(ONE), "lease_epoch") == primary.run_id()


def test_a_replica_is_equal_after_thousands_of_random_calls(pair: tuple[Raw, Raw]) -> None:
    primary, replica = pair
    for burst in fuzz.commands(3, 5_000):
        primary.flush([words for words in burst if words[0] != "PEXPIRE"])

    caught_up(primary, replica)

    assert len(everything(primary)) > 10
    assert everything(replica) == everything(primary)


def test_an_unchanged_stamp_costs_the_replica_nothing(pair: tuple[Raw, Raw]) -> None:
    # given a hundred leases, extended once
    primary, _ = pair
    k = emq.Keyspace("q")
    ids = [f"JOB{at:011}" for at in range(100)]
    for id in ids:
        make(primary, k, id)
    pairs = [word for id in ids for word in (id, "1")]
    first = _sent(primary, many(k, *pairs))

    # when they are extended again
    second = _sent(primary, many(k, *pairs, lease="6000"))

    # then only the new deadlines travel
    assert second < 100 * 50 < first


def _sent(primary: Raw, words: Any) -> int:
    """Bytes that one command put into the replication stream."""

    def offset() -> int:
        (line,) = (
            line for line in primary.ask("INFO", "replication").splitlines() if b"master_repl_offset" in line
        )
        return int(line.split(b":")[1])

    before = offset()
    assert primary.ask(*words) == []
    return offset() - before


def test_a_reloaded_append_only_file_makes_the_same_with_and_without_the_module(
    kind: Kind, module: Path, short_folder: Path
) -> None:
    # given a server whose keys the module has worked on
    server = server_with(kind, short_folder / "p", module).start()
    k = emq.Keyspace("q")
    with Raw(server.socket_path) as raw:
        make(raw, k, ONE)
        raw.ask(*many(k, ONE, "1"))
        for burst in fuzz.commands(5, 2_000):
            raw.flush([words for words in burst if words[0] != "PEXPIRE"])
        before = everything(raw)

    # when it is killed and started again with the module, and then without it
    server.restart()
    with Raw(server.socket_path) as raw:
        assert everything(raw) == before
    server.options = ()
    server.restart()

    # then everything is there
    with Raw(server.socket_path) as raw:
        assert told(raw.ask(*many(k))) == "!ERR"
        assert everything(raw) == before
    server.stop()


def test_a_server_that_was_started_again_stamps_its_new_run_id(own: ServerProcess) -> None:
    k = emq.Keyspace("q")
    with Raw(own.socket_path) as raw:
        make(raw, k, ONE)
        assert raw.ask(*one(k, ONE)) == 1
        old = raw.ask("HGET", k.job(ONE), "lease_epoch")

    own.restart()

    with Raw(own.socket_path) as raw:
        assert raw.ask(*one(k, ONE)) == 1
        assert raw.ask("HGET", k.job(ONE), "lease_epoch") == raw.run_id() != old
