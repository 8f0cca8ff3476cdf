"""Servers that belong together: a cluster of primaries, a master with a sentinel, a server behind TLS."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.servers import LAUNCHER, Kind, ServerProcess, binary_of


def free_ports(count: int) -> list[int]:
    """Ports nobody listens on right now, below the range that outgoing connections are given."""
    found: list[int] = []
    seed = os.getpid() * 37 + time.monotonic_ns() // 1_000_000
    for step in range(20_000):
        port = 10_000 + (seed + step * 101) % 20_000
        if port in found:
            continue
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise AssertionError("no free ports")


def wait_for(condition: Callable[[], bool], within_s: float = 90.0) -> None:
    """Ask until it holds; a constellation has no signal to wait for."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "the constellation did not form"
        time.sleep(0.02)


class ClusterNode(ServerProcess):
    """One node of a cluster; reached by tests over its unix socket, by everyone else over TCP."""

    def __init__(self, kind: Kind, folder: Path, port: int, bus_port: int, *options: str) -> None:
        super().__init__(
            kind, folder,
            "--port", str(port), "--bind", "127.0.0.1", "--cluster-enabled", "yes", "--cluster-port", str(bus_port),
            "--cluster-config-file", "nodes.conf", "--cluster-node-timeout", "15000", "--protected-mode", "no",
            "--repl-diskless-sync-delay", "0", *options,
        )  # fmt: skip
        self.port, self.bus_port = port, bus_port

    @property
    def id(self) -> str:
        return self.text("CLUSTER", "MYID")

    def text(self, *words: str | int) -> str:
        """The reply to one command as text, without its first line when it is a bulk."""
        reply = self.command(*words).decode()
        return reply.split("\r\n", 1)[1].strip() if reply.startswith("$") else reply.strip()


class TestCluster:
    """Three primaries and a spare node, formed and ready."""

    __test__ = False

    def __init__(self, kind: Kind, folder: Path, *options: str) -> None:
        ports = free_ports(8)
        self.nodes = [
            ClusterNode(kind, folder / str(at), ports[2 * at], ports[2 * at + 1], *options) for at in range(4)
        ]
        self.primaries, self.spare = self.nodes[:3], self.nodes[3]

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.primaries)

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        bounds = [0, 5461, 10923, 16384]
        for at, node in enumerate(self.primaries):
            node.command("CLUSTER", "ADDSLOTSRANGE", bounds[at], bounds[at + 1] - 1)
        for node in self.nodes[1:]:
            node.command("CLUSTER", "MEET", "127.0.0.1", self.nodes[0].port, self.nodes[0].bus_port)
        wait_for(lambda: all(self._settled(node) for node in self.nodes))

    def stop(self) -> None:
        put_away(*self.nodes)

    def owner(self, slot: int) -> ClusterNode:
        return self.primaries[min(slot // 5461, 2) if slot < 10923 else 2]

    def follow(self, replica: ClusterNode, primary: ClusterNode) -> None:
        """Make ``replica`` a replica of ``primary``, caught up."""
        replica.command("CLUSTER", "REPLICATE", primary.id)
        wait_for(lambda: "master_link_status:up" in replica.text("INFO", "replication"))

    def catch_up(self, replica: ClusterNode, primary: ClusterNode) -> None:
        """Wait until ``replica`` has all that ``primary`` was told so far."""
        wanted = _figure(primary, "master_repl_offset")
        wait_for(lambda: _figure(replica, "slave_repl_offset") >= wanted)

    def promote(self, replica: ClusterNode) -> None:
        """Let ``replica`` take over, whether its primary lives or not; returns when the other primaries know."""
        replica.command("CLUSTER", "FAILOVER", "TAKEOVER")
        wait_for(lambda: "role:master" in replica.text("INFO", "replication"))
        others = (self.primaries[0], self.primaries[2])
        wait_for(lambda: all(f":{replica.port}@" in _primaries_of(node) for node in others))

    def _settled(self, node: ClusterNode) -> bool:
        info = node.text("CLUSTER", "INFO")
        return "cluster_state:ok" in info and "cluster_known_nodes:4" in info


def _figure(node: ClusterNode, name: str) -> int:
    found = re.search(rf"^{name}:(\d+)", node.text("INFO", "replication"), re.MULTILINE)
    return int(found[1]) if found else 0


@contextlib.contextmanager
def clustered(kind: Kind) -> Iterator[TestCluster]:
    """A cluster of a kind of server in a folder of its own; skips where the machine has none of that kind."""
    if binary_of(kind) is None:
        pytest.skip(f"this machine has no {kind}")
    folder = Path(tempfile.mkdtemp(prefix="emq-"))
    cluster = TestCluster(kind, folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _primaries_of(node: ClusterNode) -> str:
    return "\n".join(line for line in node.text("CLUSTER", "NODES").splitlines() if "master" in line)


def put_away(*servers: ServerProcess) -> None:
    """End servers that may be replicas: asked nicely, one that is writing its own file anew refuses to leave."""
    for server in servers:
        if server.process is not None:
            server.kill()


class Watched:
    """A master, a replica and one sentinel that watches them under the name ``main``."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.folder = folder
        master, replica, self.sentinel_port = free_ports(3)
        options = ("--bind", "127.0.0.1", "--protected-mode", "no", "--repl-diskless-sync-delay", "0",
            "--shutdown-timeout", "0", *more)  # fmt: skip
        self.master = ServerProcess(Kind.REDIS7, folder / "m", "--port", str(master), *options)
        self.replica = ServerProcess(
            Kind.REDIS7, folder / "r", "--port", str(replica), "--replicaof", f"127.0.0.1 {master}", *options
        )
        self.ports = {self.master: master, self.replica: replica}
        self._sentinel: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis+sentinel://127.0.0.1:{self.sentinel_port}/main"

    def start(self) -> None:
        self.master.start()
        self.replica.start()
        wait_for(lambda: b"master_link_status:up" in self.replica.command("INFO", "replication"))
        settings = self.folder / "sentinel.conf"
        settings.write_text(
            f"port {self.sentinel_port}\nbind 127.0.0.1\nprotected-mode no\ndir {self.folder}\n"
            f"sentinel monitor main 127.0.0.1 {self.ports[self.master]} 1\n"
            "sentinel down-after-milliseconds main 500\nsentinel failover-timeout main 3000\n"
        )
        binary = binary_of(Kind.REDIS7)
        assert binary is not None
        self._sentinel = start_guarded([binary, str(settings), "--sentinel"], self.folder)
        wait_for(lambda: self._says("SENTINEL", "REPLICAS", "main").count(b"127.0.0.1") > 0)

    def fail_over(self) -> None:
        """Promote the replica; returns once the sentinel names it."""
        wait_for(lambda: self._says("SENTINEL", "FAILOVER", "main").startswith(b"+OK"))
        named = str(self.ports[self.replica]).encode()
        wait_for(lambda: named in self._says("SENTINEL", "MASTER", "main"))
        # The sentinel does this as well, ten seconds later.
        self.master.command("REPLICAOF", "127.0.0.1", self.ports[self.replica])
        wait_for(self._demoted)

    def stop(self) -> None:
        if self._sentinel is not None:
            self._sentinel.terminate()
            self._sentinel.wait(60)
        put_away(self.master, self.replica)

    def _demoted(self) -> bool:
        try:
            return b"role:slave" in self.master.command("INFO", "replication")
        except OSError:  # a server that becomes a replica hangs up on its clients
            return False

    def _says(self, *words: str) -> bytes:
        try:
            with socket.create_connection(("127.0.0.1", self.sentinel_port), timeout=5) as wire:
                parts = [f"*{len(words)}\r\n", *(f"${len(word)}\r\n{word}\r\n" for word in words)]
                wire.sendall("".join(parts).encode())
                return wire.recv(65536)
        except OSError:
            return b""


def start_guarded(program: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """Start a program that ends with this process, whatever happens."""
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(LAUNCHER), "kernel", str(os.getpid()), *program],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A self-signed certificate for 127.0.0.1: (certificate, key)."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=emq test",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate),
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, key
