"""A deployment whose every process can be killed and whose every line can be cut, with people who play in it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from codemojex.play.audit import AuditReport, audit
from codemojex.store.engine import Store, open_store
from tests.faults import host, seams
from tests.faults.actors import Actor, Lines
from tests.faults.nursery import Child, Nursery
from tests.proxy import FaultProxy
from tests.servers import ServerProcess
from tests.system.deployment import TOKEN, until

LEASE_MS = 1_000
PLAYERS = (
    "PLR"  # groups begin with it: so every call that puts guesses into lanes carries it, whatever its script
)
_KEEP = ("PATH", "HOME", "LANG")


@dataclass
class Stage:
    """Everything of one deployment.

    Attributes:
        settings: variables for every process, over the defaults of a stage.
        kills, cuts: how often a process or server was killed, a line cut; so far.
    """

    nursery: Nursery
    folder: Path
    database_url: str
    server: ServerProcess
    queue: str
    settings: dict[str, str] = field(default_factory=dict)
    workers: int = 1
    kills: int = 0
    cuts: int = 0
    telegram_url: str = ""
    telegram: Child | None = None
    actors: dict[str, Actor] = field(default_factory=dict)
    started: int = 0
    http: httpx.AsyncClient = field(default_factory=lambda: httpx.AsyncClient(timeout=60, verify=False))
    _store: Store | None = None

    @property
    def store(self) -> Store:
        """The database, straight: no fault stands between it and the test."""
        if self._store is None:
            self._store = open_store(self.database_url)
        return self._store

    @property
    def on_postgres(self) -> bool:
        return self.database_url.startswith("postgresql")

    @property
    def bot(self) -> Actor:
        return self.actors["bot"]

    @property
    def worker(self) -> Actor:
        return self.actors["worker"]

    async def open(self) -> None:
        """Start the local Telegram, the bot and the workers."""
        await self._open_telegram()
        names = ["bot", "worker", *(f"worker{n}" for n in range(2, self.workers + 1))]
        for name in names:
            verb = "bot" if name == "bot" else "worker"
            lines = await self._lines()
            self.actors[name] = Actor(name, ["codemojex", verb], lines, self.folder / f"{name}.orders")
        await asyncio.gather(*(self.start(actor) for actor in self.actors.values()))

    async def close(self, *, quiet: bool = False) -> None:
        """End everything; what the processes said is printed, which pytest shows where a test failed."""
        children = [self.telegram, *(actor.child for actor in self.actors.values())]
        for child in children:
            if child is not None:
                await child.kill()
            if child is not None and not quiet:
                print(f"--- {child.name}\n{child.said[-2500:]}")
        for actor in self.actors.values():
            for line in actor.lines.all:
                await line.close()
        if self._store is not None:
            await self._store.aclose()
        await self.http.aclose()

    async def start(self, actor: Actor) -> None:
        """Start the process of an actor, and wait until it runs."""
        actor.child = await self._spawn(actor.name, actor.words, self._environment(actor))
        child = actor.child

        async def running() -> bool:
            assert child.runs, f"{actor.name} ended with {child.code}:\n{child.said[-3000:]}"
            return "running" in child.said

        await until(running, f"{actor.name} runs", 45)

    async def explain(self) -> str:
        """What every process waits for, and the end of what it said."""
        for actor in self.actors.values():
            actor.now.signal(signal.SIGCONT)
            actor.now.signal(signal.SIGUSR1)
        await asyncio.sleep(1.0)
        return "\n".join(f"--- {actor.name}\n{actor.now.said[-6000:]}" for actor in self.actors.values())

    async def mend(self) -> None:
        """After a failure: no orders, no faults, and every process a new one."""
        await self.control("DELETE", "faults")
        for actor in self.actors.values():
            actor.relent()
            actor.lines.heal()
            await self.replace(actor)

    async def kill(self, actor: Actor) -> None:
        """SIGKILL."""
        await actor.now.kill()
        self.kills += 1

    async def replace(self, actor: Actor) -> None:
        """Kill, if it still runs, and start again."""
        if actor.now.runs:
            await self.kill(actor)
        await self.start(actor)

    async def kill_server(self, *, forget: bool) -> None:
        """Kill the queue server and start it again at the same address."""
        await asyncio.to_thread(self.server.restart, forget=forget)
        self.kills += 1

    def cut(self, actor: Actor) -> None:
        """Cut every line of a process."""
        self.cuts += sum(line.open_connections for line in actor.lines.all)
        actor.lines.cut()

    async def control(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Ask the local Telegram for something that no bot may ask for."""
        reply = await self.http.request(method, f"{self.telegram_url}/control/{path}", json=body)
        assert reply.status_code == 200, reply.text
        return reply.json()

    async def lose_answer(self, method: str = "sendMessage", times: int = 1) -> None:
        """Telegram does the next such request, and its answer is lost."""
        await self.control("POST", "faults", {"kind": "lose", "method": method, "times": times})
        self.cuts += times

    async def audit(self) -> tuple[int, dict[str, Any]]:
        """What `codemojex audit --json` says, and its exit code; run as an operator runs it."""
        code, said = await self.ask("codemojex", "audit", "--json")
        assert code in (0, 1), said
        return code, json.loads(next(line for line in said.splitlines() if line.startswith("{")))

    async def ask(self, *words: str) -> tuple[int, str]:
        """Run a command as an operator runs it; its exit code, and what it said."""
        child = await self._spawn(words[0], list(words), self._environment(None))
        await asyncio.wait_for(child.ended.wait(), 60)
        assert child.code is not None
        return child.code, child.said

    async def examine(self) -> AuditReport:
        """The same without a process, for the many times a case asks."""
        return await self.store.read(lambda tx: audit(tx, datetime.now(UTC)))

    async def _open_telegram(self) -> None:
        words = ["localtg", "--port", "0", "--token", TOKEN]
        environment = {name: os.environ[name] for name in _KEEP if name in os.environ}
        self.telegram = child = await self._spawn("telegram", words, environment)

        async def answers() -> bool:
            assert child.runs, child.said
            line = child.said.partition("\n")[0]
            if not line.endswith("}"):
                return False
            self.telegram_url = json.loads(line)["url"]
            return True

        await until(answers, "the local Telegram says where it listens", 45)

    async def _lines(self) -> Lines:
        database = FaultProxy(self.database_url, resp=False) if self.on_postgres else None
        made = Lines(FaultProxy(self.server.url), FaultProxy(self.telegram_url, resp=False), database)
        for line in made.all:
            await line.start()
        return made

    async def _spawn(self, name: str, words: list[str], environment: dict[str, str]) -> Child:
        self.started += 1
        return await self.nursery.start(name, words, environment, self.folder / f"{name}-{self.started}.log")

    def _environment(self, actor: Actor | None) -> dict[str, str]:
        lines = actor.lines if actor else None
        made = {
            **{name: os.environ[name] for name in _KEEP if name in os.environ},
            "TELEGRAM_TOKEN": TOKEN,
            "TELEGRAM_API_URL": lines.telegram.url if lines else self.telegram_url,
            "DATABASE_URL": lines.database.url if lines and lines.database else self.database_url,
            "REDIS_URL": lines.queue.url if lines else self.server.url,
            "CODEMOJEX_HOME": str(self.folder / "home"),
            "GUESS_QUEUE": self.queue,
            "NOTIFY_QUEUE": f"{self.queue}.notify",
            "WORKER_LEASE_MS": str(LEASE_MS),
            "SWEEP_SECONDS": "0.4",
            "SWEEP_AFTER_SECONDS": "1.2",
            "GUESSES_ALONE": "1000",
            "GUESSES_GROUP": "1000",
            "GUESSES_PER_SECOND": "0",
            "ACTS_PER_SECOND": "0",
            host.HURRY: "1",
            **self.settings,
        }
        if actor:
            made[seams.ORDERS] = str(actor.orders)
            made[host.CLOCK] = str(actor.clock_s)
        return made


def since(moment: float) -> float:
    """Seconds since a reading of `time.monotonic`."""
    return time.monotonic() - moment
