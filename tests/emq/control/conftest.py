"""What an operator's flows share: a connector to each kind of server, everything about one queue, makers."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

import emq
from tests.emq.core.makers import Maker


@pytest.fixture
async def conn(server_url: str) -> AsyncIterator[emq.Connector]:
    async with await emq.connect(server_url) as conn:
        yield conn


@pytest.fixture
async def real(real_server_url: str) -> AsyncIterator[emq.Connector]:
    """A connector to a real Redis, then to a real Valkey."""
    async with await emq.connect(real_server_url) as conn:
        yield conn


@pytest.fixture
def lanes(conn: emq.Connector, queue: str) -> emq.Lanes:
    return emq.Lanes(conn, queue)


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
def admin(conn: emq.Connector, queue: str) -> emq.Admin:
    return emq.Admin(conn, queue)


@pytest.fixture
def letters(conn: emq.Connector, queue: str) -> emq.DeadLetters:
    return emq.DeadLetters(conn, queue)
