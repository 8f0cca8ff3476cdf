"""What goes wrong at random in a soak: each trouble is one short thing done to a running system."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from tests.faults.actors import Actor
from tests.faults.harms import busy, drop_backends
from tests.faults.stage import LEASE_MS, PLAYERS, Stage
from tests.faults.steps import SEAMS

_CLOCK_S = 120.0


@dataclass(frozen=True, slots=True)
class Struck:
    """A trouble, and when it began; ``at`` is unix time."""

    trouble: str
    at: float


@dataclass
class Storm:
    """Makes trouble until told to stop, then leaves everything whole.

    Args:
        dice: decides what, to whom and when; with the same ones the same is done in the same order.
        rest_s: between two troubles, at least and at most.
    """

    stage: Stage
    dice: random.Random
    rest_s: tuple[float, float] = (0.1, 0.6)
    struck: list[Struck] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    async def rage(self, until: float) -> None:
        """Make trouble until this reading of `time.monotonic`."""
        while time.monotonic() < until:
            await self.strike(self.dice.choices(_TROUBLES, [trouble.weight for trouble in _TROUBLES])[0])
            await asyncio.sleep(self.dice.uniform(*self.rest_s))
        await self.calm()

    async def strike(self, trouble: Trouble) -> None:
        """Make one trouble."""
        self.struck.append(Struck(trouble.name, time.time()))
        await trouble.make(self)
        for actor in self.stage.actors.values():
            await self.mend(actor)

    async def mend(self, actor: Actor) -> None:
        """Start what has died by its orders; what ended otherwise is a failure."""
        if actor.now.runs:
            return
        if actor.now.code != -signal.SIGKILL:
            self.failures.append(f"{actor.name} ended with {actor.now.code}: {actor.now.said[-1500:]}")
        self.stage.kills += 1
        await self.stage.start(actor)

    async def calm(self) -> None:
        """Nothing goes wrong any more, and everything runs."""
        for actor in self.stage.actors.values():
            actor.relent()
            actor.lines.heal()
            actor.now.signal(signal.SIGCONT)
            await self.mend(actor)
        await self.stage.control("DELETE", "faults")

    def somebody(self) -> Actor:
        return self.dice.choice(list(self.stage.actors.values()))

    def a_worker(self) -> Actor:
        return self.dice.choice([each for each in self.stage.actors.values() if each is not self.stage.bot])


async def _kill(storm: Storm) -> None:
    await storm.stage.replace(storm.somebody())


async def _kill_at_a_step(storm: Storm) -> None:
    seam = storm.dice.choice(SEAMS)
    actor = storm.stage.bot if seam.who == "bot" else storm.a_worker()
    actor.order(seam.step, "kill", storm.dice.randint(1, 3))
    try:
        await asyncio.wait_for(actor.now.ended.wait(), 3)
    except TimeoutError:
        actor.relent()


async def _cut(storm: Storm) -> None:
    storm.stage.cut(storm.somebody())


async def _break_a_burst(storm: Storm) -> None:
    line = storm.stage.bot.lines.queue
    if storm.dice.random() < 0.5:
        line.cut_after_commands(storm.dice.randint(0, 1), match=PLAYERS)
    else:
        line.swallow_replies(match=PLAYERS)
    storm.stage.cuts += 1
    await asyncio.sleep(1.0)
    line.heal()


async def _break_after_bytes(storm: Storm) -> None:
    line = storm.dice.choice(storm.somebody().lines.all)
    line.cut_after_bytes(storm.dice.randint(0, 4_000))
    storm.stage.cuts += 1
    await asyncio.sleep(0.5)
    line.heal()


async def _slow_line(storm: Storm) -> None:
    line = storm.dice.choice(storm.somebody().lines.all)
    line.delay(storm.dice.uniform(0.02, 0.2))
    await asyncio.sleep(1.0)
    line.heal()


async def _half_open(storm: Storm) -> None:
    line = storm.dice.choice(storm.somebody().lines.all)
    line.half_open()
    await asyncio.sleep(storm.dice.uniform(0.3, 2.0))
    storm.stage.cuts += line.open_connections
    line.heal()


async def _freeze(storm: Storm) -> None:
    line = storm.dice.choice(storm.somebody().lines.all)
    storm.stage.cuts += line.open_connections
    line.freeze()


async def _queue_restarts(storm: Storm) -> None:
    await storm.stage.kill_server(forget=False)


async def _queue_forgets(storm: Storm) -> None:
    await storm.stage.kill_server(forget=True)


async def _queue_flushed(storm: Storm) -> None:
    await asyncio.to_thread(storm.stage.server.command, "FLUSHALL")


async def _queue_stands_still(storm: Storm) -> None:
    storm.stage.server.pause()
    await asyncio.sleep(storm.dice.uniform(0.2, 1.5))
    storm.stage.server.resume()


async def _queue_full(storm: Storm) -> None:
    server = storm.stage.server
    await asyncio.to_thread(server.command, "CONFIG", "SET", "maxmemory-policy", "noeviction")
    await asyncio.to_thread(server.command, "CONFIG", "SET", "maxmemory", "1")
    await asyncio.sleep(storm.dice.uniform(0.5, 1.5))
    await asyncio.to_thread(server.command, "CONFIG", "SET", "maxmemory", "0")


async def _worker_sleeps(storm: Storm) -> None:
    await _sleep(storm.a_worker(), LEASE_MS / 1000 + storm.dice.uniform(0.2, 1.0))


async def _bot_sleeps(storm: Storm) -> None:
    await _sleep(storm.stage.bot, storm.dice.uniform(0.5, 3.5))


async def _sleep(actor: Actor, seconds: float) -> None:
    actor.now.signal(signal.SIGSTOP)
    await asyncio.sleep(seconds)
    actor.now.signal(signal.SIGCONT)


async def _clock_wrong(storm: Storm) -> None:
    actor = storm.a_worker()
    actor.clock_s = storm.dice.choice((-_CLOCK_S, 0.0, _CLOCK_S))
    await storm.stage.replace(actor)


async def _database_drops(storm: Storm) -> None:
    if storm.stage.on_postgres:
        storm.stage.cuts += await asyncio.to_thread(drop_backends, storm.stage.database_url)
    else:
        with busy(storm.stage.database_url, 2.0):
            await asyncio.sleep(storm.dice.uniform(0.3, 2.0))


async def _answers_lost(storm: Storm) -> None:
    method = storm.dice.choice(("sendMessage", "sendMessage", "editMessageText", "getUpdates"))
    await storm.stage.lose_answer(method, storm.dice.randint(1, 3))


async def _telegram_refuses(storm: Storm) -> None:
    status = storm.dice.choice((500, 502, 429))
    fault = {"kind": "refuse", "method": "sendMessage", "status": status, "times": 2}
    await storm.stage.control("POST", "faults", fault | ({"retry_after_s": 1} if status == 429 else {}))


async def _telegram_drops(storm: Storm) -> None:
    fault = {"kind": "drop", "method": storm.dice.choice(("sendMessage", "getUpdates")), "times": 2}
    await storm.stage.control("POST", "faults", fault)
    storm.stage.cuts += 2


@dataclass(frozen=True, slots=True)
class Trouble:
    """One kind of trouble; ``says`` is for the page."""

    name: str
    says: str
    make: Callable[[Storm], Awaitable[None]]
    weight: int = 2


_TROUBLES = (
    Trouble("kill", "kill -9 of the bot or a worker", _kill, 8),
    Trouble("kill_at_a_step", "kill -9 at a step of the path, by name", _kill_at_a_step, 8),
    Trouble("cut", "all lines of a process are cut", _cut, 6),
    Trouble("break_a_burst", "a burst breaks off after k jobs, or its replies are lost", _break_a_burst, 3),
    Trouble("break_after_bytes", "a line breaks after n bytes", _break_after_bytes, 3),
    Trouble("slow_line", "a line answers late", _slow_line, 1),
    Trouble("half_open", "a line carries nothing and does not break", _half_open, 2),
    Trouble("freeze", "a line dies without a word; new connections are well", _freeze, 2),
    Trouble("queue_restarts", "the queue server is killed, its data stays", _queue_restarts, 3),
    Trouble("queue_forgets", "the queue server is killed, its data is gone", _queue_forgets, 3),
    Trouble("queue_flushed", "FLUSHALL", _queue_flushed, 3),
    Trouble(
        "queue_stands_still", "the queue server is stopped (SIGSTOP) and goes on", _queue_stands_still, 1
    ),
    Trouble("queue_full", "the queue server is full (maxmemory, noeviction)", _queue_full, 2),
    Trouble("worker_sleeps", "a worker is stopped (SIGSTOP) for longer than its lease", _worker_sleeps, 3),
    Trouble("bot_sleeps", "the bot is stopped (SIGSTOP) and goes on", _bot_sleeps, 2),
    Trouble("clock_wrong", "a worker's clock is two minutes off", _clock_wrong, 2),
    Trouble(
        "database_drops", "PostgreSQL ends all connections; SQLite is held by others", _database_drops, 3
    ),
    Trouble("answers_lost", "Telegram's answers are lost", _answers_lost, 3),
    Trouble("telegram_refuses", "Telegram answers 500, 502 or 429", _telegram_refuses, 2),
    Trouble("telegram_drops", "Telegram closes connections unheard", _telegram_drops, 2),
)
TROUBLES = {trouble.name: trouble for trouble in _TROUBLES}
