"""How a database finds the rows of a statement: the steps that read a whole table, as its own plan tells them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import text

from codemojex.store.engine import Store
from codemojex.store.schema import metadata
from tests.statements import sent_by

_TABLES = {*metadata.tables, "other", "first", "pin", "hint"}  # the others are aliases
# Indexes of a part of a table that grows with its history all the same.
_OF_MANY = {"ix_games_winner_id", "ix_notices_card_id", "ix_notices_of_others", "ix_guesses_cracks"}
# An index of the few rows that wait for something may be walked from end to end; any other holds all there is.
_PARTIAL = {
    index.name
    for table in metadata.tables.values()
    for index in table.indexes
    if index.dialect_options["sqlite"]["where"] is not None
} - _OF_MANY
# PostgreSQL goes by what there is: only of tables with rows in them it says what it would do with many.
_LARGE = {"players", "rooms", "games", "guesses", "updates", "notices", "finishes", "cards"}

Sent = dict[str, Any]


@contextlib.contextmanager
def noted(store: Store) -> Iterator[Sent]:
    """Statements that look for rows while this is entered, each with parameters of one run; filled at the end."""
    found: Sent = {}
    with sent_by(store) as sent:
        yield found
    for statement, parameters in sent:
        if statement.startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
            found[statement] = parameters[0] if isinstance(parameters, list) else parameters


async def whole(store: Store, sent: Sent) -> set[tuple[str, str]]:
    """(step, statement) of every step that reads a whole table."""
    explain = _of_postgresql if store.kind == "PostgreSQL" else _of_sqlite

    async def look(tx: Any) -> set[tuple[str, str]]:
        if store.kind == "PostgreSQL":
            # Of small tables it would rather read all; asked not to, it does so where nothing else is possible.
            for way in ("seqscan", "hashjoin", "mergejoin"):
                await tx.execute(text(f"SET LOCAL enable_{way} = off"))
        return {(step, said) for said, how in sent.items() for step in await explain(tx, said, how)}

    return await store.transact(look)


async def _of_sqlite(tx: Any, statement: str, parameters: Any) -> list[str]:
    steps = [row.detail for row in await tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)]
    return [
        step
        for step in steps
        if step.startswith("SCAN") and step.split()[1] in _TABLES and step.split()[-1] not in _PARTIAL
    ]


async def _of_postgresql(tx: Any, statement: str, parameters: Any) -> list[str]:
    told = (await tx.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters)).scalar_one()
    [plan] = json.loads(told) if isinstance(told, str) else told
    return [
        f"{node['Node Type']} {node.get('Index Name', '')} {node.get('Relation Name', '')}"
        for node in _nodes(plan["Plan"])
        if _walks(node)
    ]


def _walks(node: dict[str, Any]) -> bool:
    """Whether a step reads a table from end to end."""
    reads = node["Node Type"] in ("Seq Scan", "Index Scan", "Index Only Scan")
    if not reads or node["Relation Name"] not in _LARGE:
        return False
    return "Index Cond" not in node and node.get("Index Name") not in _PARTIAL


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)
