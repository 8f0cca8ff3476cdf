"""What `make` installs before it measures: the servers a bench starts are those of the tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULES = re.findall(r"^([a-z-]+):([^=\n#]*).*\n((?:\t.*\n?)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
NEEDS_TESTS = [
    (name, needs) for name, needs, recipe in RULES if re.search(r"-m (bench|tests|pytest)\b", recipe)
]


def test_the_rules_are_found() -> None:
    assert {"bench", "bench-peers", "bench-growth", "soak", "test", "faults"} <= {
        name for name, _ in NEEDS_TESTS
    }


@pytest.mark.parametrize(("name", "needs"), NEEDS_TESTS, ids=[name for name, _ in NEEDS_TESTS])
def test_what_imports_the_tests_is_run_where_they_are_installed(name: str, needs: str) -> None:
    assert "$(VENV)/tests" in needs.split(), f"`make {name}` fails on a fresh machine: pytest is not there"
