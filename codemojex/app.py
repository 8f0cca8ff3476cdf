"""The one file that opens connections and ties the parts together.

updates -> Poller -> Intake -> [database] -> Bursts -> [queue] -> ScoreWorker -> [database]
                                   |                                                |
                                   +--> notices --> Notifier --> Telegram <---------+
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from telegram import Bot
from telegram.error import InvalidToken, RetryAfter, TelegramError

import emq
from codemojex import flood, minting
from codemojex.bot.intake import AfterCommit, Intake
from codemojex.bot.poller import Poller
from codemojex.bot.source import UpdateSource
from codemojex.bot.turn import Rules
from codemojex.bot.webhook import Door, Webhook
from codemojex.bursts import Bursts
from codemojex.calls import Calls, trouble
from codemojex.guard import ServerGuard
from codemojex.guess_lanes import GuessLanes
from codemojex.notices import Announcer, Answers, Budgets, Clock, NoticeIntake, Notifier, NotifierOptions
from codemojex.ops import BotSide, Watched
from codemojex.play.games import GameOptions
from codemojex.play.guesses import Limits
from codemojex.reassurer import Reassurer
from codemojex.scoring import ScoreWorker
from codemojex.settings import BadSettings, Settings
from codemojex.store import revision
from codemojex.store.clock import SharedClock
from codemojex.store.engine import Store, open_store
from codemojex.supervise import Part
from codemojex.sweeper import Sweeper, SweepPace
from codemojex.texts import catalogs

log = structlog.get_logger(__name__)

_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 15.0


@dataclass(frozen=True, slots=True)
class Table:
    """What local play and tests set differently from a deployment.

    Attributes:
        defaults: level, mode, theme and clock of a bare `/new`.
        fixed_secret: the secret of games whose keyboard has it.
        budgets: how fast Telegram takes messages.
        dice: draws secrets, codes of rooms and hints.
        clock: what time it is for the game, aware UTC; None: what the database's server says.
    """

    defaults: GameOptions = field(default_factory=GameOptions)
    fixed_secret: tuple[str, ...] | None = None
    budgets: Budgets = field(default_factory=Budgets)
    dice: random.Random = field(default_factory=random.SystemRandom)
    clock: Callable[[], datetime] | None = None


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
async def open_queue_server(
    settings: Settings,
) -> AsyncIterator[tuple[emq.Connector, emq.EmbeddedServer | None]]:
    """The queue server: the one at REDIS_URL, else the embedded one of the home folder, started or joined.

    Raises:
        BadSettings, emq.EmqError: one sentence that names the cure.
    """
    async with contextlib.AsyncExitStack() as stack:
        server, url = None, settings.redis_url
        if url is None:
            server = await emq.EmbeddedServer.start(settings.make_home() / "queue")
            stack.push_async_callback(server.stop)
            url = server.url
        yield await stack.enter_async_context(open_queue(url)), server


@contextlib.asynccontextmanager
async def open_connections(settings: Settings) -> AsyncIterator[Connections]:
    """Open the queue server (starting the embedded one where no URL is set) and the database.

    Raises:
        emq.EmqError, StoreDown, MalformedDatabaseUrl, SchemaError: one sentence that names the cure.
    """
    async with contextlib.AsyncExitStack() as stack:
        queue, server = await stack.enter_async_context(open_queue_server(settings))
        store = await stack.enter_async_context(open_database(settings))
        yield Connections(store, queue, server)


def make_bot(settings: Settings) -> Bot:
    """A bot for this token and Bot API root; nothing is sent before it is initialised."""
    return Bot(
        settings.token(),
        base_url=f"{settings.telegram_api_url}/bot",
        request=Calls(read_s=20.0),
        get_updates_request=Calls(),
    )


@contextlib.asynccontextmanager
async def open_bot(settings: Settings) -> AsyncIterator[Bot]:
    """A bot whose token Telegram has accepted; waits while Telegram cannot be reached.

    Raises:
        InvalidToken: Telegram does not know the token.
    """
    bot = make_bot(settings)
    try:
        await _introduced(bot)
        yield bot
    finally:
        await bot.shutdown()


async def _introduced(bot: Bot) -> None:
    """Wait until Telegram has said who the bot is."""
    wait_s, tries = _FIRST_WAIT_S, 0
    while True:
        try:
            await bot.initialize()
        except InvalidToken:
            raise
        except RetryAfter as error:
            log.warning("Telegram asks to wait", seconds=flood.wait_s(error))
            await asyncio.sleep(flood.wait_s(error))
        except TelegramError as error:
            tries += 1
            if tries.bit_count() == 1:  # the 1st, 2nd, 4th, 8th …
                log.warning("Telegram cannot be reached yet; trying on", error=trouble(error), tries=tries)
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * 2, _LONGEST_WAIT_S)
        else:
            if tries:
                log.info("Telegram answers", tries=tries)
            return


class App:
    """Everything one process runs, wired but not yet running."""

    def __init__(
        self, settings: Settings, open_: Connections, table: Table, clock: Callable[[], datetime]
    ) -> None:
        self.settings = settings
        self.store = open_.store
        self.guess_lanes = GuessLanes(open_.queue, settings.guess_queue)
        self.bursts = Bursts(self.guess_lanes, self.store, clock=clock)
        self.announcer = Announcer(emq.Lanes(open_.queue, settings.notify_queue))
        self._queue = open_.queue
        self._server = open_.server
        self._table = table
        self._clock = clock
        self.notifier: Notifier | None = None
        self.sweeper: Sweeper | None = None
        self.watched = Watched(
            open_.store, open_.queue, settings.guess_queue, settings.notify_queue, self.bursts, clock
        )

    def bot_parts(self, bot: Bot, source: UpdateSource | None) -> list[Part]:
        """Intake, bursts and the outbound messages of one bot; without a source, Telegram posts to its webhook."""
        budgets = self._table.budgets
        options = NotifierOptions(budgets, parallel=budgets.at_once, tz=self.settings.daily_tz)
        self.notifier = Notifier(self.store, bot, catalogs.of, options, Clock(self._clock))
        ears = NoticeIntake(self._queue, self.settings.notify_queue, self.notifier.wake)
        answers = Answers(bot)
        calm = Reassurer(self.store, self.bursts.failing_s, self.notifier.wake, self._clock)
        after = AfterCommit(self.bursts.add, self.announcer.announce, answers.answer, self._reread)
        intake = Intake(self.store, bot, self._rules(), after)
        entry = Poller(source, intake) if source else Webhook(bot, intake.take, Door.of(self.settings))
        self.watched.bot = BotSide(entry, intake, answers, calm, ears, self.notifier)
        return [
            Part("intake", entry.run, entry.stop),
            Part("bursts", self.bursts.run, self.bursts.stop),
            Part("reassurance", calm.run, calm.stop),
            Part("answers", answers.run, answers.stop),
            Part("notice intake", ears.run, ears.stop),
            Part("notifier", self.notifier.run, self.notifier.stop),
        ]

    def _rules(self) -> Rules:
        settings, table = self.settings, self._table
        return Rules(
            limits=Limits(
                alone=settings.guesses_alone,
                group=settings.guesses_group,
                per_second=settings.guesses_per_second,
                burst=settings.guesses_burst,
            ),
            mint=minting.mint,
            dice=table.dice,
            defaults=table.defaults,
            fixed_secret=table.fixed_secret,
            clock=self._clock,
            tz=settings.daily_tz,
            acts_per_second=settings.acts_per_second,
        )

    def _reread(self) -> None:
        """Look into the database for what nobody told of."""
        self.bursts.reread()
        if self.notifier is not None:
            self.notifier.look()

    def worker_parts(self) -> list[Part]:
        """The scoring worker."""
        options = emq.WorkerOptions(lease_ms=self.settings.worker_lease_ms, batch=self.settings.worker_batch)
        worker = ScoreWorker(
            self._queue,
            self.settings.guess_queue,
            self.store,
            self.announcer.announce,
            options,
            self._clock,
            self.settings.daily_tz,
        )
        self.watched.worker = worker
        return [Part("scoring worker", worker.run, worker.stop)]

    def shared_parts(self) -> list[Part]:
        """What every process runs: the sweep, announcements, the embedded server's guard."""
        settings = self.settings
        pace = SweepPace(settings.sweep_seconds, settings.sweep_after_seconds, settings.daily_tz)
        self.sweeper = Sweeper(self.store, self.guess_lanes, self.announcer.announce, pace, self._clock)
        self.watched.sweeper = self.sweeper
        parts = [
            Part("sweep", self.sweeper.run, self.sweeper.stop),
            Part("announcements", self.announcer.run, self.announcer.stop),
        ]
        if isinstance(self._clock, SharedClock):
            parts.append(Part("clock", self._clock.run, self._clock.stop))
        if self._server is not None:
            guard = ServerGuard(self._server)
            parts.append(Part("server guard", guard.run, guard.stop))
        return parts
