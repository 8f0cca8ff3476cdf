"""Fixtures of swarms are those of the whole system."""

from __future__ import annotations

from tests.databases import database_url, postgres_url, sqlite_url  # fixtures by import
from tests.system.conftest import deployment  # a fixture by import
