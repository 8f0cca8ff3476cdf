"""Take the picture of the page for the README: ``python -m tests.web.picture``, or ``make picture``.

Three people play a round in a group on the real page, until one of them cracks the code. Needs Chromium, as the
tests of the page do.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import async_playwright, expect

from tests.web.chromium import QUIET, chromium
from tests.web.tab import Desk

_PICTURE = Path(__file__).parents[2] / "docs" / "images" / "page.png"
_WIDTH, _HEIGHT = 1120, 760
_SHARP = 1.5
_SECRET = "🥝🍌🍇🍋🍒🍐"
_ROUND = (
    ("Ada", "🍌🍇🍎🍓🍒🍍"),
    ("Bo", "🍋🍌🍇🍑🍒🥝"),
    ("Cy", "🥝🍌🍇🍒🍋🍐"),
)


async def take(to: Path = _PICTURE) -> None:
    """Play the round and write the picture."""
    found = chromium()
    if found is None:
        sys.exit("no Chromium: set CHROMIUM, or put chromium or google-chrome on PATH")
    async with _page() as url, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found, args=list(QUIET))
        desk = Desk(browser, url, sharp=_SHARP)
        tabs = {name: await desk.window(name, size=(_WIDTH, _HEIGHT)) for name in ("Ada", "Bo", "Cy")}
        for tab in tabs.values():
            await tab.opens("Code breakers")
        await tabs["Ada"].says("/new 15")
        await expect(tabs["Ada"].keyboard()).to_be_visible()
        for name, guess in _ROUND:
            await tabs[name].says(guess)
            await expect(tabs[name].log.locator(".reaction").last).to_be_visible()
        await tabs["Ada"].says("So close, Cy! Swap two …")
        bo = tabs["Bo"]
        await bo.says(_SECRET)
        await bo.sees("Bo cracked the code!")
        await expect(bo.keyboard()).to_have_count(0)
        await bo.sees("🎉 · Bo")
        more = await bo.log.evaluate(_MORE)
        await bo.page.set_viewport_size({"width": _WIDTH, "height": _HEIGHT + round(more)})
        await bo.log.evaluate("log => (log.scrollTop = log.scrollHeight)")
        await bo.page.evaluate("document.activeElement.blur()")
        await bo.shot(to)
        await browser.close()


# How much higher the window is to be so that the board is the first thing seen: nothing above it, all below it.
_MORE = """
(log) => {
  const board = [...log.querySelectorAll("[data-id]")].find((each) => each.textContent.includes("This game is over"));
  const above = board.getBoundingClientRect().top - log.getBoundingClientRect().top + log.scrollTop;
  return log.scrollHeight - above - log.clientHeight + 6;
}
"""


@asynccontextmanager
async def _page() -> AsyncIterator[str]:
    """The address of a game of its own."""
    with tempfile.TemporaryDirectory(prefix="codemojex-") as home:
        order = [sys.executable, "-m", "codemojex.cli", "play", "--web", "--secret", _SECRET]
        running = await asyncio.create_subprocess_exec(
            *order, env={**os.environ, "CODEMOJEX_HOME": home}, stdout=subprocess.PIPE
        )
        try:
            assert running.stdout is not None
            (url,) = re.findall(r"http\S+/", (await running.stdout.readline()).decode())
            yield url
        finally:
            running.terminate()
            await running.wait()


if __name__ == "__main__":
    asyncio.run(take())
