"""A test's own queues at the queue server: what lies there, and how to keep the worker from it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import redis.asyncio as redis

import emq
from codemojex.settings import Settings


@contextlib.asynccontextmanager
async def paused(settings: Settings) -> AsyncIterator[None]:
    """The worker is handed no guess in here; those in its hands go on."""
    conn = await emq.connect(settings.redis_url or "")
    admin = emq.Admin(conn, settings.guess_queue)
    try:
        await admin.pause()
        yield
        await admin.resume()
    finally:
        await conn.close()


async def contents(settings: Settings) -> AsyncIterator[tuple[str, str]]:
    """Every key of the test's queues with everything it holds, as text."""
    client = redis.Redis.from_url(settings.redis_url or "")
    try:
        for queue in (settings.guess_queue, settings.notify_queue):
            async for key in client.scan_iter(match=f"emq:{{{queue}}}:*", count=1_000):
                yield key.decode(), _shown(await _read(client, key))
    finally:
        await client.aclose()


async def _read(client: redis.Redis, key: bytes) -> Any:
    match await client.type(key):
        case b"hash":
            return await client.hgetall(key)
        case b"zset":
            return await client.zrange(key, 0, -1)
        case b"list":
            return await client.lrange(key, 0, -1)
        case b"set":
            return list(await client.smembers(key))
        case b"stream":
            return await client.xrange(key)
        case _:
            return await client.get(key)


def _shown(value: Any) -> str:
    match value:
        case bytes():
            return value.decode("utf-8", "replace")
        case dict():
            return " ".join(f"{_shown(name)} {_shown(each)}" for name, each in value.items())
        case list() | tuple():
            return " ".join(_shown(each) for each in value)
        case None:
            return ""
    return str(value)
