"""The one file that opens connections and ties the parts together.

updates -> Poller -> Intake -> [database] -> Bursts -> [queue] -> ScoreWorker -> [database]
                                   |                                                |
                                   +--> notices --> Notifier --> Telegram <---------+
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import structlog
from telegram import Bot
from telegram.error import InvalidToken, RetryAfter, TelegramError
from telegram.request import HTTPXRequest

import emq
from codemojex import flood
from codemojex.bot.intake import AfterCommit, Intake
from codemojex.bot.poller import Poller
from codemojex.bot.source import UpdateSource
from codemojex.bot.turn import Rules
from codemojex.bursts import Bursts
from codemojex.guard import ServerGuard
from codemojex.notices import Announcer, Budgets, NoticeIntake, Notifier, NotifierOptions
from codemojex.play.games import GameOptions
from codemojex.play.guesses import Limits
from codemojex.scoring import ScoreWorker
from codemojex.settings import BadSettings, Settings
from codemojex.store import revision
from codemojex.store.engine import Store, open_store
from codemojex.supervise import Part
from codemojex.sweeper import Sweeper, SweepPace
from codemojex.texts import Texts

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Table:
    """What local play sets differently from a deployment.

    Attributes:
        defaults: level, mode, theme and clock of a bare `/new`.
        fixed_secret: the secret of games whose keyboard has it.
        budgets: how fast Telegram takes messages.
    """

    defaults: GameOptions = field(default_factory=GameOptions)
    fixed_secret: tuple[str, ...] | None = None
    budgets: Budgets = field(default_factory=Budgets)


@dataclass(frozen=True, slots=True)
class Connections:
    """What is open while a process runs."""

    store: Store
    queue: emq.Connector
    server: emq.EmbeddedServer | None


@contextlib.asynccontextmanager
async def open_database(settings: Settings) -> AsyncIterator[Store]:
    """The database, its schema checked.

    Raises:
        MalformedDatabaseUrl, StoreDown, SchemaError: one sentence that names the cure.
    """
    store = open_store(settings.store_url)
    try:
        await revision.check(store)
        yield store
    finally:
        await store.aclose()


@contextlib.asynccontextmanager
async def open_queue(url: str) -> AsyncIterator[emq.Connector]:
    """The queue server at ``url``.

    Raises:
        BadSettings: one sentence that names the cure.
    """
    try:
        conn = await emq.connect(url)
    except emq.EmqError as error:
        raise BadSettings(f"REDIS_URL: {error}") from error
    try:
        yield conn
    finally:
        await conn.close()


@contextlib.asynccontextmanager
async def open_connections(settings: Settings) -> AsyncIterator[Connections]:
    """Open the queue server (starting the embedded one where no URL is set) and the database.

    Raises:
        emq.EmqError, StoreDown, MalformedDatabaseUrl, SchemaError: one sentence that names the cure.
    """
    async with contextlib.AsyncExitStack() as stack:
        settings.make_home()
        server, url = None, settings.redis_url
        if url is None:
            server = await emq.EmbeddedServer.start(settings.home / "queue")
            stack.push_async_callback(server.stop)
            url = server.url
        store = await stack.enter_async_context(open_database(settings))
        queue = await stack.enter_async_context(open_queue(url))
        yield Connections(store, queue, server)


def make_bot(settings: Settings) -> Bot:
    """A bot for this token and Bot API root; nothing is sent before it is initialised."""
    return Bot(
        settings.token(),
        base_url=f"{settings.telegram_api_url}/bot",
        request=HTTPXRequest(connection_pool_size=32, connect_timeout=5.0, read_timeout=20.0),
    )


@contextlib.asynccontextmanager
async def open_bot(settings: Settings) -> AsyncIterator[Bot]:
    """A bot whose token Telegram has accepted; waits while Telegram cannot be reached.

    Raises:
        InvalidToken: Telegram does not know the token.
    """
    bot = make_bot(settings)
    wait_s = 1.0
    while True:
        try:
            await bot.initialize()
            break
        except InvalidToken:
            raise
        except RetryAfter as error:
            log.warning("Telegram asks to wait", seconds=flood.wait_s(error))
            await asyncio.sleep(flood.wait_s(error))
        except TelegramError as error:
            log.warning("Telegram cannot be reached yet; trying on", error=type(error).__name__)
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * 2, 15.0)
    try:
        yield bot
    finally:
        await bot.shutdown()


class App:
    """Everything one process runs, wired but not yet running."""

    def __init__(self, settings: Settings, open_: Connections, table: Table) -> None:
        self.settings = settings
        self.store = open_.store
        self.jobs = emq.Jobs(open_.queue, settings.guess_queue)
        self.notice_jobs = emq.Jobs(open_.queue, settings.notify_queue)
        self.bursts = Bursts(self.jobs, self.store)
        self.announcer = Announcer(self.notice_jobs)
        self._queue = open_.queue
        self._server = open_.server
        self._table = table
        self.notifier: Notifier | None = None

    def bot_parts(self, bot: Bot, source: UpdateSource) -> list[Part]:
        """Intake, bursts and the outbound messages of one bot."""
        settings = self.settings
        limits = Limits(
            alone=settings.guesses_alone,
            group=settings.guesses_group,
            per_second=settings.guesses_per_second,
            burst=settings.guesses_burst,
        )
        rules = Rules(limits, emq.mint, random.SystemRandom(), self._table.defaults, self._table.fixed_secret)
        after = AfterCommit(self.bursts.add, self.announcer.announce, self._reread)
        texts = Texts()
        intake = Intake(self.store, bot, rules, texts, after)
        poller = Poller(source, intake)
        self.notifier = Notifier(self.store, bot, texts, NotifierOptions(budgets=self._table.budgets))
        ears = NoticeIntake(self._queue, settings.notify_queue, self.notifier.wake)
        return [
            Part("intake", poller.run, poller.stop),
            Part("bursts", self.bursts.run, self.bursts.stop),
            Part("notice intake", ears.run, ears.stop),
            Part("notifier", self.notifier.run, self.notifier.stop),
        ]

    def _reread(self) -> None:
        """Look into the database for what nobody told of."""
        self.bursts.reread()
        if self.notifier is not None:
            self.notifier.look()

    def worker_parts(self) -> list[Part]:
        """The scoring worker."""
        options = emq.WorkerOptions(lease_ms=self.settings.worker_lease_ms, batch=self.settings.worker_batch)
        worker = ScoreWorker(
            self._queue, self.settings.guess_queue, self.store, self.announcer.announce, options
        )
        return [Part("scoring worker", worker.run, worker.stop)]

    def shared_parts(self) -> list[Part]:
        """What every process runs: the sweep, announcements, the embedded server's guard."""
        pace = SweepPace(self.settings.sweep_seconds, self.settings.sweep_after_seconds)
        sweeper = Sweeper(self.store, self.jobs, self.announcer.announce, pace)
        parts = [
            Part("sweep", sweeper.run, sweeper.stop),
            Part("announcements", self.announcer.run, self.announcer.stop),
        ]
        if self._server is not None:
            guard = ServerGuard(self._server)
            parts.append(Part("server guard", guard.run, guard.stop))
        return parts
