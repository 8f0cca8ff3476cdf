"""How a test's system is set up, and the system itself, from its first connection to its last."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import SecretStr

import emq
from codemojex.app import Table
from codemojex.bot_side import FATAL
from codemojex.localtg import LocalTelegram, Options
from codemojex.notices.budgets import Budgets
from codemojex.running import Roles, open_parts
from codemojex.settings import Settings, read_settings
from codemojex.supervise import Supervisor
from codemojex.testing.clock import MovableClock
from codemojex.testing.game import Game
from codemojex.testing.logs import kept_log
from emq.minting import process_minter

SECRET = "🍎🍌🍇🍓🍒🍍"


@dataclass(frozen=True, slots=True)
class Setup:
    """What a test may choose.

    Attributes:
        secret: of every game whose keyboard has it, the fruits'; None draws one.
        dice: what draws secrets, codes and hints begins here; None rolls real ones.
        at: what the clock shows first; now when absent.
        privacy: keep what is said in groups and not meant for the bot from it, as Telegram does unless told
            otherwise.
        strict: keep Telegram's budgets, and have the local Telegram answer 429 beyond them.
        settings: variables as in ``.env.example``, in lower case.
    """

    secret: str | None = SECRET
    dice: int | None = None
    at: datetime | None = None
    privacy: bool = False
    strict: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, chosen: Mapping[str, Any]) -> Setup:
        """From the keywords of ``@pytest.mark.game``; what is no field here is a setting.

        Raises:
            ValueError: there is no such field and no such setting.
        """
        own = {name: value for name, value in chosen.items() if name in cls.__dataclass_fields__}
        rest = {name: value for name, value in chosen.items() if name not in own}
        unknown = sorted(set(rest) - set(Settings.model_fields))
        if unknown:
            raise ValueError(f"@pytest.mark.game knows no {', '.join(unknown)}")
        return cls(**{**own, "settings": {**own.get("settings", {}), **rest}})


@dataclass(frozen=True, slots=True)
class Servers:
    """Where a test's queues and tables are."""

    redis_url: str
    queue: str
    database_url: str
    home: Path


@contextlib.asynccontextmanager
async def dealt(setup: Setup, servers: Servers) -> AsyncIterator[Game]:
    """The whole system, running, with nobody in it yet."""
    clock = MovableClock(setup.at)
    options = Options(clock=clock.unix, privacy=setup.privacy, budgets=setup.strict)
    async with LocalTelegram(options=options) as telegram, contextlib.AsyncExitStack() as stack:
        settings = _settings(setup, servers, telegram)
        stack.callback(
            emq.set_node, process_minter().node
        )  # else nobody could mint after the system has left
        log = stack.enter_context(kept_log(settings))
        app, parts = await open_parts(stack, settings, Roles(bot=True, worker=True), _table(setup, clock))
        supervisor = Supervisor(parts, fatal=FATAL)
        system = asyncio.create_task(supervisor.run(), name="the system under test")
        try:
            yield Game(telegram, app, clock, log)
        finally:
            supervisor.stop()
            await system


def _table(setup: Setup, clock: MovableClock) -> Table:
    dice = random.SystemRandom() if setup.dice is None else random.Random(setup.dice)
    secret = None if setup.secret is None else tuple(setup.secret)
    budgets = Budgets() if setup.strict else Budgets.loopback()
    return Table(fixed_secret=secret, budgets=budgets, dice=dice, clock=clock)


def _settings(setup: Setup, servers: Servers, telegram: LocalTelegram) -> Settings:
    """What a deployment reads from its environment; the machine's own environment says nothing here."""
    defaults = {name: each.get_default() for name, each in Settings.model_fields.items()}
    here = {
        "telegram_token": SecretStr(telegram.token),
        "telegram_api_url": telegram.url,
        "database_url": servers.database_url,
        "redis_url": servers.redis_url,
        "guess_queue": servers.queue,
        "notify_queue": f"{servers.queue}.notify",
        "codemojex_home": servers.home,
        "guesses_per_second": 0.0,  # a flow types faster than people do
        "acts_per_second": 0.0,
        "log_level": "DEBUG",
    }
    return read_settings(_env_file=None, **(defaults | here | dict(setup.settings)))
