"""What the runtime's tests share: a connector, jobs, and a way to wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

import pytest

import emq
from emq.scripts import folder, script
from tests.proxy import FaultProxy


@pytest.fixture
async def conn(server_url: str) -> AsyncIterator[emq.Connector]:
    """A connector to each kind of server in turn."""
    async with await emq.connect(server_url) as conn:
        yield conn


@pytest.fixture
async def jobs(conn: emq.Connector, queue: str) -> emq.Jobs:
    """This test's queue on each kind of server in turn."""
    return emq.Jobs(conn, queue)


@pytest.fixture
async def proxy(redis7_url: str) -> AsyncIterator[FaultProxy]:
    """A proxy in front of the shared Redis 7."""
    async with FaultProxy(redis7_url) as proxy:
        yield proxy


@pytest.fixture
async def behind(redis7_url: str, queue: str) -> AsyncIterator[emq.Jobs]:
    """This test's queue on the server behind the proxy, reached without it; the server knows every script."""
    async with await emq.connect(redis7_url) as conn:
        for file in folder().glob("*.lua"):
            await conn.command("SCRIPT", "LOAD", script(file.stem).text)
        yield emq.Jobs(conn, queue)


async def until(condition: Callable[[], bool], within_s: float = 60.0) -> None:
    """Wait until ``condition()`` holds; the bound is for a machine that has much else to do."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        await asyncio.sleep(0.002)


async def enqueued(jobs: emq.Jobs, count: int) -> list[str]:
    """The ids of ``count`` new jobs, in mint order."""
    ids = [emq.mint("JOB") for _ in range(count)]
    assert set(await jobs.enqueue_many([(id, b"payload of " + id.encode()) for id in ids])) == {emq.ENQUEUED}
    return ids


async def lapse(conn: emq.Connector, queue: str, id: str) -> None:
    """Let the lease of an active job have ended a second after 1970."""
    await conn.command("ZADD", emq.Keyspace(queue).active, "XX", 1000, id)


async def steal(conn: emq.Connector, queue: str, id: str) -> emq.Claim:
    """Make another the holder of an active job, as if it had lapsed, been reaped and been claimed again."""
    row = emq.Keyspace(queue).job(id)
    token = await conn.command("HINCRBY", row, "attempts", 1)
    return emq.Claim(id, await conn.command("HGET", row, "payload"), token)
