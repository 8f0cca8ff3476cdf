"""Fixtures of the security tests."""

from __future__ import annotations

from tests.databases import sqlite_url  # fixtures by import
