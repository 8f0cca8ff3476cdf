"""`codemojex play`: the whole system in one process, against a Telegram of its own on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex import app as wiring
from codemojex import running
from codemojex.game.keyboards import THEMES, Keyboard, Level, Mode
from codemojex.game.refusals import DayOver
from codemojex.localtg import LocalTelegram, Options, Person
from codemojex.logs import start_logs
from codemojex.notices import Budgets
from codemojex.play import daily, games, rooms
from codemojex.play.games import GameView
from codemojex.play.rest import unfinished
from codemojex.play.rooms import ChatRef
from codemojex.play_options import PlayOptions, PlayTable, read_table
from codemojex.settings import BadSettings, Settings, read_settings
from codemojex.supervise import Supervisor
from codemojex.terminal import chat
from codemojex.web import Album, Crowd, Site, Symbols

# The one who sits at the keyboard. Any id will do; this one is as long as real ids are.
_YOU = 5_000_000_001
_START_S = 30.0
_ANSWER_S = 60.0
_CHOICES = {"new": (tuple(Level), tuple(Mode), tuple(THEMES))}


async def play_here(options: PlayOptions) -> int:
    """Play on this machine until the input ends, or on a page until Ctrl-C.

    Returns:
        The exit code: 0 when every guess has its answer.

    Raises:
        BadSettings, and what `codemojex.app.run` raises.
    """
    table = read_table(options)
    with _home(options.ephemeral) as home, _alone(home):
        # On a page people talk in groups as well, where the bot is to see plain guesses.
        async with _telegram(home, Options(privacy=not options.web)) as telegram:
            # Only what the environment says counts: a .env file is a deployment's.
            settings = read_settings(
                _env_file=None,
                codemojex_home=home,
                telegram_token=SecretStr(telegram.token),
                telegram_api_url=telegram.url,
                webhook_url=None,
                guesses_per_second=0,  # one person at one keyboard floods nobody
                acts_per_second=0,
            )
            with (home / "play.log").open("a", encoding="utf-8") as log:
                start_logs(settings, log)
                return await _play(telegram, settings, table, options.web)


@contextlib.contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Keep a second game out of the same folder: each has a Telegram of its own, and answers would go astray.

    Raises:
        BadSettings: one is open.
    """
    with (home / "play.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadSettings(
                f"a game is open in {home} already. Leave it, add --ephemeral, or set CODEMOJEX_HOME to another folder."
            ) from None
        yield


async def _play(telegram: LocalTelegram, settings: Settings, table: PlayTable, web: bool) -> int:
    """Run the system, and the chat or the page beside it; the first to end ends the other."""
    loop = asyncio.get_running_loop()
    started: asyncio.Future[tuple[wiring.App, Supervisor]] = loop.create_future()
    system = asyncio.create_task(
        running.run(
            settings,
            running.Roles(bot=True, worker=True),
            table=wiring.Table(table.defaults, table.secret, Budgets.loopback()),
            upgrade=True,
            started=lambda app, supervisor: started.set_result((app, supervisor)),
        )
    )
    either: list[asyncio.Future[Any]] = [system, started]
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED, timeout=_START_S)
    if system.done():
        await system  # raises what kept it from starting
        return int(not web)  # nothing did: it was told to stop before it had begun
    if not started.done():
        system.cancel()
        await asyncio.gather(system, return_exceptions=True)
        raise BadSettings("the game did not start in time; play.log in CODEMOJEX_HOME says why")
    app, supervisor = started.result()
    seat = _page(telegram, settings, table) if web else _terminal(telegram, app, table)
    sitting = asyncio.create_task(seat)
    try:
        await asyncio.wait([sitting, system], return_when=asyncio.FIRST_COMPLETED)
        # A page is left with Ctrl-C, which ends the system: that is the way out. A terminal reads its own keys.
        return sitting.result() if sitting.done() else int(not web)
    except TimeoutError:
        raise BadSettings(f"no answer within {_ANSWER_S:g} s; play.log in CODEMOJEX_HOME says why") from None
    finally:
        sitting.cancel()
        supervisor.stop()
        await asyncio.gather(sitting, return_exceptions=True)
        await system


async def _terminal(telegram: LocalTelegram, app: wiring.App, table: PlayTable) -> int:
    """One person chats on this terminal, or from a pipe."""
    person = telegram.person("You", id=_YOU, language_code="en", known=True)
    shown = _Shown(table.board, person, app)
    following = asyncio.create_task(shown.follow())
    try:
        return await chat(
            person,
            settled=lambda: _settled(telegram, app, shown),
            keyboard=shown.keys,
            choices=_CHOICES,
            stdin=sys.stdin,
            stdout=sys.stdout,
            tty=sys.stdin.isatty() and sys.stdout.isatty(),
        )
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def _page(telegram: LocalTelegram, settings: Settings, table: PlayTable) -> int:
    """Several people chat on a page, until this is cancelled."""
    crowd = Crowd(telegram)
    album = Album(crowd, settings.home / "page.json")
    album.restore()
    crowd.settle()
    names = {symbol.char: symbol.name for theme in THEMES.values() for symbol in theme.symbols}
    site = Site(crowd, Symbols(names, table.board.chars), settings.home / "page.key")
    await site.start()
    sys.stdout.write(f"codemojex: open {site.url} in a browser; Ctrl-C here ends the game.\n")
    sys.stdout.flush()
    try:
        await album.keep()
    finally:
        await site.stop()
    return 0


class _Shown:
    """The keyboard under the prompt: that of the game that guesses go to, or of the next one."""

    def __init__(self, board: Keyboard, person: Person, app: wiring.App) -> None:
        self._board, self._person, self._app = board, person, app

    def keys(self) -> list[tuple[str, str, str]]:
        """(letter, emoji, name) of each symbol."""
        return [
            (letter, symbol.char, symbol.name)
            for letter, symbol in zip(ascii_lowercase, self._board.symbols, strict=False)
        ]

    async def look(self) -> None:
        """See whether a game on another keyboard runs."""
        ref = ChatRef(id=self._person.id, type="private", title=self._person.name, thread_id=None)
        tz = self._app.settings.daily_tz
        game = await self._app.store.transact(lambda tx: _played(tx, ref, tz))
        self._board = game.keyboard if game is not None else self._board

    async def follow(self) -> None:
        """Look after each message of the bot."""
        events = self._person.events()
        while True:
            await self.look()
            await anext(events)


async def _played(tx: AsyncConnection, ref: ChatRef, tz: str) -> GameView | None:
    now = datetime.now(UTC)
    room = await rooms.enter(tx, ref, now)
    with contextlib.suppress(DayOver):
        room = await daily.where(tx, ref.id, room, now, tz)
    return await games.running(tx, room)


async def _settled(telegram: LocalTelegram, app: wiring.App, shown: _Shown) -> None:
    """Return once every message is acknowledged, every guess scored and told, every reply sent and shown.

    Raises:
        TimeoutError: it did not come to rest within a minute.
    """
    async with asyncio.timeout(_ANSWER_S):
        # Asked again and again: no one signal covers Telegram, the queue and the database.
        while await _busy(telegram, app):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await shown.look()  # the letters of the next line are those of the game it opened


async def _busy(telegram: LocalTelegram, app: wiring.App) -> bool:
    return bool(telegram.pending()) or await app.store.read(unfinished)


@contextlib.contextmanager
def _home(ephemeral: bool) -> Iterator[Path]:
    """A folder that is gone afterwards, or the configured one."""
    if not ephemeral:
        yield read_settings(_env_file=None).make_home()
        return
    folder = Path(tempfile.mkdtemp(prefix="codemojex-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.asynccontextmanager
async def _telegram(home: Path, options: Options) -> AsyncIterator[LocalTelegram]:
    telegram = LocalTelegram(state=home / "telegram.json", options=options)
    await telegram.start()
    try:
        yield telegram
    finally:
        await telegram.stop()
