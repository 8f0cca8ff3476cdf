"""Stages for tests: what takes long to start is shared by the tests of one process, and mended after a failure."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from tests.databases import database_url, postgres_url, sqlite_url, store  # fixtures by import
from tests.faults import places
from tests.faults.lengths import WHOLE
from tests.faults.nursery import Nursery
from tests.faults.stage import Stage
from tests.servers import Kind

Opens = Callable[[str, Kind], Awaitable[Stage]]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def nursery() -> AsyncIterator[Nursery]:
    async with Nursery() as running:
        yield running


@pytest.fixture(scope="session")
def at_length() -> None:
    """What breaks much is a run of its own; a short part of it is in every run of the tests, see `test_short`."""
    if not WHOLE:
        pytest.skip("breaking everything is a run of its own: make faults")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_stages(at_length: None, nursery: Nursery) -> AsyncIterator[Opens]:
    """Opens the stage of a database and a server, or finds it open."""
    opened: dict[str, Stage] = {}
    async with contextlib.AsyncExitStack() as stack:

        async def opens(database: str, server: Kind) -> Stage:
            if database not in opened:
                opened[database] = await stack.enter_async_context(places.stage(nursery, database, server))
            return opened[database]

        yield opens


@pytest_asyncio.fixture(loop_scope="session", params=list(places.PAIRS))
async def shared_stage(request: pytest.FixtureRequest, shared_stages: Opens) -> AsyncIterator[Stage]:
    """A stage that other tests have used and will use, on each database."""
    stage = await shared_stages(places.available(request.param), places.PAIRS[request.param])
    before = request.session.testsfailed
    yield stage
    if request.session.testsfailed > before:
        print(await stage.explain())
        await stage.mend()


@pytest_asyncio.fixture(loop_scope="session", params=list(places.PAIRS))
async def stage(request: pytest.FixtureRequest, at_length: None, nursery: Nursery) -> AsyncIterator[Stage]:
    """A stage of the test's own with two workers, on each database."""
    database = places.available(request.param)
    async with places.stage(nursery, database, places.PAIRS[database], workers=2) as made:
        yield made
