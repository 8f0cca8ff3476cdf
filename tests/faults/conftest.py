"""Stages for tests: what takes long to start is shared by the tests of one process, and mended after a failure."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable

import psycopg
import pytest
import pytest_asyncio

from tests.databases import SERVER, database_url, postgres_url, sqlite_url, store  # fixtures by import
from tests.faults import places
from tests.faults.nursery import Nursery
from tests.faults.stage import Stage
from tests.servers import Kind, binary_of

Opens = Callable[[str, Kind], Awaitable[Stage]]
PAIRS = {"sqlite": Kind.VALKEY, "postgres": Kind.REDIS7}


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def nursery() -> AsyncIterator[Nursery]:
    if not os.environ.get("FAULTS"):
        # They want the machine to themselves: beside thousands of other tests a second is not a second.
        pytest.skip("breaking real processes is a run of its own: make faults")
    async with Nursery() as running:
        yield running


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_stages(nursery: Nursery) -> AsyncIterator[Opens]:
    """Opens the stage of a database and a server, or finds it open."""
    opened: dict[str, Stage] = {}
    async with contextlib.AsyncExitStack() as stack:

        async def opens(database: str, server: Kind) -> Stage:
            if database not in opened:
                opened[database] = await stack.enter_async_context(places.stage(nursery, database, server))
            return opened[database]

        yield opens


@pytest_asyncio.fixture(loop_scope="session", params=list(PAIRS))
async def shared_stage(request: pytest.FixtureRequest, shared_stages: Opens) -> AsyncIterator[Stage]:
    """A stage that other tests have used and will use, on each database."""
    stage = await shared_stages(_available(request.param), PAIRS[request.param])
    before = request.session.testsfailed
    yield stage
    if request.session.testsfailed > before:
        print(await stage.explain())
        await stage.mend()


@pytest_asyncio.fixture(loop_scope="session", params=list(PAIRS))
async def stage(request: pytest.FixtureRequest, nursery: Nursery) -> AsyncIterator[Stage]:
    """A stage of the test's own with two workers, on each database."""
    database = _available(request.param)
    async with places.stage(nursery, database, PAIRS[database], workers=2) as made:
        yield made


def _available(database: str) -> str:
    """``database``; the test is skipped where this machine has no server for it."""
    if binary_of(PAIRS[database]) is None:
        pytest.skip(f"this machine has no {PAIRS[database]}")
    if database == "postgres":
        try:
            psycopg.connect(places.POSTGRES, connect_timeout=3).close()
        except psycopg.OperationalError:
            if SERVER in os.environ:
                raise
            pytest.skip(f"no PostgreSQL answers on 127.0.0.1:5432, and {SERVER} names no other")
    return database
