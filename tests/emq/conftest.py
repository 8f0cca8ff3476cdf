"""Where the flows of emq run: each kind of server, and a cluster of three primaries."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import emq
from tests.emq.core.constellations import clustered
from tests.emq.core.makers import Maker
from tests.servers import Kind, binary_of


@pytest.fixture(scope="session")
def cluster_url() -> Iterator[str]:
    """A Redis 7 cluster of this test process: share it, use queues of your own, never flush."""
    with clustered(Kind.REDIS7) as cluster:
        yield cluster.url


@pytest.fixture(params=[*Kind, "cluster"], ids=str)
def anywhere_url(request: pytest.FixtureRequest) -> str:
    """The shared server of each kind in turn, then the shared cluster."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
async def conn(anywhere_url: str) -> AsyncIterator[emq.Connector]:
    """A connector to each of them in turn."""
    async with await emq.connect(anywhere_url) as conn:
        yield conn


@pytest.fixture
def jobs(conn: emq.Connector, queue: str) -> emq.Jobs:
    return emq.Jobs(conn, queue)


@pytest.fixture
def lanes(conn: emq.Connector, queue: str) -> emq.Lanes:
    return emq.Lanes(conn, queue)


@pytest.fixture
def keys(queue: str) -> emq.Keyspace:
    return emq.Keyspace(queue)


@pytest.fixture
def make(conn: emq.Connector, queue: str) -> Maker:
    return Maker(conn, queue)
