"""A database of its own for each test: a SQLite file, and a database on a PostgreSQL server.

The tables are made once for each test process, by the migrations; a test gets a copy of them,
or finds them empty.

CODEMOJEX_TEST_POSTGRES names the server, as a URL whose user may create databases; without it, the user
postgres on 127.0.0.1:5432 is tried. Where no server answers, tests of PostgreSQL are skipped and say so.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import URL, make_url

from codemojex.store import revision
from codemojex.store.engine import Store, open_store
from codemojex.testing.servers import conninfo, empty, postgres_database
from tests import compiled

compiled.share()

SERVER = "CODEMOJEX_TEST_POSTGRES"
_DEFAULT_SERVER = "postgresql://postgres@127.0.0.1:5432/postgres"


@pytest.fixture
def sqlite_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A migrated SQLite file."""
    path = tmp_path / "game.sqlite3"
    shutil.copy(_sqlite_template(request), path)
    return f"sqlite+aiosqlite:///{path}"


@pytest.fixture
def postgres_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """A migrated database on PostgreSQL with nothing in it."""
    url = _postgres(request).shared
    yield url
    empty(url)


@pytest.fixture
def own_postgres_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """A migrated database on PostgreSQL for a test that changes its tables."""
    postgres = _postgres(request)
    with postgres_database(postgres.server, postgres.template) as url:
        yield url


@pytest.fixture
def empty_postgres_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """A database on PostgreSQL without tables."""
    server = _postgres(request).server
    with postgres_database(server) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A migrated database, once on each kind."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture(params=["sqlite", "own_postgres"])
def own_database_url(request: pytest.FixtureRequest) -> str:
    """A migrated database whose tables a test may change, once on each kind."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture(params=["sqlite", "postgres"])
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without tables, once on each kind."""
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{tmp_path / 'empty.sqlite3'}"
    return str(request.getfixturevalue("empty_postgres_url"))


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    """An open store on a migrated database, once on each kind."""
    opened = open_store(database_url)
    yield opened
    await opened.aclose()


@dataclass(frozen=True, slots=True)
class _Postgres:
    """A server, the migrated database that is only copied, and the one that tests use in turn."""

    server: URL
    template: str
    shared: str


# Kept with the run, not in fixtures of their own: a conftest imports what it uses and nothing behind it.
_SQLITE_TEMPLATE = pytest.StashKey[Path]()
_POSTGRES = pytest.StashKey[_Postgres | None]()


def _sqlite_template(request: pytest.FixtureRequest) -> Path:
    """A migrated SQLite file that no test touches, made when first asked for."""
    stash = request.config.stash
    if _SQLITE_TEMPLATE not in stash:
        folder: Path = request.getfixturevalue("tmp_path_factory").mktemp("template")
        revision.upgrade(f"sqlite:///{folder / 'template.sqlite3'}")
        stash[_SQLITE_TEMPLATE] = folder / "template.sqlite3"
    return stash[_SQLITE_TEMPLATE]


def _postgres(request: pytest.FixtureRequest) -> _Postgres:
    """The server with this run's databases on it; making one takes half a second, so most tests share."""
    stash = request.config.stash
    if _POSTGRES not in stash:
        server = _server()
        stash[_POSTGRES] = None if server is None else _prepared(server, request.config)
    found = stash[_POSTGRES]
    if found is None:
        pytest.skip(f"no PostgreSQL answers on 127.0.0.1:5432, and {SERVER} names no other")
    return found


def _server() -> URL | None:
    url = make_url(os.environ.get(SERVER, _DEFAULT_SERVER))
    try:
        psycopg.connect(conninfo(url), connect_timeout=3).close()
    except psycopg.OperationalError:
        if SERVER in os.environ:
            raise
        return None
    return url


def _prepared(server: URL, config: pytest.Config) -> _Postgres:
    stack = ExitStack()
    config.add_cleanup(stack.close)
    made = stack.enter_context(postgres_database(server))
    revision.upgrade(made)
    template = make_url(made).database
    assert template is not None
    return _Postgres(server, template, stack.enter_context(postgres_database(server, template)))
