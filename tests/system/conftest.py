"""Fixtures for tests of the whole system."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.databases import database_url, postgres_url, sqlite_url, store  # fixtures by import
from tests.system.deployment import Deployment


@pytest.fixture
async def deployment(
    short_folder: Path,
    database_url: str,
    real_server_url: str,
    queue: str,
) -> AsyncIterator[Deployment]:
    """A deployment with its Telegram running, on each server and database."""
    made = Deployment(
        short_folder, database_url, real_server_url, {"GUESS_QUEUE": queue, "NOTIFY_QUEUE": f"{queue}.notify"}
    )
    try:
        await made.start_telegram()
        yield made
    finally:
        await made.close()
