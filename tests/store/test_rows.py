"""Rows that are given to a statement as one value are what they would be one by one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import Boolean, Column, Integer, MetaData, Table, Text, insert, select, update
from sqlalchemy.exc import StatementError

from codemojex.store.columns import JobId, TelegramId, UtcDateTime
from codemojex.store.engine import Store, open_store
from codemojex.store.rows import given

_THINGS = Table(
    "things",
    MetaData(),
    Column("id", JobId, primary_key=True),
    Column("chat_id", TelegramId),
    Column("words", Text),
    Column("late", Boolean),
    Column("at", UtcDateTime),
)
_TYPES = {column.name: column.type for column in _THINGS.c}
_NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
_ROWS: list[dict[str, Any]] = [
    {
        "id": "JOB00000000001",
        "chat_id": 2**52 - 1,
        "words": "🍎 \"'\\ \n{} %s :x ?",
        "late": True,
        "at": _NOON,
    },
    {
        "id": "JOB00000000002",
        "chat_id": -(2**52),
        "words": "",
        "late": False,
        "at": _NOON + timedelta(microseconds=1),
    },
    {"id": "JOB0000000000a", "chat_id": None, "words": None, "late": None, "at": None},
]


@pytest.fixture
async def store(empty_database_url: str) -> AsyncIterator[Store]:
    opened = open_store(empty_database_url)
    await opened.transact(lambda tx: tx.run_sync(_THINGS.metadata.create_all))
    yield opened
    await opened.transact(lambda tx: tx.run_sync(_THINGS.metadata.drop_all))
    await opened.aclose()


async def _insert(tx: Any, rows: list[dict[str, Any]]) -> None:
    row = given(tx.dialect.name, "rows", **_TYPES)
    await tx.execute(_THINGS.insert().from_select(list(row), select(*row.values())), {"rows": rows})


async def _all(tx: Any) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in await tx.execute(select(_THINGS).order_by(_THINGS.c.id))]


async def test_rows_are_stored_as_if_each_were_inserted_alone(store: Store) -> None:
    # given
    await store.transact(lambda tx: tx.execute(insert(_THINGS), _ROWS))
    text = select(*(column.cast(Text) for column in _THINGS.c)).order_by(_THINGS.c.id)
    alone = await store.read(lambda tx: _all(tx)), (await store.read(lambda tx: tx.execute(text))).all()
    await store.transact(lambda tx: tx.execute(_THINGS.delete()))

    # when
    await store.transact(lambda tx: _insert(tx, _ROWS))

    # then: the same values, in the same form
    together = await store.read(lambda tx: _all(tx)), (await store.read(lambda tx: tx.execute(text))).all()
    assert together == alone


async def test_a_time_of_another_zone_is_stored_in_utc(store: Store) -> None:
    # given
    east = _NOON.astimezone(timezone(timedelta(hours=3)))

    # when
    await store.transact(lambda tx: _insert(tx, [{**_ROWS[0], "at": east}]))

    # then
    [row] = await store.read(_all)
    assert row["at"] == _NOON
    assert row["at"].utcoffset() == timedelta(0)


async def test_a_naive_time_and_what_is_no_value_are_refused(store: Store) -> None:
    for value in (datetime(2026, 11, 29, 12, 0), b"bytes"):
        with pytest.raises((StatementError, TypeError, ValueError)):
            await store.transact(lambda tx, value=value: _insert(tx, [{**_ROWS[0], "at": value}]))  # type: ignore[misc]
    assert await store.read(_all) == []


async def test_half_a_surrogate_pair_is_refused_before_it_is_stored(store: Store) -> None:
    with pytest.raises((UnicodeEncodeError, StatementError)):
        await store.transact(lambda tx: _insert(tx, [{**_ROWS[0], "words": "\ud83c"}]))
    assert await store.read(_all) == []


async def test_each_row_changes_its_own(store: Store) -> None:
    # given
    await store.transact(lambda tx: _insert(tx, _ROWS))

    async def change(tx: Any) -> None:
        row = given(tx.dialect.name, "new", which=JobId, number=Integer())
        changed = update(_THINGS).where(_THINGS.c.id == row["which"]).values(chat_id=row["number"])
        await tx.execute(changed, {"new": [{"which": _ROWS[n]["id"], "number": n + 7} for n in (2, 0)]})
        await tx.execute(changed, {"new": []})

    # when
    await store.transact(change)

    # then
    assert [row["chat_id"] for row in await store.read(_all)] == [7, -(2**52), 9]
