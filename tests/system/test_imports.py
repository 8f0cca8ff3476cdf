"""What a process loads that it does not need, it loads at every start."""

from __future__ import annotations

import subprocess
import sys

import pytest

WITHOUT = {
    "codemojex.cli": {"telegram", "aiohttp", "sqlalchemy", "redis", "alembic", "prometheus_client", "babel"},
    "codemojex.running": {"telegram", "aiohttp", "httpx", "psycopg", "alembic", "prometheus_client", "babel"},
    "codemojex.auditing": {
        "telegram",
        "aiohttp",
        "httpx",
        "psycopg",
        "alembic",
        "prometheus_client",
        "babel",
    },
    "codemojex.bot_side": {"psycopg", "alembic", "prometheus_client"},
    "codemojex.localtg": {"telegram", "sqlalchemy", "redis", "emq"},
}


@pytest.mark.parametrize("module", WITHOUT)
def test_a_process_loads_no_library_that_only_others_need(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=200, check=True
    )
    assert WITHOUT[module] & set(run.stdout.split()) == set()
