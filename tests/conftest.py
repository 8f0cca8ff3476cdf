"""Fixtures every test may use: the queue servers, and a queue name of the test's own."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import Kind, ServerProcess, binary_of


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """An empty folder with a name short enough for a unix socket; gone after the test."""
    folder = Path(tempfile.mkdtemp(prefix="emq-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def _shared_server(kind: Kind) -> Iterator[str]:
    if binary_of(kind) is None:
        pytest.skip(f"this machine has no {kind}")
    folder = Path(tempfile.mkdtemp(prefix="emq-"))
    server = ServerProcess(kind, folder).start()
    yield server.url
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def redis7_url() -> Iterator[str]:
    """A Redis 7 of this test process: share it, use queues of your own, never flush."""
    yield from _shared_server(Kind.REDIS7)


@pytest.fixture(scope="session")
def valkey_url() -> Iterator[str]:
    """An embedded Valkey of this test process: share it, use queues of your own, never flush."""
    yield from _shared_server(Kind.VALKEY)


@pytest.fixture(scope="session")
def fakeredis_url() -> Iterator[str]:
    """A fakeredis TCP server of this test process: share it, use queues of your own, never flush."""
    yield from _shared_server(Kind.FAKEREDIS)


@pytest.fixture(params=list(Kind), ids=str)
def server_kind(request: pytest.FixtureRequest) -> Kind:
    """Each kind of server in turn, for tests that start one of their own."""
    return Kind(request.param)


@pytest.fixture
def server_url(server_kind: Kind, request: pytest.FixtureRequest) -> str:
    """The shared server of each kind in turn."""
    return str(request.getfixturevalue(f"{server_kind}_url"))


@pytest.fixture(params=[Kind.REDIS7, Kind.VALKEY], ids=str)
def real_server_url(request: pytest.FixtureRequest) -> str:
    """The shared Redis 7, then the shared Valkey: for what fakeredis cannot do."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def queue() -> str:
    """A queue name nobody else uses."""
    return f"t.{uuid.uuid4().hex[:16]}"


@pytest.fixture
def own_server(server_kind: Kind, short_folder: Path) -> Iterator[ServerProcess]:
    """A server of each kind in turn that this test may kill, pause and restart."""
    if binary_of(server_kind) is None:
        pytest.skip(f"this machine has no {server_kind}")
    server = ServerProcess(server_kind, short_folder).start()
    yield server
    server.stop()


@pytest.fixture(params=[Kind.REDIS7, Kind.VALKEY], ids=str)
def own_real_server(request: pytest.FixtureRequest, short_folder: Path) -> Iterator[ServerProcess]:
    """A Redis 7, then a Valkey, that this test may kill, pause and restart."""
    kind = Kind(request.param)
    if binary_of(kind) is None:
        pytest.skip(f"this machine has no {kind}")
    server = ServerProcess(kind, short_folder).start()
    yield server
    server.stop()
