"""Fixtures of the play tests: a database, and a table to play at."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from codemojex.store.engine import Store, open_store
from tests.databases import (  # fixtures by import
    database_url,
    own_database_url,
    own_postgres_url,
    postgres_url,
    sqlite_url,
    store,
)
from tests.play.makers import Table, seat
from tests.statements import sent_by


@pytest.fixture
async def table(store: Store) -> Table:  # the fixture imported above
    """Ada's private chat with an open classic game whose secret is 🍎🍌🍇🍓🍒🍍."""
    return await seat(store)


@pytest.fixture
async def crowd(database_url: str) -> AsyncIterator[Store]:
    """A store with enough connections for several workers to be inside transactions of their own."""
    opened = open_store(database_url, connections=6)
    yield opened
    await opened.aclose()


@pytest.fixture
def statements() -> Callable[[Store], AbstractContextManager[list[str]]]:
    """What is sent to the database inside a `with`, without BEGIN."""

    @contextmanager
    def noted(store: Store) -> Iterator[list[str]]:
        found: list[str] = []
        with sent_by(store) as sent:
            yield found
        found.extend(statement for statement, _ in sent if not statement.startswith("BEGIN"))

    return noted
