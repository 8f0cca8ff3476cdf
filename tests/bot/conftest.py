"""A desk on a database, for each kind of database."""

from __future__ import annotations

import pytest

from tests.bot.desk import Desk
from tests.databases import database_url, postgres_url, sqlite_url, store  # fixtures by import


@pytest.fixture
async def desk(store) -> Desk:
    """Nobody has written yet."""
    return Desk(store)


@pytest.fixture
def desk_free() -> Desk:
    """One that has no database: for updates that are only looked at."""
    return Desk(store=None)  # type: ignore[arg-type]
