"""What can be done to a system while one of its processes stands still at a step."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

import psycopg
from sqlalchemy import make_url

from tests.faults.actors import Actor
from tests.faults.stage import LEASE_MS, Stage

_ASLEEP_S = LEASE_MS / 1000 + 0.6
_BUSY_S = 0.7


@dataclass(frozen=True, slots=True)
class Harm:
    """A fault, and what an operator would call it."""

    name: str
    says: str
    do: Callable[[Stage, Actor], Awaitable[None]]


async def _dies(stage: Stage, actor: Actor) -> None:
    await stage.replace(actor)


async def _other_dies(stage: Stage, actor: Actor) -> None:
    await stage.replace(stage.worker if actor is stage.bot else stage.bot)


async def _both_die(stage: Stage, actor: Actor) -> None:
    await asyncio.gather(*(stage.kill(each) for each in (stage.bot, stage.worker)))
    await asyncio.gather(*(stage.start(each) for each in (stage.bot, stage.worker)))


async def _queue_restarts(stage: Stage, actor: Actor) -> None:
    await stage.kill_server(forget=False)


async def _queue_forgets(stage: Stage, actor: Actor) -> None:
    await stage.kill_server(forget=True)


async def _queue_flushed(stage: Stage, actor: Actor) -> None:
    await asyncio.to_thread(stage.server.command, "FLUSHALL")
    stage.kills += 1


async def _lines_cut(stage: Stage, actor: Actor) -> None:
    for each in stage.actors.values():
        stage.cut(each)


async def _database_drops(stage: Stage, actor: Actor) -> None:
    if stage.on_postgres:
        stage.cuts += await asyncio.to_thread(drop_backends, stage.database_url)
    else:
        stage.cuts += 1
        # The one who stands still may hold the lock itself: then it is the others who meet a busy file.
        with busy(stage.database_url):
            await asyncio.sleep(_BUSY_S)


async def _sleeps(stage: Stage, actor: Actor) -> None:
    await asyncio.sleep(_ASLEEP_S)


async def _answer_lost(stage: Stage, actor: Actor) -> None:
    await stage.lose_answer("sendMessage")
    await stage.lose_answer("getUpdates")


HARMS = (
    Harm("dies", "the process is killed", _dies),
    Harm("other_dies", "the other process (bot, worker) is killed", _other_dies),
    Harm("both_die", "bot and worker are killed together", _both_die),
    Harm("queue_restarts", "the queue server is killed and comes back with its data", _queue_restarts),
    Harm("queue_forgets", "the queue server is killed and comes back empty", _queue_forgets),
    Harm("queue_flushed", "FLUSHALL on the queue server", _queue_flushed),
    Harm("lines_cut", "every connection of every process is cut", _lines_cut),
    Harm("database_drops", "PostgreSQL ends every connection; another writer holds SQLite", _database_drops),
    Harm("sleeps", "the process stands still for longer than a lease and goes on", _sleeps),
    Harm("answer_lost", "Telegram does what it is asked, and its answer is lost", _answer_lost),
)


def drop_backends(url: str) -> int:
    """End every connection of a PostgreSQL database but this one; how many that were."""
    conninfo = make_url(url).set(drivername="postgresql", query={}).render_as_string(hide_password=False)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        ended = connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return len(ended.fetchall())


@contextlib.contextmanager
def busy(url: str, wait_s: float = 0.3) -> Iterator[None]:
    """Another program writes to a SQLite file, if it gets hold of it."""
    other = sqlite3.connect(make_url(url).database or "", isolation_level=None, timeout=wait_s)
    try:
        with contextlib.suppress(sqlite3.OperationalError):
            other.execute("BEGIN IMMEDIATE")
        yield
    finally:
        if other.in_transaction:
            other.execute("ROLLBACK")
        other.close()


def wake(actor: Actor) -> None:
    """Let it go on, if it still stands there."""
    actor.now.signal(signal.SIGCONT)
