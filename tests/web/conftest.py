"""The page of a whole system under test, and real Chromium to look at it with."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright

from codemojex.game.keyboards import THEMES, keyboard
from codemojex.localtg import LocalTelegram
from codemojex.testing.game import Game
from codemojex.web import Crowd, Site, Symbols
from tests.web.chromium import QUIET, chromium
from tests.web.tab import Desk

_START_S = 90.0


@pytest.fixture
def crowd(game: Game) -> Crowd:
    """Ada, Bo and Cy, and their group Code breakers; the whole game is behind them."""
    crowd = Crowd(game.telegram)
    crowd.settle()
    return crowd


@pytest.fixture
async def silent_site() -> AsyncIterator[Site]:
    """The page's server with the same people, at a Telegram where no bot listens."""
    async with LocalTelegram() as telegram, _served(Crowd(telegram)) as site:
        site.crowd.settle()
        yield site


@pytest.fixture
async def site(crowd: Crowd) -> AsyncIterator[Site]:
    """The page's server."""
    async with _served(crowd) as site:
        yield site


@contextlib.asynccontextmanager
async def _served(crowd: Crowd) -> AsyncIterator[Site]:
    names = {symbol.char: symbol.name for theme in THEMES.values() for symbol in theme.symbols}
    site = Site(crowd, Symbols(names, keyboard().chars))
    await site.start()
    yield site
    await site.stop()


@pytest.fixture(scope="session")
def chromium_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Headless Chromium, one for all tests of this process; where it takes orders."""
    found = chromium()
    if found is None:
        pytest.skip("no Chromium: set CHROMIUM, or put chromium or google-chrome on PATH")
    folder = tmp_path_factory.mktemp("chromium")
    order = [found, "--headless", *QUIET, "--remote-debugging-port=0", f"--user-data-dir={folder}"]
    with subprocess.Popen(order, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        try:
            yield _address(folder / "DevToolsActivePort", running)
        finally:
            running.terminate()


def _address(file: Path, running: subprocess.Popen[bytes]) -> str:
    """What Chromium writes down once it listens."""
    until = time.monotonic() + _START_S
    while not (file.exists() and file.read_text("utf-8").count("\n")):
        assert running.poll() is None, f"Chromium ended with {running.returncode}"
        assert time.monotonic() < until, f"Chromium did not start within {_START_S:g} s"
        time.sleep(0.02)
    return f"http://127.0.0.1:{file.read_text('utf-8').splitlines()[0]}"


@pytest.fixture
async def browser(chromium_address: str) -> AsyncIterator[Browser]:
    """A line to Chromium; what is opened in it is closed with it."""
    async with async_playwright() as playwright:
        yield await playwright.chromium.connect_over_cdp(chromium_address)


@pytest.fixture
async def desk(browser: Browser, site: Site) -> AsyncIterator[Desk]:
    """Opens windows on the page; at the end none of them may have met an error, or asked anybody else for anything."""
    desk = Desk(browser, site.url)
    yield desk
    await desk.close()
    assert desk.wrong == []
