"""Lists of ids in a statement as one value: it is built and compiled once, however long the lists are.

SQLAlchemy's own ``IN`` writes a parameter for each member into the text each time it runs; for a hundred members that
takes longer than the database does. Here PostgreSQL gets an array and SQLite a JSON text, and PostgreSQL gets JSON for
pairs, of which it has no arrays.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Dialect, Text, bindparam
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.operators import OperatorType
from sqlalchemy.types import TypeDecorator, TypeEngine


def listed(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Whether ``column`` is in the list given under ``name`` when the statement is executed."""
    return _Among(column, bindparam(name, type_=_Members(column.type)))


def pair_listed(first: ColumnElement[int], second: ColumnElement[int], name: str) -> ColumnElement[bool]:
    """Whether two columns of whole numbers are a pair in the list given under ``name``."""
    return _PairAmong(first, second, bindparam(name, type_=_Pairs()))


class _Members(TypeDecorator[Collection[Any]]):
    """Values of one type."""

    impl = Text
    cache_ok = True

    def __init__(self, member: TypeEngine[Any]) -> None:
        super().__init__()
        self.member = member

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else ARRAY(self.member))

    def process_bind_param(self, value: Collection[Any] | None, dialect: Dialect) -> Any:
        members = list(value or ())
        return json.dumps(members) if dialect.name == "sqlite" else members


class _Pairs(TypeDecorator[Collection[tuple[int, int]]]):
    """Pairs of whole numbers."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else JSONB())

    def process_bind_param(self, value: Collection[tuple[int, int]] | None, dialect: Dialect) -> Any:
        pairs = list(value or ())
        return json.dumps(pairs) if dialect.name == "sqlite" else pairs


class _Membership(FunctionElement[bool]):
    """A condition. SQLAlchemy would write ``= 1`` behind it for SQLite, which then uses no index."""

    type = Boolean()
    inherit_cache = True

    def self_group(self, against: OperatorType | None = None) -> ColumnElement[bool]:  # type: ignore[override]
        return self


class _Among(_Membership):
    inherit_cache = True


class _PairAmong(_Membership):
    inherit_cache = True


@compiles(_Among, "sqlite")
def _among_sqlite(element: _Among, compiler: Any, **how: Any) -> str:
    column, members = (compiler.process(each, **how) for each in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({members}))"  # noqa: S608 (these are compiled SQL)


@compiles(_Among, "postgresql")
def _among_postgresql(element: _Among, compiler: Any, **how: Any) -> str:
    column, members = (compiler.process(each, **how) for each in element.clauses)
    return f"{column} = ANY ({members})"


@compiles(_PairAmong, "sqlite")
def _pair_among_sqlite(element: _PairAmong, compiler: Any, **how: Any) -> str:
    first, second, pairs = (compiler.process(each, **how) for each in element.clauses)
    one, other = "json_extract(value, '$[0]')", "json_extract(value, '$[1]')"
    return f"({first}, {second}) IN (SELECT {one}, {other} FROM json_each({pairs}))"  # noqa: S608


@compiles(_PairAmong, "postgresql")
def _pair_among_postgresql(element: _PairAmong, compiler: Any, **how: Any) -> str:
    first, second, pairs = (compiler.process(each, **how) for each in element.clauses)
    one, other = "(pair ->> 0)::bigint", "(pair ->> 1)::bigint"
    return f"({first}, {second}) IN (SELECT {one}, {other} FROM jsonb_array_elements({pairs}) AS pair)"  # noqa: S608
