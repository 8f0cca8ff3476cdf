"""The whole system for a swarm: a local Telegram in this process, bot and workers in their own, servers as asked."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from codemojex import connections
from codemojex.collecting import collecting_little
from codemojex.localtg import LocalTelegram, Options
from codemojex.settings import BadSettings, Settings, read_settings
from codemojex.store import revision
from codemojex.swarm.books import Books
from codemojex.swarm.options import SwarmOptions

_START_S = 60.0
_STOP_S = 10.0
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV", "TMPDIR", "EMQ_SERVER")
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


@dataclass(slots=True)
class Member:
    """A process of the system."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def said(self) -> str:
        """The end of what it wrote."""
        return self.log.read_text("utf-8", errors="replace")[-1_500:].strip()


@dataclass(slots=True)
class System:
    """What runs for a swarm.

    Attributes:
        books: what its database and its queue say.
        pids: of the processes that this machine's time is counted of, by name.
    """

    telegram: LocalTelegram
    books: Books
    members: list[Member] = field(default_factory=list)
    pids: dict[str, int] = field(default_factory=dict)

    def check(self) -> None:
        """Notice a process that has ended.

        Raises:
            BadSettings: one has; the text is the end of what it said.
        """
        for member in self.members:
            if member.process.poll() is not None:
                raise BadSettings(f"the {member.name} ended: {member.said()}")

    def processor_s(self) -> dict[str, float]:
        """Seconds of processor time each process has used; nothing where the system does not tell."""
        return {name: used for name, pid in self.pids.items() if (used := used_s(pid)) is not None}


@contextlib.asynccontextmanager
async def start(options: SwarmOptions) -> AsyncIterator[System]:
    """Start everything, wait until the bot listens, and stop it all in the end.

    Raises:
        BadSettings, emq.EmqError, StoreError: something does not start; the text says why.
    """
    async with contextlib.AsyncExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cmx-swarm-")))
        telegram = LocalTelegram(options=Options(privacy=False, keep_requests=100, budgets=options.limits))
        await stack.enter_async_context(telegram)
        pids = {"swarm and Telegram": os.getpid()}
        settings = _settings(options, home, telegram)
        queue, server = await stack.enter_async_context(connections.open_queue_server(settings))
        if server is not None:
            # The members are processes of their own and join this one's.
            settings = settings.model_copy(update={"redis_url": server.url})
            pids["Valkey"] = server.pid
        await asyncio.to_thread(revision.upgrade, settings.store_url)
        store = await stack.enter_async_context(connections.open_database(settings))
        system = System(telegram, Books(store, queue, settings), pids=pids)
        stack.push_async_callback(_stop, system)
        roles = ["bot", *(f"worker {n}" if n else "worker" for n in range(options.workers))]
        for role in roles:
            _add(system, role, settings, lifted=not options.limits)
        await _listening(system)
        # Telegram and the players are in this process: its pauses would count as the bot's.
        stack.enter_context(collecting_little())
        yield system


def _settings(options: SwarmOptions, home: Path, telegram: LocalTelegram) -> Settings:
    return read_settings(
        _env_file=None,
        codemojex_home=home,
        telegram_token=SecretStr(telegram.token),
        telegram_api_url=telegram.url,
        database_url=options.database or f"sqlite+aiosqlite:///{home / 'codemojex.sqlite3'}",
        redis_url=options.redis,
        webhook_url=None,
        guesses_per_second=1.0 if options.limits else 0.0,
        acts_per_second=1.0 if options.limits else 0.0,
        guess_queue="cm",
        notify_queue="cm.notify",
    )


def _add(system: System, role: str, settings: Settings, *, lifted: bool) -> None:
    kind = role.partition(" ")[0]
    log = settings.home / f"{role.replace(' ', '-')}.log"
    command = [sys.executable, "-m", "codemojex.swarm.member", kind, *(["--lifted"] if lifted else [])]
    with log.open("wb") as said:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=said, stderr=said, env=_environment(settings)
        )
    system.members.append(Member(role, process, log))
    system.pids[role] = process.pid


def _environment(settings: Settings) -> dict[str, str]:
    """What a process needs to know; nothing of this one's environment that could lead it elsewhere."""
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ} | {
        "TELEGRAM_TOKEN": settings.token(),
        "TELEGRAM_API_URL": settings.telegram_api_url,
        "DATABASE_URL": settings.store_url,
        "REDIS_URL": settings.redis_url or "",
        "CODEMOJEX_HOME": str(settings.home),
        "GUESS_QUEUE": settings.guess_queue,
        "NOTIFY_QUEUE": settings.notify_queue,
        "GUESSES_PER_SECOND": str(settings.guesses_per_second),
        "ACTS_PER_SECOND": str(settings.acts_per_second),
        "LOG_LEVEL": "WARNING",
    }


async def _listening(system: System) -> None:
    deadline = time.monotonic() + _START_S
    # Asked again and again: the first poll of a bot signals nothing here.
    while not system.telegram.polling:
        system.check()
        if time.monotonic() > deadline:
            raise BadSettings("the bot did not begin to listen in time")
        await asyncio.sleep(0.05)


async def _stop(system: System) -> None:
    for member in system.members:
        member.process.terminate()
    for member in system.members:
        try:
            await asyncio.to_thread(member.process.wait, _STOP_S)
        except subprocess.TimeoutExpired:
            member.process.kill()
            member.process.wait()
        if member.process.stdin is not None:
            member.process.stdin.close()


def used_s(pid: int) -> float | None:
    """Seconds of processor time a process has used; None where the system does not tell, or it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / _TICKS
