"""What the flows of emq's core share."""

from __future__ import annotations

import pytest

from tests.servers import ServerProcess


@pytest.fixture
def replica_url(own_real_server: ServerProcess) -> str:
    """A replica that knows our version; its primary is not there, so it keeps what it has."""
    own_real_server.command("SET", "{emq}:version", "echomq:3.0.0")
    own_real_server.command("REPLICAOF", "127.0.0.1", "1")
    return own_real_server.url
