"""The tables of scenarios and the tests agree."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.emq.scenarios import SCENARIOS, STRICTER


def found() -> set[str]:
    """Every test of these folders, as the tables name it."""
    here = Path(__file__).parent
    return {
        f"{path.parent.name}/{path.stem.removeprefix('test_')}: {node.name.removeprefix('test_').replace('_', ' ')}"
        for path in here.glob("*/test_*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def test_every_test_the_tables_name_exists():
    named = {test for table in (SCENARIOS, STRICTER) for tests in table.values() for test in tests}
    assert sorted(named - found()) == []


def test_every_scenario_has_a_test():
    assert [said for table in (SCENARIOS, STRICTER) for said, tests in table.items() if not tests] == []
