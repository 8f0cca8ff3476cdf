"""Many rows in a statement as one value: written once, and sent and planned once for all of them.

SQLAlchemy prepares the values of each row by themselves, and the driver and PostgreSQL work through a statement for
each; together that takes several times as long as the rows do. Here they travel as one JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Dialect, Text, bindparam, cast, column, func
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.types import TypeDecorator, TypeEngine

Row = Mapping[str, Any]


def given(dialect: str, name: str, **types: TypeEngine[Any]) -> dict[str, ColumnElement[Any]]:
    """The columns of the rows that are given under ``name`` when the statement is executed, each a mapping.

    Args:
        types: of the columns; whole numbers, texts, truths and aware times.
    """
    names = tuple(types)
    if dialect == "sqlite":
        each = func.json_each(bindparam(name, type_=_Rows(names))).table_valued("value", name="given")
        found = {key: func.json_extract(each.c.value, f"$[{n}]") for n, key in enumerate(names)}
        return {key: value.label(key) for key, value in found.items()}
    rows = cast(bindparam(name, type_=_Rows(names)), JSON)
    columns = [column(key, type_) for key, type_ in types.items()]
    table = func.json_to_recordset(rows).table_valued(*columns).render_derived("given", with_types=True)
    return {key: table.c[key] for key in names}


class _Rows(TypeDecorator[Collection[Row]]):
    """Rows as JSON: lists in the order of ``names`` for SQLite, objects for PostgreSQL."""

    impl = Text
    cache_ok = True

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__()
        self.names = names

    def process_bind_param(self, value: Collection[Row] | None, dialect: Dialect) -> str:
        if dialect.name == "sqlite":
            return _of_sqlite([[row[name] for name in self.names] for row in value or ()])
        return _of_postgres([{name: row[name] for name in self.names} for row in value or ()])


def _utc(value: object) -> datetime:
    """What JSON does not know can only be a time.

    Raises:
        TypeError, ValueError: it is none, or a naive one.
    """
    if not isinstance(value, datetime):
        raise TypeError(f"{type(value).__name__} cannot be given")
    if value.tzinfo is None:
        raise ValueError("a naive time cannot be stored: give an aware one, datetime.now(UTC)")
    return value.astimezone(UTC)


# As `UtcDateTime` has it. A half of a surrogate pair is left as it is, so that the driver refuses it as ever.
_of_sqlite = json.JSONEncoder(
    ensure_ascii=False, default=lambda v: _utc(v).replace(tzinfo=None).isoformat(" ", "microseconds")
).encode
_of_postgres = json.JSONEncoder(ensure_ascii=False, default=lambda v: _utc(v).isoformat()).encode
