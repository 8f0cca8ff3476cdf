"""The table of rules and the flows agree: every rule is played, and every flow plays a rule."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.flows.rules import RULES, TRAPS

# About the tools, not about the game.
TOOLS = {"testing", "rules"}
FLOWS = {flow for table in (RULES, TRAPS) for flows in table.values() for flow in flows}


def found() -> set[str]:
    """Every flow of this folder, as the table names it."""
    return {
        f"{path.stem.removeprefix('test_')}: {node.name.removeprefix('test_').replace('_', ' ')}"
        for path in Path(__file__).parent.glob("test_*.py")
        if path.stem.removeprefix("test_") not in TOOLS
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def test_every_flow_the_table_names_exists():
    assert sorted(FLOWS - found()) == []


def test_every_flow_stands_in_the_table():
    assert sorted(found() - FLOWS) == []


def test_every_rule_and_every_trap_has_a_flow():
    assert [rule for table in (RULES, TRAPS) for rule, flows in table.items() if not flows] == []
