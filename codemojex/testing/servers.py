"""What the tests of one process share: a queue server, and a database whose tables are made once."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
from psycopg import sql
from sqlalchemy import URL, make_url

import emq
from codemojex.store import revision
from codemojex.store.schema import metadata

SQLITE = "sqlite"


@contextlib.contextmanager
def queue_server() -> Iterator[str]:
    """An embedded queue server that keeps nothing; its URL. Share it: a test has queue names of its own."""
    folder = Path(tempfile.mkdtemp(prefix="cmx-"))
    server = asyncio.run(emq.EmbeddedServer.start(folder, persist=False))
    try:
        yield server.url
    finally:
        asyncio.run(server.stop())
        shutil.rmtree(folder, ignore_errors=True)


class Databases:
    """Databases with the tables of this version and nothing in them.

    Args:
        server: ``sqlite``, or the URL of a PostgreSQL server whose user may create databases.
        folder: where SQLite files go.
    """

    def __init__(self, server: str, folder: Path) -> None:
        self._server = None if server == SQLITE else make_url(server)
        self._folder = folder
        self._stack = contextlib.ExitStack()
        self._made: str | None = None

    @contextlib.contextmanager
    def fresh(self) -> Iterator[str]:
        """DATABASE_URL of an empty database, for one test."""
        if self._server is None:
            path = self._folder / f"{uuid.uuid4().hex}.sqlite3"
            shutil.copy(self._template(), path)
            try:
                yield f"sqlite+aiosqlite:///{path}"
            finally:
                for left in self._folder.glob(f"{path.name}*"):
                    left.unlink()
        else:
            # Making a database takes half a second and emptying one next to nothing.
            self._made = self._made or self._create(self._server)
            try:
                yield self._made
            finally:
                empty(self._made)

    def close(self) -> None:
        """Drop what was made on a server."""
        self._stack.close()

    def _template(self) -> str:
        if self._made is None:
            self._made = str(self._folder / "template")
            revision.upgrade(f"sqlite:///{self._made}")
        return self._made

    def _create(self, server: URL) -> str:
        url = self._stack.enter_context(postgres_database(server))
        revision.upgrade(url)
        return url


@contextlib.contextmanager
def postgres_database(server: URL, template: str = "template0") -> Iterator[str]:
    """A database of a name that nobody else has, dropped afterwards with whoever is still connected.

    Args:
        server: where; its user may create databases.
        template: the name of the database that it is a copy of; nobody may be connected to that one.

    Yields:
        its DATABASE_URL.
    """
    name = f"codemojex_test_{uuid.uuid4().hex}"
    made = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
    gone = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    with psycopg.connect(conninfo(server), autocommit=True) as connection:
        connection.execute(made)
        try:
            # The server is never killed here, so no commit has to wait for the disk.
            quick = sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(sql.Identifier(name))
            connection.execute(quick)
            url = server.set(drivername="postgresql+psycopg", database=name)
            yield url.render_as_string(hide_password=False)
        finally:
            connection.execute(gone)


def empty(database: str) -> None:
    """Delete every row of a PostgreSQL database, after whoever the test has left behind was disconnected."""
    with psycopg.connect(conninfo(make_url(database)), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        for table in reversed(metadata.sorted_tables):
            connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table.name)))


def conninfo(server: URL) -> str:
    """How psycopg itself wants to be told of a server or a database."""
    return server.set(drivername="postgresql").render_as_string(hide_password=False)
