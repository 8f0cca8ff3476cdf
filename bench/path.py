"""Where a guess's time goes: each part of the path by itself, in processor time.

The parts run one after the other in this process, a hundred guesses at a time, as they do when the system is busy. A
SQLite file is written by one transaction at a time, so there the sum is also what no number of processors helps.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import text
from telegram import Bot, User

import emq
from bench.admission import databases
from bench.rig import Line, Section
from codemojex.bot.intake import AfterCommit, Intake
from codemojex.bot.turn import Rules
from codemojex.game.keyboards import CODE_LENGTH, keyboard
from codemojex.notices.budgets import Budgets
from codemojex.notices.clock import Clock
from codemojex.notices.ledger import Ledger
from codemojex.notices.options import NotifierOptions
from codemojex.notices.outgoing import Sent
from codemojex.play import scores, settlement, sweep
from codemojex.play.limits import Limits
from codemojex.play.outbox import NoticeRef
from codemojex.play.payloads import GuessJob
from codemojex.store.engine import Store, open_store
from codemojex.swarm.system import used_s
from codemojex.texts import catalogs

ALONE, GROUPS, MEMBERS = 140, 3, 20
GAMES = 2  # of everybody who plays alone
_GUESSES = 12  # of such a game
_AT_ONCE = 100
_FIRST, _GROUP = 5_000_000_000, -1_005_000_000_000

Raw = dict[str, Any]
Seat = tuple[int, int]  # a person and the chat they write in


@dataclass(slots=True)
class Costs:
    """Processor seconds by part of the path, and those of the database's own processes in all."""

    parts: dict[str, float] = field(default_factory=dict)
    server_s: float = 0.0

    @contextlib.contextmanager
    def of(self, part: str) -> Iterator[None]:
        """What runs inside belongs to ``part``."""
        began = time.process_time()
        try:
            yield
        finally:
            self.parts[part] = self.parts.get(part, 0.0) + time.process_time() - began


class Walk:
    """The path from an update to a message that was sent, without its servers.

    Attributes:
        guesses: how many have gone all the way.
    """

    def __init__(self, store: Store) -> None:
        bot = Bot("7000000001:noTokenOfAnyBotInTheWorld0000000000")
        bot._bot_user = User(7_000_000_001, "codemojex", True, username="codemojex_bot")
        self.costs = Costs()
        self.guesses = 0
        self.store = store
        self._jobs: list[GuessJob] = []
        self._chats: dict[int, None] = {}
        rules = Rules(Limits(alone=_GUESSES, group=1_000, per_second=0.0), emq.mint, random.Random(1))
        after = AfterCommit(self._jobs.extend, self._told, lambda _: None, lambda: None)
        self._intake = Intake(store, bot, rules, after)
        self._ledger = Ledger(store, catalogs.of, Clock(), NotifierOptions(Budgets.loopback()))
        self._numbers = itertools.count(1)
        self._dice = random.Random(2)

    async def open(self, seats: Sequence[Seat]) -> None:
        """Each of these asks for a game and is shown it."""
        for part in _parts(seats):
            with self.costs.of("new games"):
                await self._intake.take([self._update("/new", *seat) for seat in part])
            await self._tell("new games", "new games")

    async def guess(self, seats: Sequence[Seat]) -> None:
        """Each of these guesses once and is told what it came to."""
        symbols = keyboard().chars
        for part in _parts(seats):
            said = ["".join(self._dice.sample(symbols, CODE_LENGTH)) for _ in part]
            with self.costs.of("admitted"):
                await self._intake.take(
                    [self._update(words, *seat) for words, seat in zip(said, part, strict=True)]
                )
            ids = [job.id for job in self._jobs]
            self.guesses += len(ids)
            self._jobs.clear()
            await self._score(ids)
            await self._tell("messages made", "messages noted as sent")

    async def _score(self, ids: Sequence[str]) -> None:
        now = datetime.now(UTC)
        with self.costs.of("noted as queued"):
            await self.store.transact(partial(sweep.mark_enqueued, ids=ids, now=now))
        with self.costs.of("scored"):
            batch = await self.store.transact(partial(scores.score, ids=ids, now=now, mint=emq.mint))
        self._told(batch.notices)
        if batch.to_settle:
            ending = partial(settlement.settle_all, game_ids=sorted(batch.to_settle), now=now, mint=emq.mint)
            with self.costs.of("games ended"):
                settled = await self.store.transact(ending)
            self._told(settled.notices)

    async def _tell(self, making: str, noting: str) -> None:
        chats = list(self._chats)
        self._chats.clear()
        while chats:
            with self.costs.of(making):
                taken = await asyncio.gather(*(self._ledger.take(id) for id in chats))
            messages = [each.message for each in taken if each.message is not None]
            with self.costs.of(noting):
                await asyncio.gather(
                    *(self._ledger.settle(message, Sent(next(self._numbers))) for message in messages)
                )
            chats = [id for id, each in zip(chats, taken, strict=True) if each.more]

    def _told(self, refs: Sequence[NoticeRef]) -> None:
        self._chats |= dict.fromkeys(ref.chat_id for ref in refs)

    def _update(self, words: str, who: int, where: int) -> Raw:
        number = next(self._numbers)
        name = {"id": who, "first_name": f"Player {who}"}
        group = {"id": where, "type": "supergroup", "title": f"Group {where}"}
        message: Raw = {
            "message_id": number,
            "date": int(time.time()),
            "chat": {**name, "type": "private"} if where == who else group,
            "from": {**name, "is_bot": False, "language_code": "en"},
            "text": words,
        }
        if words.startswith("/"):
            message["entities"] = [{"type": "bot_command", "offset": 0, "length": len(words)}]
        return {"update_id": number, "message": message}


async def path() -> list[Section]:
    """For each database: what each part of the path costs."""
    with databases() as found:
        return [await _on(name, url) for name, url in found.items()]


async def _on(name: str, url: str) -> Section:
    store = open_store(url)
    try:
        walk = Walk(store)
        await _walk(walk)
    finally:
        await store.aclose()
    each = {part: 1e6 * spent / walk.guesses for part, spent in walk.costs.parts.items()}
    whole = sum(each.values())
    own = walk.costs.server_s
    lines = [Line(part, spent, spent / whole) for part, spent in each.items()]
    return Section(
        f"Parts of the path, {name}",
        f"Where does the time of a guess go? {ALONE} players alone, who ask for a game every {_GUESSES} guesses, "
        f"{GROUPS} groups of {MEMBERS}, {_AT_ONCE} guesses at a time.",
        "µs of processor time a guess",
        lines,
        f"{whole:,.0f} µs in all, without the queue, without Telegram"
        + f"{f'; PostgreSQL itself took {1e6 * own / walk.guesses:,.0f} µs more' if own else ''}. "
        "The ratio is the share of that.",
    )


async def _walk(walk: Walk) -> None:
    alone = [(_FIRST + n, _FIRST + n) for n in range(ALONE)]
    groups = [
        (_FIRST + ALONE + MEMBERS * group + n, _GROUP - group)
        for group in range(GROUPS)
        for n in range(MEMBERS)
    ]
    await walk.open(groups[::MEMBERS])
    await walk.open(alone)
    await walk.guess(groups)  # who is new costs more, once
    walk.costs.parts.clear()
    walk.guesses = 0
    before = await _backends(walk.store)
    both = [*alone, *groups]
    dice = random.Random(3)
    for _ in range(GAMES):
        for _ in range(_GUESSES):
            dice.shuffle(both)
            await walk.guess(both)
        await walk.open(alone)
    after = await _backends(walk.store)
    walk.costs.server_s = sum(used - before.get(pid, 0.0) for pid, used in after.items())


async def _backends(store: Store) -> dict[int, float]:
    """Processor seconds of PostgreSQL's processes for this database so far; nothing on SQLite, which has none."""
    if store.kind == "SQLite":
        return {}
    pids = text("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
    found = await store.read(lambda tx: tx.execute(pids))
    return {pid: used for pid in found.scalars() if (used := used_s(pid)) is not None}


def _parts(seats: Sequence[Seat]) -> Iterator[Sequence[Seat]]:
    return (seats[at : at + _AT_ONCE] for at in range(0, len(seats), _AT_ONCE))
