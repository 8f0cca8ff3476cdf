"""What lies before whoever plays in a terminal: the keyboard of the game, pins, a language, how the game stands."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.app import App
from codemojex.game.keyboards import Keyboard
from codemojex.game.pins import NO_PINS, Slots
from codemojex.game.refusals import DayOver
from codemojex.localtg import Event, Person
from codemojex.play import daily, feeds, games, languages, pins, rooms, views
from codemojex.play.games import GameView
from codemojex.play.rooms import ChatRef
from codemojex.terminal import Key, lettered
from codemojex.texts import catalogs
from codemojex.texts.console import ConsoleTexts, console
from codemojex.texts.markup import plain

# POSIX' own order: the first that is set says it.
_LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")


class Desk:
    """Follows the game that a person's guesses go to, and the language they are spoken to in."""

    def __init__(self, app: App, person: Person, board: Keyboard) -> None:
        self._app = app
        self._id = person.id
        self._name = person.name
        self._board = board
        self._pins: Slots = NO_PINS
        self._told = person.user.language_code
        self._code = languages.spoken(self._told)

    @classmethod
    async def of(cls, app: App, person: Person, board: Keyboard) -> Desk:
        """The desk as it was left; ``board`` is the keyboard of a next game."""
        desk = cls(app, person, board)
        await desk.look()
        return desk

    def keys(self) -> list[Key]:
        """(letter, emoji, name) of each symbol of the game that is on, or of the next one."""
        return lettered(self._board.chars, self.words())

    def pins(self) -> Slots:
        """What is pinned to each of the six places."""
        return self._pins

    def words(self) -> ConsoleTexts:
        """The terminal's words in the player's language."""
        return console(self._code)

    async def look(self) -> None:
        """See how things stand now."""
        await self._app.store.transact(self._look)

    async def follow(self, events: AsyncIterator[Event]) -> None:
        """Look after each message of the bot."""
        async for _ in events:
            await self.look()

    async def greeting(self) -> str:
        """How the game stands that is on, and the guesses made in it; empty when none is."""
        return await self._app.store.transact(self._greeting)

    async def _look(self, tx: AsyncConnection) -> None:
        game = await self._game(tx)
        self._board = self._board if game is None else game.keyboard
        self._pins = NO_PINS if game is None else await pins.pinned(tx, game.id, self._id)
        self._code = (await languages.known(tx, [self._id])).get(self._id, languages.spoken(self._told))

    async def _greeting(self, tx: AsyncConnection) -> str:
        game = await self._game(tx)
        if game is None:
            return ""
        view, texts = await views.board(tx, game.id, self._id), catalogs.of(self._code)
        past = self.words().past(await feeds.told(tx, game, self._id))
        slots = await pins.pinned(tx, game.id, self._id)
        stands = [*texts.board(view, datetime.now(UTC)), *([texts.pinned(slots)] if any(slots) else [])]
        return "\n\n".join(filter(None, [past, *map(plain, stands)]))

    async def _game(self, tx: AsyncConnection) -> GameView | None:
        now = datetime.now(UTC)
        room = await rooms.enter(tx, ChatRef(id=self._id, type="private", title=self._name), now)
        with contextlib.suppress(DayOver):
            room = await daily.where(tx, self._id, room, now, self._app.settings.daily_tz)
        return await games.running(tx, room)


def locale_language(environ: Mapping[str, str]) -> str:
    """The language of the locale that ``environ`` names, where it is spoken here; else English."""
    named = next((environ[name] for name in _LOCALES if environ.get(name)), None)
    return languages.spoken(named and named.partition(".")[0])
