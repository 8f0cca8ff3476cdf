"""What an operator's flows share: everything about one queue."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

import emq


@pytest.fixture
async def real(real_server_url: str) -> AsyncIterator[emq.Connector]:
    """A connector to a real Redis, then to a real Valkey."""
    async with await emq.connect(real_server_url) as conn:
        yield conn


@pytest.fixture
def admin(conn: emq.Connector, queue: str) -> emq.Admin:
    return emq.Admin(conn, queue)


@pytest.fixture
def letters(conn: emq.Connector, queue: str) -> emq.DeadLetters:
    return emq.DeadLetters(conn, queue)
