"""One local Telegram a test, with a person and the stock client of python-telegram-bot."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest
import telegram
from telegram.request import HTTPXRequest

from codemojex.localtg import Group, LocalTelegram, Person
from tests.localtg.endpoint import endpoint

Call = Callable[..., Awaitable[tuple[int, dict[str, Any]]]]


@pytest.fixture
async def tg() -> AsyncIterator[LocalTelegram]:
    async with LocalTelegram() as local:
        yield local


def client(tg: LocalTelegram, token: str | None = None) -> telegram.Bot:
    """A stock client, not yet connected."""
    # Plain HTTP: no need to load a store of certificates in each test.
    plain = {"verify": False}
    return telegram.Bot(
        token or tg.token,
        base_url=f"{tg.url}/bot",
        request=HTTPXRequest(connect_timeout=60, read_timeout=60, pool_timeout=60, httpx_kwargs=plain),
        get_updates_request=HTTPXRequest(
            connect_timeout=60, read_timeout=60, connection_pool_size=8, httpx_kwargs=plain
        ),
    )


@pytest.fixture
def ada(tg: LocalTelegram) -> Person:
    return tg.person("Ada", language_code="en", username="ada_l")


@pytest.fixture
def bo(tg: LocalTelegram) -> Person:
    return tg.person("Bo")


@pytest.fixture
def fruit(tg: LocalTelegram, ada: Person, bo: Person) -> Group:
    """A group the bot is in; Ada made it, Bo is a member."""
    return tg.group("Fruit", members=[bo], admins=[ada], known=True)


@pytest.fixture
async def bot(tg: LocalTelegram) -> AsyncIterator[telegram.Bot]:
    async with client(tg) as connected:
        yield connected


@pytest.fixture
async def call(tg: LocalTelegram) -> AsyncIterator[Call]:
    """Any method with any form fields, as no client library would let one: status and body."""
    async with httpx.AsyncClient(verify=False) as client:

        async def calling(method: str, **params: Any) -> tuple[int, dict[str, Any]]:
            answer = await client.post(f"{tg.url}/bot{tg.token}/{method}", data=params)
            return answer.status_code, answer.json()

        yield calling
