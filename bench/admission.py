"""Admission: from updates in hand to their commit, in batches as large as Telegram makes them."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from telegram import Bot, User

import emq
from bench.rig import Round, Section, compare
from codemojex.bot.intake import AfterCommit, Intake
from codemojex.bot.turn import Rules
from codemojex.game.keyboards import CODE_LENGTH, keyboard
from codemojex.play.limits import Limits
from codemojex.play.payloads import GuessJob
from codemojex.store import revision
from codemojex.store.engine import Store, open_store

BATCHES = (1, 10, 100)
GUESSES = 2_000
PLAYERS = 400
_SERVER = "CODEMOJEX_TEST_POSTGRES"  # as the tests have it
_FIRST = 5_000_000_000

Raw = dict[str, Any]


def _nothing(_: object) -> None:
    """Nobody is told of a commit here."""


class Players:
    """People in chats of their own, each with a game, whose messages come as updates.

    Args:
        store: where their guesses go.
        admitted: told of each batch of them.
    """

    def __init__(self, store: Store, admitted: Callable[[Sequence[GuessJob]], None] = _nothing) -> None:
        bot = Bot("7000000001:noTokenOfAnyBotInTheWorld0000000000")
        bot._bot_user = User(7_000_000_001, "codemojex", True, username="codemojex_bot")
        rules = Rules(Limits(alone=1_000_000, per_second=1_000.0, burst=1_000), emq.mint, random.Random(1))
        after = AfterCommit(admitted, _nothing, _nothing, lambda: None)
        self._intake = Intake(store, bot, rules, after)
        self._numbers = itertools.count(1)
        self._dice = random.Random(2)
        self._ids = itertools.cycle(range(_FIRST, _FIRST + PLAYERS))

    async def sit_down(self) -> None:
        """Everybody opens a game."""
        for _ in range(0, PLAYERS, 100):
            await self._intake.take([self._update("/new") for _ in range(100)])

    async def guess(self, count: int, batch: int) -> float:
        """Guesses a second, admitted in batches of a size."""
        symbols = keyboard().chars
        updates = [self._update("".join(self._dice.sample(symbols, CODE_LENGTH))) for _ in range(count)]
        began = time.perf_counter()
        for at in range(0, count, batch):
            await self._intake.take(updates[at : at + batch])
        return count / (time.perf_counter() - began)

    def _update(self, text: str) -> Raw:
        number, who = next(self._numbers), next(self._ids)
        name = {"id": who, "first_name": f"Player {who}"}
        message: Raw = {
            "message_id": number,
            "date": int(time.time()),
            "chat": {**name, "type": "private"},
            "from": {**name, "is_bot": False, "language_code": "en"},
            "text": text,
        }
        if text.startswith("/"):
            message["entities"] = [{"type": "bot_command", "offset": 0, "length": len(text)}]
        return {"update_id": number, "message": message}


async def admission() -> Section:
    """Batches of 1, 10 and 100 updates, on each database there is."""
    contenders: dict[str, Round] = {}
    async with contextlib.AsyncExitStack() as stack:
        for name, url in stack.enter_context(databases()).items():
            players = await stack.enter_async_context(_seated(url))
            for batch in BATCHES:
                contenders[f"{name}, batches of {batch}"] = _round(players, batch)
        lines = await compare(contenders, rounds=5)
    return Section(
        "Admission",
        f"How fast do guesses in hand become rows? {PLAYERS} players, a game each, from raw updates to the commit.",
        "guesses/s",
        lines,
        "A commit stands on SQLite when the system has it, on PostgreSQL when the disk has it. Five rounds.",
    )


def _round(players: Players, batch: int) -> Round:
    count = GUESSES if batch >= 100 else GUESSES * batch // 100 or 1
    return lambda: players.guess(max(count, 100), batch)


@contextlib.contextmanager
def databases() -> Iterator[dict[str, str]]:
    """Fresh databases with the tables of this version, by name; PostgreSQL only where a server answers."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cmx-bench-")))
        found = {"SQLite": f"sqlite+aiosqlite:///{folder / 'game.sqlite3'}"}
        with contextlib.suppress(psycopg.OperationalError):
            found["PostgreSQL"] = stack.enter_context(_postgres())
        for url in found.values():
            revision.upgrade(url)
        yield found


@contextlib.contextmanager
def _postgres() -> Iterator[str]:
    server = os.environ.get(_SERVER, "postgresql://postgres@127.0.0.1:5432/postgres")
    name = f"codemojex_bench_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True, connect_timeout=3) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"{server.rpartition('/')[0]}/{name}"
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@contextlib.asynccontextmanager
async def _seated(url: str) -> AsyncIterator[Players]:
    store = open_store(url)
    try:
        players = Players(store)
        await players.sit_down()
        yield players
    finally:
        await store.aclose()
