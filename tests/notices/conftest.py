"""The desk, once on SQLite and once on PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from codemojex.localtg import LocalTelegram
from codemojex.store.engine import open_store
from codemojex.store.urls import database_url as parsed
from tests.databases import database_url, postgres_url, sqlite_url  # fixtures
from tests.notices.desk import Desk, MoodyStore, make_bot


@pytest.fixture
async def desk(database_url: str) -> AsyncIterator[Desk]:
    """Everything the outbound path needs."""
    async with LocalTelegram() as tg:
        bot = make_bot(tg)
        await bot.initialize()
        store, looking = MoodyStore(parsed(database_url)), open_store(database_url)
        yield Desk(tg, bot, store, looking)
        await looking.aclose()
        await store.aclose()
        await bot.shutdown()
