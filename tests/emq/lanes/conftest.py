"""What the flows of lanes share: servers of a test's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import emq
from tests.servers import Kind, ServerProcess, binary_of


@pytest.fixture
async def real(own_real_server: ServerProcess) -> AsyncIterator[emq.Connector]:
    """A connector to a Redis, then to a Valkey, of this test's own: it may be filled, and is read whole."""
    async with await emq.connect(own_real_server.url) as conn:
        yield conn


@pytest.fixture
def own_server_of_redis(short_folder: Path) -> Iterator[ServerProcess]:
    """A Redis 7 of this test's own: its users can be anything."""
    if binary_of(Kind.REDIS7) is None:
        pytest.skip("this machine has no redis7")
    server = ServerProcess(Kind.REDIS7, short_folder).start()
    yield server
    server.stop()
