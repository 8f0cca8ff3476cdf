"""What only a process needs that runs the bot; no other imports it, since Telegram's library takes its time to load."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import structlog
from telegram import Bot
from telegram.error import InvalidToken, RetryAfter, TelegramError

from codemojex import flood, minting
from codemojex.app import App
from codemojex.bot.intake import AfterCommit, Intake
from codemojex.bot.introduction import introduce
from codemojex.bot.poller import Poller
from codemojex.bot.source import UpdateSource
from codemojex.bot.turn import Rules
from codemojex.bot.webhook import Door, Webhook
from codemojex.calls import trouble
from codemojex.connections import make_bot
from codemojex.notices.answers import Answers
from codemojex.notices.clock import Clock
from codemojex.notices.intake import NoticeIntake
from codemojex.notices.notifier import Notifier
from codemojex.notices.options import NotifierOptions
from codemojex.ops.watched import BotSide
from codemojex.play.guesses import Limits
from codemojex.reassurer import Reassurer
from codemojex.settings import Settings
from codemojex.supervise import Part
from codemojex.texts import catalogs

log = structlog.get_logger(__name__)

# What trying again does not cure.
FATAL = (InvalidToken,)

_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 15.0


async def open_bot_parts(stack: contextlib.AsyncExitStack, settings: Settings, app: App) -> list[Part]:
    """Let Telegram know this bot, and make its parts; what is opened is closed with ``stack``.

    Raises:
        InvalidToken: Telegram does not know the token.
    """
    bot = await stack.enter_async_context(open_bot(settings))
    await introduce(bot, polls=settings.webhook_url is None)
    return _parts(app, bot, await _source(stack, settings))


async def _source(stack: contextlib.AsyncExitStack, settings: Settings) -> UpdateSource | None:
    """Where to poll for updates; None where Telegram posts them."""
    if settings.webhook_url is not None:
        return None
    source = UpdateSource(settings.telegram_api_url, settings.token())
    await source.open()
    stack.push_async_callback(source.close)
    return source


def _parts(app: App, bot: Bot, source: UpdateSource | None) -> list[Part]:
    """Intake, bursts and the outbound messages of one bot; without a source, Telegram posts to its webhook."""
    settings, budgets = app.settings, app.table.budgets
    options = NotifierOptions(budgets, parallel=budgets.at_once, tz=settings.daily_tz)
    notifier = app.notifier = Notifier(app.store, bot, catalogs.of, options, Clock(app.clock))

    def reread() -> None:
        """Look into the database for what nobody told of."""
        app.bursts.reread()
        notifier.look()

    ears = NoticeIntake(app.queue, settings.notify_queue, notifier.wake)
    answers = Answers(bot)
    calm = Reassurer(app.store, app.bursts.failing_s, notifier.wake, app.clock)
    after = AfterCommit(app.bursts.add, app.announcer.announce, answers.answer, reread)
    intake = Intake(app.store, bot, _rules(app), after)
    entry = Poller(source, intake) if source else Webhook(bot, intake.take, Door.of(settings))
    app.watched.bot = BotSide(entry, intake, answers, calm, ears, notifier)
    return [
        Part("intake", entry.run, entry.stop),
        Part("bursts", app.bursts.run, app.bursts.stop),
        Part("reassurance", calm.run, calm.stop),
        Part("answers", answers.run, answers.stop),
        Part("notice intake", ears.run, ears.stop),
        Part("notifier", notifier.run, notifier.stop),
    ]


def _rules(app: App) -> Rules:
    settings, table = app.settings, app.table
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
        clock=app.clock,
        tz=settings.daily_tz,
        acts_per_second=settings.acts_per_second,
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
