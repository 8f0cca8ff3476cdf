"""Fixtures for tests of the whole system."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.databases import (  # fixtures by import
    database_url,
    own_postgres_url,
    postgres_url,
    sqlite_url,
    store,
)
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


@pytest.fixture
async def watched(short_folder, sqlite_url, redis7_url, queue) -> AsyncIterator[Deployment]:
    """A deployment on SQLite and Redis 7 whose processes answer operators."""
    names = {"GUESS_QUEUE": queue, "NOTIFY_QUEUE": f"{queue}.notify"}
    made = Deployment(short_folder, sqlite_url, redis7_url, names | {"OPS_LISTEN": "127.0.0.1:0"})
    try:
        await made.start_telegram()
        yield made
    finally:
        await made.close()
