"""Fixtures of the play tests: a database, and a table to play at."""

from __future__ import annotations

import pytest

from codemojex.store.engine import Store
from tests.databases import (  # fixtures by import
    database_url,
    own_database_url,
    own_postgres_url,
    postgres_url,
    sqlite_url,
    store,
)
from tests.play.makers import Table, seat


@pytest.fixture
async def table(store: Store) -> Table:  # the fixture imported above
    """Ada's private chat with an open classic game whose secret is 🍎🍌🍇🍓🍒🍍."""
    return await seat(store)
