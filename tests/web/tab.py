"""Somebody in front of the page: what they do in one window, and what they see there."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from playwright.async_api import Browser, BrowserContext, Locator, Page, Request, expect

DESKTOP = (1180, 820)
PHONE = (390, 844)
# What a browser itself remarks when a test cuts the connection, or has the server refuse something.
_EXPECTED = ("WebSocket", "ERR_CONNECTION", "status of 409")
_PATIENCE_MS = 60_000
expect.set_options(timeout=_PATIENCE_MS)

Scheme = Literal["light", "dark"]


class Desk:
    """Opens windows, and remembers everything that went wrong in any of them.

    Args:
        sharp: pixels of a picture for each of the page's.
    """

    def __init__(self, browser: Browser, url: str, sharp: float = 1) -> None:
        self._browser, self.url, self._sharp = browser, url, sharp
        self._contexts: list[BrowserContext] = []
        self.wrong: list[str] = []
        self.asked: list[str] = []
        """The addresses of every request of every window."""

    async def window(
        self, person: str = "Ada", *, size: tuple[int, int] = DESKTOP, scheme: Scheme = "light"
    ) -> Tab:
        """A window of a fresh browser, in which one is already ``person``, in their private chat."""
        width, height = size
        context = await self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            device_scale_factor=self._sharp,
        )
        self._contexts.append(context)
        page = await context.new_page()
        page.set_default_timeout(_PATIENCE_MS)
        page.on("console", lambda said: self._note(said.type in ("error", "warning"), said.text))
        page.on("pageerror", lambda error: self._note(True, str(error)))
        page.on("dialog", lambda dialog: self._note(True, f"a dialog: {dialog.message}"))
        page.on("request", self._look)
        await page.goto(self.url)
        tab = Tab(page)
        await tab.becomes(person)
        return tab

    async def close(self) -> None:
        for context in self._contexts:
            await context.close()

    def _note(self, wrong: bool, what: str) -> None:
        if wrong and not any(words in what for words in _EXPECTED):
            self.wrong.append(what)

    def _look(self, request: Request) -> None:
        self.asked.append(request.url)
        if not request.url.startswith(self.url):
            self.wrong.append(f"a request to {request.url}")


class Tab:
    """One window."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.text = page.get_by_role("combobox", name="Message")
        self.log = page.get_by_role("log")

    # -- where one is ----------------------------------------------------------------------------

    async def becomes(self, person: str) -> None:
        """Choose who one is."""
        await self.page.get_by_role("radio", name=person).click()

    async def opens(self, chat: str) -> None:
        """Open a chat from the list."""
        await self.entry(chat).click()

    def entry(self, chat: str) -> Locator:
        """A chat in the list."""
        return self.page.locator(".chat", has=self.page.locator(".chat-name", has_text=chat))

    # -- what one does ---------------------------------------------------------------------------

    async def starts(self) -> None:
        """Press Start in a private chat where nothing was said yet."""
        await self.page.get_by_role("button", name="Start", exact=True).click()

    async def says(self, text: str) -> None:
        """Type and press Enter."""
        await self.text.fill(text)
        await self.text.press("Enter")

    async def presses(self, *labels: str) -> None:
        """Press buttons of the newest keyboard, one after the other."""
        for label in labels:
            await self.keyboard().get_by_role("button", name=label).click()

    async def menu(self, message: Locator, item: str) -> None:
        """Choose from the menu of a message."""
        await message.hover()
        await message.get_by_role("button", name="More about this message").click()
        await self.page.get_by_role("menu").get_by_role("menuitem", name=item).click()

    # -- what one sees ---------------------------------------------------------------------------

    def keyboard(self) -> Locator:
        """The newest inline keyboard."""
        return self.log.get_by_role("group", name="Buttons").last

    def message(self, words: str) -> Locator:
        """The newest message with these words."""
        return self.log.locator("[data-id]").filter(has_text=words).last

    async def sees(self, words: str) -> Locator:
        """Wait for a message with these words."""
        found = self.message(words)
        await expect(found).to_be_visible()
        return found

    async def toasted(self, words: str) -> None:
        """Wait for a toast with these words."""
        await expect(self.page.locator("#toast")).to_contain_text(words)

    async def shot(self, path: Path) -> Path:
        """A picture of the window, animations at their end."""
        await self.page.screenshot(path=path, animations="disabled")
        return path
