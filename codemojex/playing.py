"""`codemojex play`: the whole system in one process, against a Telegram of its own on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from codemojex import app as wiring
from codemojex import running
from codemojex.game.keyboards import THEMES, Level, Mode
from codemojex.localtg import LocalTelegram, Options, Person
from codemojex.logs import start_logs
from codemojex.notices.budgets import Budgets
from codemojex.play.languages import LANGUAGES
from codemojex.play.rest import unfinished
from codemojex.play.seasons import Period
from codemojex.play_desk import Desk, locale_language
from codemojex.play_options import PlayOptions, PlayTable, read_table
from codemojex.settings import BadSettings, Settings, read_settings
from codemojex.supervise import Supervisor
from codemojex.terminal import Seat, chat
from codemojex.texts.console import console, names
from codemojex.web import Album, Crowd, Site, Symbols

# The one who sits at the keyboard. Any id will do; this one is as long as real ids are.
_YOU = 5_000_000_001
_START_S = 30.0
_ANSWER_S = 60.0
_CHOICES = {
    "new": (tuple(Level), tuple(Mode), tuple(THEMES)),
    "top": (tuple(Period),),
    "settings": (("language", "mode"),),
    "settings language": ((*LANGUAGES, "auto"),),
    "settings mode": (tuple(Mode),),
    "privacy": (("export", "forget"),),
}


async def play_here(options: PlayOptions) -> int:
    """Play on this machine until the input ends, or on a page until Ctrl-C.

    Returns:
        The exit code: 0 when every guess has its answer.

    Raises:
        BadSettings, and what `codemojex.running.run` raises.
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
                return await _play(telegram, settings, table, options)


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


async def _play(telegram: LocalTelegram, settings: Settings, table: PlayTable, options: PlayOptions) -> int:
    """Run the system, and the chat or the page beside it; the first to end ends the other."""
    loop, web = asyncio.get_running_loop(), options.web
    # Before the bot starts: it may have something to tell from the last time.
    person = None if web else _you(telegram)
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
    if person is None:
        sitting = asyncio.create_task(_page(telegram, settings, table))
    else:
        sitting = asyncio.create_task(_terminal(telegram, person, app, table, options.ephemeral))
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


def _you(telegram: LocalTelegram) -> Person:
    """Whoever sits here, with the language of this machine, as a phone tells Telegram that of its own."""
    code = locale_language(os.environ)
    return telegram.person(console(code).you(), id=_YOU, language_code=code, known=True)


async def _terminal(
    telegram: LocalTelegram, person: Person, app: wiring.App, table: PlayTable, ephemeral: bool
) -> int:
    """One person chats on this terminal, or from a pipe."""
    desk = await Desk.of(app, person, table.board)
    following = asyncio.create_task(desk.follow(person.events()))
    try:
        with _downloads(app.settings.home, ephemeral) as folder:
            return await chat(
                person,
                settled=lambda: _settled(telegram, app, desk),
                keyboard=desk.keys,
                seat=Seat(desk.pins, names(), desk.words, await desk.greeting(), folder),
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


async def _settled(telegram: LocalTelegram, app: wiring.App, desk: Desk) -> None:
    """Return once every message is acknowledged, every guess scored and told, every reply sent and shown.

    Raises:
        TimeoutError: it did not come to rest within a minute.
    """
    async with asyncio.timeout(_ANSWER_S):
        # Asked again and again: no one signal covers Telegram, the queue and the database.
        while await _busy(telegram, app):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await desk.look()  # the letters of the next line are those of the game it opened


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


@contextlib.contextmanager
def _downloads(home: Path, ephemeral: bool) -> Iterator[Path]:
    """A folder for what somebody asked to be given; it stays where there is something in it."""
    if not ephemeral:
        yield home / "downloads"
        return
    folder = Path(tempfile.mkdtemp(prefix="codemojex-downloads-"))
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):
            folder.rmdir()


@contextlib.asynccontextmanager
async def _telegram(home: Path, options: Options) -> AsyncIterator[LocalTelegram]:
    telegram = LocalTelegram(state=home / "telegram.json", options=options)
    await telegram.start()
    try:
        yield telegram
    finally:
        await telegram.stop()
