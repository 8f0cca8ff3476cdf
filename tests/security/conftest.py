"""Fixtures of the security tests."""

from __future__ import annotations

import pytest

from tests.databases import sqlite_url  # fixtures by import


@pytest.fixture(autouse=True)
def minter_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verb that runs in this process leases a node for its ids; when it has left, nobody may mint on it."""
    monkeypatch.setattr("emq.minting._process_minter", None)
