"""Where a stage is set up: databases and queue servers of its own, made quickly and taken away again."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
import threading
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import make_url

from codemojex.store import revision
from codemojex.store.engine import Store, open_store
from tests.databases import SERVER
from tests.faults.nursery import Nursery
from tests.faults.stage import Stage
from tests.servers import Kind, ServerProcess, binary_of

T = TypeVar("T")
_migrating = threading.Lock()
# Tests try each database with one of the queue servers; a long run tries it with both.
PAIRS = {"sqlite": Kind.VALKEY, "postgres": Kind.REDIS7}
POSTGRES = os.environ.get(SERVER, "postgresql://postgres@127.0.0.1:5432/postgres")


def available(database: str) -> str:
    """``database``; the test is skipped where this machine has no server for it."""
    if binary_of(PAIRS[database]) is None:
        pytest.skip(f"this machine has no {PAIRS[database]}")
    if database == "postgres":
        try:
            psycopg.connect(POSTGRES, connect_timeout=3).close()
        except psycopg.OperationalError:
            if SERVER in os.environ:
                raise
            pytest.skip(f"no PostgreSQL answers on 127.0.0.1:5432, and {SERVER} names no other")
    return database


@contextlib.contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    """The URL of a migrated database of this kind (sqlite, postgres), gone afterwards."""
    if kind == "sqlite":
        path = folder / "game.sqlite3"
        _upgrade(f"sqlite:///{path}")
        yield f"sqlite+aiosqlite:///{path}"
        return
    name = f"codemojex_faults_{uuid.uuid4().hex}"
    server = make_url(POSTGRES)
    conninfo = server.set(drivername="postgresql").render_as_string(hide_password=False)
    url = server.set(drivername="postgresql+psycopg", database=name).render_as_string(hide_password=False)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
        try:
            _upgrade(url)
            yield url
        finally:
            gone = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
            connection.execute(gone.format(sql.Identifier(name)))


def _upgrade(url: str) -> None:
    """Make the tables; one after another, because alembic keeps what it works on in its module."""
    with _migrating:
        revision.upgrade(url)


@contextlib.contextmanager
def queue_server(kind: Kind, folder: Path) -> Iterator[ServerProcess]:
    """A queue server that may be killed and emptied."""
    server = ServerProcess(kind, folder).start()
    try:
        yield server
    finally:
        server.stop()


@contextlib.asynccontextmanager
async def _aside(manager: AbstractContextManager[T]) -> AsyncIterator[T]:
    """Entered and left on a thread: the lines of other stages run through this event loop."""
    value = await asyncio.to_thread(manager.__enter__)
    try:
        yield value
    finally:
        await asyncio.to_thread(manager.__exit__, None, None, None)


@contextlib.asynccontextmanager
async def stage(
    nursery: Nursery, database_kind: str, server_kind: Kind, *, workers: int = 1, quiet: bool = False
) -> AsyncIterator[Stage]:
    """A stage with everything running; what its processes said is printed at the end, unless ``quiet``."""
    folder = Path(tempfile.mkdtemp(prefix="cmf-"))
    try:
        async with (
            _aside(database(database_kind, folder)) as url,
            _aside(queue_server(server_kind, folder / "q")) as server,
        ):
            made = Stage(nursery, folder, url, server, f"t.{uuid.uuid4().hex[:12]}", workers=workers)
            try:
                await made.open()
                yield made
            finally:
                await made.close(quiet=quiet)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.asynccontextmanager
async def queue(kind: Kind) -> AsyncIterator[str]:
    """The URL of a queue server of its own."""
    folder = Path(tempfile.mkdtemp(prefix="cmf-"))
    try:
        async with _aside(queue_server(kind, folder)) as server:
            yield server.url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.asynccontextmanager
async def store(kind: str) -> AsyncIterator[Store]:
    """An open store on a migrated database of its own."""
    folder = Path(tempfile.mkdtemp(prefix="cmf-"))
    try:
        async with _aside(database(kind, folder)) as url:
            opened = open_store(url)
            try:
                yield opened
            finally:
                await opened.aclose()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
