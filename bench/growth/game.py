"""The way of a guess, and what people look at, in a database of 10,000, 100,000 and 1,000,000 told guesses."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncConnection

import emq
from bench.admission import Players
from bench.growth.filling import fill, somebody
from bench.growth.tables import Figures, Work, alternate
from codemojex.notices.clock import Clock
from codemojex.notices.ledger import Ledger
from codemojex.notices.options import NotifierOptions
from codemojex.notices.outgoing import Sent
from codemojex.play import audit, outbox, privacy, scores, seasons, settlement, stats, sweep, views
from codemojex.play.games import Cause
from codemojex.play.literals import IS_OPEN
from codemojex.play.players import Player
from codemojex.store.engine import Store, open_store
from codemojex.store.schema import finishes, games, guesses
from codemojex.texts import catalogs

STORED = (10_000, 100_000, 1_000_000)
BATCHES = (1, 10, 100, 400)  # at most a guess of each player: a game with more is another game
BATCH = 100
ENDED = 10  # games of a turn

Look = Callable[[AsyncConnection], Awaitable[object]]


class Town:
    """People who play in a database, and what serves them, without Telegram and without a queue."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._players = Players(store)
        self._leaving = itertools.count(2)
        self._ledger = Ledger(store, catalogs.of, Clock(), NotifierOptions())

    def works(self) -> list[Work]:
        """All there is to do, but the audit."""
        guess = partial(self.guess, BATCH)
        return [guess, self.end_games, self.look, self.forget_old, self.know, self.forget]

    async def settle_in(self) -> None:
        """Everybody opens a game and has been told so."""
        await self._players.sit_down()
        while await self._tell():
            pass

    async def guess(self, count: int) -> Figures:
        """Guesses are admitted in one batch, scored in another, and their results told."""
        took = {"admission": count / await self._players.guess(count, count)}
        ids = [job.id for job in await self.store.read(lambda tx: sweep.unqueued(tx, count))]
        took["noting what the queue has"] = await self._write(
            lambda tx: sweep.mark_enqueued(tx, ids, datetime.now(UTC))
        )
        took["scoring"] = await self._write(lambda tx: scores.score(tx, ids, datetime.now(UTC), emq.mint))
        began = time.perf_counter()
        while await self._tell():
            pass
        took["telling"] = time.perf_counter() - began
        return took

    async def end_games(self, most: int = ENDED) -> Figures:
        """Games that were played in are given up, some of them; then everybody has one again."""
        played = exists().where(guesses.c.game_id == games.c.id)
        query = select(games.c.id).where(games.c.state == IS_OPEN, played).limit(most)
        took = 0.0
        for id in await self.store.read(lambda tx: _column(tx, query)):
            took += await self._write(
                lambda tx, id=id: settlement.settle(tx, id, datetime.now(UTC), emq.mint, Cause.GAVE_UP)  # type: ignore[misc]
            )
        await self.settle_in()
        return {f"ending {ENDED} games": took}

    async def look(self) -> Figures:
        """Whatever people and the sweep ask for again and again, one after the other."""
        return {name: await self._read(look) for name, look in _looks(datetime.now(UTC)).items()}

    async def know(self) -> Figures:
        """Somebody asks for what is stored about them."""
        return {"/privacy, exporting": await self._read(lambda tx: privacy.export(tx, somebody(1)))}

    async def forget(self) -> Figures:
        """Somebody with a hundred guesses asks to be forgotten; another one each time."""
        place, now = next(self._leaving), datetime.now(UTC)
        gone = Player(somebody(place), f"Player {place}", None, None, "en", now, now)
        return {"/privacy, forgetting": await self._write(lambda tx: privacy.forget(tx, gone, now, emq.mint))}

    async def forget_old(self) -> Figures:
        """What the sweep does every ten minutes."""
        old = datetime.now(UTC) - timedelta(hours=72)
        return {
            "the sweep: old marks of updates": await self._write(lambda tx: sweep.forget_updates(tx, old)),
            "the sweep: strangers among 100 people": await self._write(
                lambda tx: sweep.forget_strangers(tx, 100)
            ),
        }

    async def audit(self) -> Figures:
        """Every promise, asked of every row."""
        began = time.perf_counter()
        report = await self.store.read(lambda tx: audit.audit(tx, datetime.now(UTC)))
        took = time.perf_counter() - began
        if not report.holds:
            raise RuntimeError(f"the bench broke {[broken.name for broken in report.violations]}")
        return {"the whole audit": took}

    async def _tell(self) -> int:
        chats = await self._ledger.chats(1_000, None)
        taken = await asyncio.gather(*map(self._ledger.take, chats))
        messages = [each.message for each in taken if each.message is not None]
        await asyncio.gather(*(self._ledger.settle(message, Sent(1)) for message in messages))
        return len(messages)

    async def _write(self, step: Callable[[AsyncConnection], Awaitable[Any]]) -> float:
        began = time.perf_counter()
        await self.store.transact(step)
        return time.perf_counter() - began

    async def _read(self, look: Look) -> float:
        began = time.perf_counter()
        await self.store.read(look)
        return time.perf_counter() - began


async def stored(urls: Mapping[int, str], rounds: int) -> dict[int, Figures]:
    """The same steps in databases of so many guesses each.

    Args:
        urls: of an empty database, by the number of guesses it is to have.
    """
    async with contextlib.AsyncExitStack() as stack:
        towns = {}
        for size, url in urls.items():
            store = open_store(url)
            stack.push_async_callback(store.aclose)
            began = time.perf_counter()
            await fill(store, 0, size)
            print(f"{store.kind}: {size:,} guesses ({time.perf_counter() - began:.1f} s)", flush=True)
            towns[size] = Town(store)
            await towns[size].settle_in()
        found = await alternate({size: town.works() for size, town in towns.items()}, rounds)
        whole = await alternate({size: [town.audit] for size, town in towns.items()}, 1)
        return {size: found[size] | whole[size] for size in urls}


async def batches(url: str, sizes: Sequence[int], rounds: int) -> dict[int, Figures]:
    """The way of a guess in batches of each size, in a database with little in it."""
    store = open_store(url)
    try:
        town = Town(store)
        await town.settle_in()

        async def in_fresh_games(size: int) -> Figures:
            took = await town.guess(size)
            await town.end_games(size)
            return took

        return await alternate({size: [partial(in_fresh_games, size)] for size in sizes}, rounds)
    finally:
        await store.aclose()


def _looks(now: datetime) -> dict[str, Look]:
    day = now.date().isoformat()
    old = now - timedelta(seconds=20)
    late = [check for check in audit.checks(now) if check.name in OF_WHAT_WAITS]

    async def what_waits(tx: AsyncConnection) -> None:
        for check in late:
            await tx.execute(check.query)

    async def board(tx: AsyncConnection) -> None:
        game = (await _column(tx, select(finishes.c.game_id).where(finishes.c.player_id == somebody(0))))[0]
        await views.board(tx, game, somebody(0))

    return {
        "a board": board,
        "/top": lambda tx: seasons.top(tx, seasons.EVERYBODY, seasons.Period.ALL, now, "UTC"),
        "/top, for somebody in the middle": lambda tx: seasons.top(
            tx, seasons.EVERYBODY, seasons.Period.ALL, now, "UTC", somebody(50)
        ),
        "/stats": lambda tx: stats.stats(tx, somebody(0), day),
        "the sweep: not in the queue": lambda tx: sweep.unqueued(tx, 1_000),
        "the sweep: not scored": lambda tx: sweep.stuck(tx, old, 1_000),
        "the sweep: not told": sweep.left_untold,
        "the sweep: not settled": lambda tx: sweep.unsettled(tx, now),
        "the notifier: who waits": lambda tx: outbox.chats_waiting(tx, 1_000),
        "the audit of what waits": what_waits,
    }


# Promises that are about rows which still wait for something.
OF_WHAT_WAITS = {
    "not_queued_in_time",
    "not_scored_in_time",
    "scored_without_a_notice",
    "not_told_in_time",
    "waits_for_nobody",
    "two_games_in_a_room",
    "not_settled_in_time",
}


async def _column(tx: AsyncConnection, query: Any) -> list[Any]:
    return list((await tx.execute(query)).scalars())
