"""The one file that opens connections: to the database, the queue server and Telegram; a sentence where that fails."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import emq
from codemojex.settings import BadSettings, Settings
from codemojex.store import revision
from codemojex.store.engine import Store, open_store

if TYPE_CHECKING:
    from telegram import Bot


@dataclass(frozen=True, slots=True)
class Connections:
    """What is open while a process runs."""

    store: Store
    queue: emq.Connector
    server: emq.EmbeddedServer | None


@contextlib.asynccontextmanager
async def open_database(settings: Settings) -> AsyncIterator[Store]:
    """The database, its schema checked.

    Raises:
        MalformedDatabaseUrl, StoreDown, SchemaError: one sentence that names the cure.
    """
    store = open_store(settings.store_url)
    try:
        await revision.check(store)
        yield store
    finally:
        await store.aclose()


@contextlib.asynccontextmanager
async def open_queue(url: str) -> AsyncIterator[emq.Connector]:
    """The queue server at ``url``.

    Raises:
        BadSettings: one sentence that names the cure.
    """
    try:
        conn = await emq.connect(url)
    except emq.EmqError as error:
        raise BadSettings(f"REDIS_URL: {error}") from error
    try:
        yield conn
    finally:
        await conn.close()


@contextlib.asynccontextmanager
async def open_queue_server(
    settings: Settings,
) -> AsyncIterator[tuple[emq.Connector, emq.EmbeddedServer | None]]:
    """The queue server: the one at REDIS_URL, else the embedded one of the home folder, started or joined.

    Raises:
        BadSettings, emq.EmqError: one sentence that names the cure.
    """
    async with contextlib.AsyncExitStack() as stack:
        server, url = None, settings.redis_url
        if url is None:
            server = await emq.EmbeddedServer.start(settings.make_home() / "queue")
            stack.push_async_callback(server.stop)
            url = server.url
        yield await stack.enter_async_context(open_queue(url)), server


@contextlib.asynccontextmanager
async def open_connections(settings: Settings) -> AsyncIterator[Connections]:
    """Open the queue server (starting the embedded one where no URL is set) and the database.

    Raises:
        emq.EmqError, StoreDown, MalformedDatabaseUrl, SchemaError: one sentence that names the cure.
    """
    async with contextlib.AsyncExitStack() as stack:
        queue, server = await stack.enter_async_context(open_queue_server(settings))
        store = await stack.enter_async_context(open_database(settings))
        yield Connections(store, queue, server)


def make_bot(settings: Settings) -> Bot:
    """A bot for this token and Bot API root; nothing is sent before it is initialised."""
    from telegram import Bot  # takes its time to load, and a worker does without

    from codemojex.calls import Calls

    return Bot(
        settings.token(),
        base_url=f"{settings.telegram_api_url}/bot",
        request=Calls(read_s=20.0),
        get_updates_request=Calls(),
    )
