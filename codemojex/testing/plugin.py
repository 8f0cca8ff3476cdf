"""The pytest plugin: the fixture ``game``, its marker, and the transcript under a flow that failed."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

# The bot and its libraries are imported by the fixtures, so that runs without flows do not wait for them.
if TYPE_CHECKING:
    from codemojex.testing.game import Game
    from codemojex.testing.servers import Databases
    from codemojex.testing.table import Setup

_GAME: pytest.StashKey[Game] = pytest.StashKey()
_FAILED: pytest.StashKey[bool] = pytest.StashKey()
_LAST_LINES = 30


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--codemojex-database``."""
    group = parser.getgroup("codemojex")
    group.addoption(
        "--codemojex-database",
        default="sqlite",
        metavar="SERVER",
        help="where flows keep their tables: sqlite (default), or the URL of a PostgreSQL server whose user "
        "may create databases, like postgresql://postgres@127.0.0.1:5432/postgres",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        "game(secret, dice, at, privacy, strict, **settings): how the system of a flow is set up; "
        "see codemojex.testing.table.Setup",
    )


@pytest.fixture(scope="session")
def codemojex_queue() -> Iterator[str]:
    """The URL of this process's queue server."""
    from codemojex.testing.servers import queue_server

    with queue_server() as url:
        yield url


@pytest.fixture(scope="session")
def codemojex_databases(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Databases]:
    """Makes an empty database for each flow."""
    from codemojex.testing.servers import Databases

    server = str(request.config.getoption("--codemojex-database"))
    databases = Databases(server, tmp_path_factory.mktemp("databases"))
    yield databases
    databases.close()


@pytest.fixture
def game_setup(request: pytest.FixtureRequest) -> Setup:
    """How the system is set up, from ``@pytest.mark.game``; the nearest mark decides, keyword by keyword."""
    from codemojex.testing.table import Setup

    chosen: dict[str, Any] = {}
    for mark in reversed(list(request.node.iter_markers("game"))):
        chosen |= mark.kwargs
    return Setup.of(chosen)


@pytest.fixture
async def game(
    request: pytest.FixtureRequest,
    game_setup: Setup,
    codemojex_queue: str,
    codemojex_databases: Databases,
    tmp_path: Path,
) -> AsyncIterator[Game]:
    """A whole system with nobody in it; when the test is over, nothing may be left undone and every promise hold."""
    from codemojex.testing.table import Servers, dealt

    with codemojex_databases.fresh() as database_url:
        queue = f"flow.{uuid.uuid4().hex[:16]}"
        async with dealt(game_setup, Servers(codemojex_queue, queue, database_url, tmp_path)) as dealt_:
            request.node.stash[_GAME] = dealt_
            yield dealt_
            if not request.node.stash.get(_FAILED, False):
                await dealt_.ends_well()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the chats and the last lines of the log under a flow that failed."""
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
        if _GAME in item.stash:
            game = item.stash[_GAME]
            report.sections.append(("what was said", str(game.transcript)))
            report.sections.append(("the end of the log", "\n".join(game.log.lines[-_LAST_LINES:])))
    return report
