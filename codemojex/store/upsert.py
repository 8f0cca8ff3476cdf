"""INSERT … ON CONFLICT, which both databases have under one spelling and SQLAlchemy under two."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite


def upsert(dialect: str, table: Table) -> Any:
    """An insert into ``table`` that has ``on_conflict_do_nothing`` and ``on_conflict_do_update``.

    Building a statement costs more than running it on SQLite, so callers keep theirs, one a dialect, and
    give the values with the execution.

    Typed ``Any``: the two dialects' classes share these methods, but no base that declares them.
    """
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
