"""One time for everybody who shares a database, whatever their machines believe."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
import structlog

from codemojex.store import clock
from codemojex.store.clock import SharedClock
from codemojex.store.engine import Store, StoreDown, open_store

A_MOMENT = timedelta(seconds=30)


@pytest.fixture
async def postgres(postgres_url: str) -> AsyncIterator[Store]:
    store = open_store(postgres_url)
    yield store
    await store.aclose()


@pytest.fixture
def ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine believes that it is two hours later."""
    monkeypatch.setattr(clock, "machine_time", lambda: datetime.now(UTC) + timedelta(hours=2))


async def test_a_machine_whose_clock_is_wrong_goes_by_the_server(postgres: Store, ahead: None) -> None:
    believed = SharedClock(postgres)()
    with structlog.testing.capture_logs() as logs:
        shared = await SharedClock.of(postgres)

        # however often it looks, it says so once
        await shared.look()

    assert believed - datetime.now(UTC) > timedelta(hours=1)
    assert abs(shared() - datetime.now(UTC)) < A_MOMENT
    assert [(line["event"], line["seconds"] > 7_000) for line in logs] == [
        ("this machine's clock is off; the database's counts", True)
    ]


async def test_a_file_goes_by_its_machine(sqlite_url: str) -> None:
    store = open_store(sqlite_url)
    with structlog.testing.capture_logs() as logs:
        shared = await SharedClock.of(store)

    assert abs(shared() - datetime.now(UTC)) < A_MOMENT
    assert logs == []
    await store.aclose()


async def test_what_the_server_said_holds_while_it_is_away(postgres: Store, ahead: None) -> None:
    shared = await SharedClock.of(postgres)
    shared._store = open_store("postgresql://127.0.0.1:1/nobody")

    with pytest.raises(StoreDown):
        await shared.look()

    assert abs(shared() - datetime.now(UTC)) < A_MOMENT
