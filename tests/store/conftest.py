"""Fixtures of the store tests."""

from __future__ import annotations

from tests.databases import (  # fixtures by import
    database_url,
    empty_database_url,
    empty_postgres_url,
    own_database_url,
    own_postgres_url,
    postgres_url,
    sqlite_url,
    store,
)
