"""A whole deployment in real processes: the local Telegram, bots, workers; killed and restarted at will."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from codemojex.play.audit import AuditReport, audit
from codemojex.store.engine import open_store

TOKEN = "7000000001:systemTestTokenOfNoBotInTheWorld00"


async def until(what: Callable[[], Awaitable[bool]], said: str, within_s: float = 90.0) -> None:
    """Wait until something is true; fail with ``said`` when it does not become so."""
    deadline = time.monotonic() + within_s
    while not await what():
        if time.monotonic() > deadline:
            raise AssertionError(f"within {within_s:g} s it did not come to pass that {said}")
        await asyncio.sleep(0.05)


@dataclass
class Process:
    """One started program and where its output goes."""

    name: str
    popen: subprocess.Popen[bytes]
    log: Path

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait(60)

    def stop(self, within_s: float = 60.0) -> int:
        """SIGTERM; the exit code. What is promised, 10 s, is for those tests to say that are about it."""
        self.popen.send_signal(signal.SIGTERM)
        return self.popen.wait(within_s)

    def pause(self) -> None:
        """Stop it where it is. Returns when every thread stands: one that ran on could take a lock meanwhile."""
        self.popen.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.popen.pid, os.WSTOPPED)

    def resume(self) -> None:
        self.popen.send_signal(signal.SIGCONT)

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")


@dataclass
class Deployment:
    """The processes of one test, their servers' addresses, and a person's view of the game."""

    folder: Path
    database_url: str
    redis_url: str
    settings: dict[str, str] = field(default_factory=dict)
    processes: list[Process] = field(default_factory=list)
    telegram_url: str = ""
    http: httpx.AsyncClient = field(default_factory=lambda: httpx.AsyncClient(timeout=60, verify=False))

    @property
    def environment(self) -> dict[str, str]:
        keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        return {
            **keep,
            "PYTHONUNBUFFERED": "1",
            "PYTHONIOENCODING": "utf-8",
            "TELEGRAM_TOKEN": TOKEN,
            "TELEGRAM_API_URL": self.telegram_url,
            "DATABASE_URL": self.database_url,
            "REDIS_URL": self.redis_url,
            "CODEMOJEX_HOME": str(self.folder / "home"),
            "SWEEP_SECONDS": "0.5",
            "SWEEP_AFTER_SECONDS": "2",
            **self.settings,
        }

    def run(self, name: str, *words: str) -> Process:
        """Start ``python -m words``; its output is kept."""
        log = self.folder / f"{name}-{len(self.processes)}.log"
        with log.open("wb") as out:
            popen = subprocess.Popen(
                [sys.executable, "-m", *words],
                env=self.environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        process = Process(name, popen, log)
        self.processes.append(process)
        return process

    def start(self, verb: str) -> Process:
        """Start ``codemojex bot``, ``worker`` or ``up``."""
        return self.run(verb, "codemojex.cli", verb)

    async def start_telegram(self) -> None:
        """Start the local Telegram in a process of its own, which outlives every bot."""
        process = self.run("telegram", "codemojex.localtg", "--port", "0", "--token", TOKEN)

        async def answers() -> bool:
            assert process.popen.poll() is None, process.said
            line = process.said.partition("\n")[0]
            if not line.endswith("}"):
                return False
            self.telegram_url = json.loads(line)["url"]
            return True

        await until(answers, "the local Telegram says where it listens")

    async def control(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        reply = await self.http.request(method, f"{self.telegram_url}/control/{path}", json=body)
        assert reply.status_code == 200, reply.text
        return reply.json()

    async def person(self, name: str) -> Someone:
        made = await self.control("POST", "people", {"name": name, "language_code": "en"})
        return Someone(self, made["id"], name)

    async def pending(self) -> int:
        return int((await self.control("GET", "health"))["pending"])

    async def audit(self) -> AuditReport:
        """What `codemojex audit` would say now."""
        from datetime import UTC, datetime

        store = open_store(self.database_url)
        try:
            return await store.read(lambda tx: audit(tx, datetime.now(UTC)))
        finally:
            await store.aclose()

    async def close(self) -> None:
        for process in self.processes:
            if process.popen.poll() is None:
                process.resume()
                process.kill()
            # Shown by pytest where the test failed, and only there.
            print(f"--- {process.name}: {process.popen.returncode}\n{process.said[-3000:]}")
        with contextlib.suppress(RuntimeError):
            await self.http.aclose()


@dataclass(frozen=True)
class Someone:
    """A person with the bot in a private chat."""

    deployment: Deployment
    id: int
    name: str

    async def send(self, text: str) -> None:
        await self.deployment.control("POST", f"people/{self.id}/send", {"text": text})

    async def inbox(self) -> list[str]:
        """The texts the bot has sent, oldest first."""
        events = await self.deployment.control("GET", f"people/{self.id}/inbox")
        return [event["text"] for event in events if event["kind"] in ("message", "edited") and event["text"]]

    async def hears(self, words: str, within_s: float = 90.0) -> str:
        """Wait for a message with ``words``."""

        async def heard() -> bool:
            return any(words in text for text in await self.inbox())

        await until(heard, f"{self.name} hears {words!r}", within_s)
        return next(text for text in await self.inbox() if words in text)
