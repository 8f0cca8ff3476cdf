"""What the flows of emq's core share: a connector to each kind of server, a queue of the test's own, makers."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

import emq
from tests.emq.core.makers import Maker
from tests.servers import ServerProcess


@pytest.fixture
async def conn(server_url: str) -> AsyncIterator[emq.Connector]:
    async with await emq.connect(server_url) as conn:
        yield conn


@pytest.fixture
def jobs(conn: emq.Connector, queue: str) -> emq.Jobs:
    return emq.Jobs(conn, queue)


@pytest.fixture
def keys(queue: str) -> emq.Keyspace:
    return emq.Keyspace(queue)


@pytest.fixture
def make(conn: emq.Connector, queue: str) -> Maker:
    return Maker(conn, queue)


@pytest.fixture
def replica_url(own_real_server: ServerProcess) -> str:
    """A replica that knows our version; its primary is not there, so it keeps what it has."""
    own_real_server.command("SET", "{emq}:version", "echomq:3.0.0")
    own_real_server.command("REPLICAOF", "127.0.0.1", "1")
    return own_real_server.url
