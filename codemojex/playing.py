"""`codemojex play`: the whole system in one process, against a Telegram of its own on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex import app as wiring
from codemojex import running
from codemojex.game.keyboards import THEMES, Keyboard, Level, Mode, keyboard
from codemojex.game.parsing import parse_guess
from codemojex.game.refusals import GuessRefused
from codemojex.localtg import LocalTelegram, Person
from codemojex.logs import start_logs
from codemojex.notices import Budgets
from codemojex.play import games, rooms
from codemojex.play.games import GameOptions, GameView
from codemojex.play.rest import unfinished
from codemojex.play.rooms import ChatRef
from codemojex.settings import BadSettings, Settings, read_settings
from codemojex.supervise import Supervisor
from codemojex.terminal import chat
from codemojex.texts import Texts

# The one who sits at the keyboard. Any id will do; this one is as long as real ids are.
_YOU = 5_000_000_001
_START_S = 30.0
_ANSWER_S = 60.0
_CHOICES = {"new": (tuple(Level), tuple(Mode), tuple(THEMES))}


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """The command line of `codemojex play`, as typed."""

    secret: str = ""
    level: str = Level.NORMAL.value
    mode: str = Mode.CLASSIC.value
    theme: str = "fruit"
    ephemeral: bool = False


@dataclass(frozen=True, slots=True)
class _Table:
    """What a game at this table looks like: the defaults of /new, and the fixed secret if any."""

    defaults: GameOptions
    board: Keyboard
    secret: tuple[str, ...] | None


def read_table(options: PlayOptions) -> _Table:
    """Check the command line.

    Raises:
        BadSettings: an option has a value that cannot work; the text lists those that can.
    """
    _one_of("--keyboard", options.level, [level.value for level in Level])
    _one_of("--mode", options.mode, [mode.value for mode in Mode])
    _one_of("--theme", options.theme, list(THEMES))
    level, mode = Level(options.level), Mode(options.mode)
    board = keyboard(options.theme, level)
    secret = None
    if options.secret:
        try:
            secret = parse_guess(options.secret, board)
        except GuessRefused as refusal:
            raise BadSettings(f"--secret: {Texts().bad_secret(refusal, board)}") from None
    return _Table(
        GameOptions(level=level, mode=mode, theme=options.theme, fixed_secret=secret), board, secret
    )


def _one_of(option: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise BadSettings(f"{option} {value!r} is not known; it can be {', '.join(allowed)}")


async def play_here(options: PlayOptions) -> int:
    """Play on this machine until the input ends.

    Returns:
        The exit code: 0 when every guess has its answer.

    Raises:
        BadSettings, and what `codemojex.app.run` raises.
    """
    table = read_table(options)
    with _home(options.ephemeral) as home, _alone(home):
        async with _telegram(home) as telegram:
            # Only what the environment says counts: a .env file is a deployment's.
            settings = read_settings(
                _env_file=None,
                codemojex_home=home,
                telegram_token=SecretStr(telegram.token),
                telegram_api_url=telegram.url,
                guesses_per_second=0,  # one person at one keyboard floods nobody
            )
            with (home / "play.log").open("a", encoding="utf-8") as log:
                start_logs(settings, log)
                return await _play(telegram, settings, table)


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


async def _play(telegram: LocalTelegram, settings: Settings, table: _Table) -> int:
    """Run the system and the chat side by side; the first to end ends the other."""
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
    if not started.done():
        system.cancel()
        await system  # raises what kept it from starting
        raise BadSettings("the game did not start in time; play.log in CODEMOJEX_HOME says why")
    app, supervisor = started.result()
    person = telegram.person("You", id=_YOU, language_code="en", known=True)
    shown = _Shown(table.board, person, app)
    following = asyncio.create_task(shown.follow())
    chatting = asyncio.create_task(
        chat(
            person,
            settled=lambda: _settled(telegram, app, shown),
            keyboard=shown.keys,
            choices=_CHOICES,
            stdin=sys.stdin,
            stdout=sys.stdout,
            tty=sys.stdin.isatty() and sys.stdout.isatty(),
        )
    )
    try:
        await asyncio.wait([chatting, system], return_when=asyncio.FIRST_COMPLETED)
        return chatting.result() if chatting.done() else 1
    except TimeoutError:
        raise BadSettings(f"no answer within {_ANSWER_S:g} s; play.log in CODEMOJEX_HOME says why") from None
    finally:
        chatting.cancel()
        following.cancel()
        supervisor.stop()
        await asyncio.gather(chatting, following, return_exceptions=True)
        await system


class _Shown:
    """The keyboard under the prompt: that of the running game, or of the next one."""

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
        game = await self._app.store.transact(lambda tx: _running(tx, ref))
        self._board = game.keyboard if game is not None else self._board

    async def follow(self) -> None:
        """Look after each message of the bot."""
        events = self._person.events()
        while True:
            await self.look()
            await anext(events)


async def _running(tx: AsyncConnection, ref: ChatRef) -> GameView | None:
    return await games.running(tx, await rooms.enter(tx, ref, datetime.now(UTC)))


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
async def _telegram(home: Path) -> AsyncIterator[LocalTelegram]:
    telegram = LocalTelegram(state=home / "telegram.json")
    await telegram.start()
    try:
        yield telegram
    finally:
        await telegram.stop()
