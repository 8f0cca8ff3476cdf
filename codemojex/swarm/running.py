"""A swarm from its first player to its report."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from typing import Protocol

import aiohttp

from codemojex.swarm.books import Books, Entry
from codemojex.swarm.crowd import Crowd
from codemojex.swarm.figures import Latency, Now
from codemojex.swarm.options import SwarmOptions
from codemojex.swarm.report import Report, Told
from codemojex.swarm.stage import GivenStage, OwnStage, Stage
from codemojex.swarm.system import System, start
from codemojex.swarm.tables import Kind

_TICK_S = 0.01
_LOOK_S = 1.0
_OPENING_S = 60.0
_AT_ONCE = 100  # games asked for in a breath while everybody sits down


class Watches(Protocol):
    """Is shown what goes on; `Watch` shows it on a terminal."""

    def say(self, words: str) -> None:
        """What is going on before figures come."""

    def show(self, now: Now) -> None:
        """One more second."""


async def swarm(options: SwarmOptions, watch: Watches) -> Report:
    """Play as told, and report.

    Args:
        watch: is shown each second.

    Raises:
        BadSettings, StoreError, emq.EmqError: it cannot be played; the text says why.
    """
    async with _stage(options) as (stage, system):
        crowd = Crowd(stage, options)
        following = asyncio.create_task(crowd.follow(), name="swarm: follow")
        try:
            return await _Swarm(options, crowd, system, watch, following).play()
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)


@contextlib.asynccontextmanager
async def _stage(options: SwarmOptions) -> AsyncIterator[tuple[Stage, System | None]]:
    if options.telegram is None:
        async with start(options) as system:
            yield OwnStage(system.telegram), system
    else:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as session:
            yield GivenStage(options.telegram, session), None


class _Swarm:
    """One run."""

    def __init__(
        self,
        options: SwarmOptions,
        crowd: Crowd,
        system: System | None,
        watch: Watches,
        following: asyncio.Task[None],
    ) -> None:
        self._options = options
        self._crowd = crowd
        self._system = system
        self._watch = watch
        self._following = following
        self._began = 0.0
        self._held_back = self._without_game = 0

    @property
    def _books(self) -> Books | None:
        return None if self._system is None else self._system.books

    async def play(self) -> Report:
        """Sit down, send, wait for the answers."""
        self._watch.say("players sit down …")
        await self._crowd.gather()
        await self._until(lambda: self._crowd.closed == 0, _OPENING_S, opening=True)
        self._without_game = self._crowd.closed
        if self._books is not None:
            await self._books.begin()
        used = {} if self._system is None else self._system.processor_s()
        looking = asyncio.create_task(self._look(), name="swarm: look")
        try:
            self._began = time.monotonic()
            await self._send()
            seconds = time.monotonic() - self._began
            await self._until(lambda: self._crowd.waiting == 0, self._options.patience_s)
            if self._books is not None:
                await self._rest(self._books)
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
        return await self._report(seconds, used)

    async def _send(self) -> None:
        """Send at the rate, until the time is over; what nobody is free to send is not made up for."""
        sent, rate = 0, self._options.rate
        while (now := time.monotonic() - self._began) < self._options.seconds:
            due = int(now * rate) - sent
            for _ in range(due):
                if not await self._crowd.guess():
                    missed = int((time.monotonic() - self._began) * rate) - sent
                    self._held_back += missed
                    sent += missed
                    break
                sent += 1
            self._check()
            await asyncio.sleep(_TICK_S)

    async def _until(self, done: Callable[[], bool], seconds: float, *, opening: bool = False) -> None:
        """Wait until it is so, or for so long without any progress."""
        last, since = -1, time.monotonic()
        while not done():
            self._check()
            progress = self._crowd.answered - self._crowd.closed
            if progress != last:
                last, since = progress, time.monotonic()
            if time.monotonic() - since > seconds:
                return
            if opening:
                await self._crowd.open(_AT_ONCE)
            await asyncio.sleep(0.05)

    async def _rest(self, books: Books) -> None:
        """Wait until nothing is left to be told, for as long as an answer may take."""
        until = time.monotonic() + self._options.patience_s
        # Asked again and again: the end of the telling signals nothing here.
        while not await books.at_rest() and time.monotonic() < until:  # noqa: ASYNC110
            await asyncio.sleep(0.1)

    def _check(self) -> None:
        if self._system is not None:
            self._system.check()
        if self._following.done():
            self._following.result()

    async def _look(self) -> None:
        """Look around each second."""
        seen = 0
        while True:
            await asyncio.sleep(_LOOK_S)
            await self._crowd.look_after()
            found = None if self._books is None else await self._books.counts()
            latest, seen = self._crowd.latencies[seen:], self._crowd.answered
            self._watch.show(
                Now(
                    second=time.monotonic() - self._began,
                    sent=len(self._crowd.guesses),
                    answered=self._crowd.answered,
                    waiting=self._crowd.waiting,
                    admitted=None if found is None else found.admitted,
                    scored=None if found is None else found.scored,
                    told=None if found is None else found.told,
                    depth=None if found is None else found.depth,
                    oldest_s=None if found is None else found.oldest_s,
                    latency=Latency.of(latest),
                )
            )

    async def _report(self, seconds: float, used: dict[str, float]) -> Report:
        crowd, database, audit, stages = self._crowd, None, None, {}
        spent = {} if self._system is None else self._system.processor_s()
        if self._books is not None:
            entries = await self._books.entries(crowd.guesses)
            stages, database = _stages(entries), await self._told(self._books, entries)
            audit = await self._books.audit()
        sent = len(crowd.guesses)
        return Report(
            rate=self._options.rate,
            seconds=round(seconds, 3),
            players=self._options.seats,
            sent=sent,
            answered=crowd.answered,
            held_back=self._held_back,
            without_game=self._without_game,
            latencies={"answer": Latency.of(crowd.latencies), **_by_kind(crowd), **stages},
            by_kind={str(kind): count for kind, count in crowd.by_kind().items()},
            database=database,
            audit=audit,
            processor_us={
                name: round(1e6 * (spent[name] - before) / max(1, sent), 1)
                for name, before in used.items()
                if name in spent
            },
        )

    async def _told(self, books: Books, entries: list[Entry]) -> Told:
        return Told(
            admitted=len(entries),
            refused=await books.refused(self._crowd.guesses),
            scored=sum(entry.scored_at is not None for entry in entries),
            told=sum(entry.told_at is not None for entry in entries),
        )


def _by_kind(crowd: Crowd) -> dict[str, Latency | None]:
    """How long an answer took where; in a group one message answers everybody, and the next waits for it."""
    return {f"answer, {kind}": Latency.of(crowd.waits(kind)) for kind in Kind}


def _stages(entries: list[Entry]) -> dict[str, Latency | None]:
    """How long each stage took, by the database's own times."""
    steps: dict[str, list[tuple[float | None, float | None]]] = {
        "sent to admitted": [(e.sent_at, e.admitted_at) for e in entries],
        "admitted to scored": [(e.admitted_at, e.scored_at) for e in entries],
        "scored to told": [(e.scored_at, e.told_at) for e in entries],
    }
    return {
        name: Latency.of([end - begin for begin, end in pairs if begin is not None and end is not None])
        for name, pairs in steps.items()
    }
