"""Requests to Telegram over aiohttp: each made once, its failures told apart, its token told to nobody."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
import structlog
from telegram import Bot
from telegram.error import BadRequest, InvalidToken, NetworkError, TimedOut

from codemojex import bot_side, calls
from codemojex.calls import NO_CONNECTION, Calls
from codemojex.localtg import Fault, FaultKind, LocalTelegram

TOKEN = "7000000001:systemTestTokenOfNoBotInTheWorld00"


@pytest.fixture
async def telegram():
    async with LocalTelegram(TOKEN) as running:
        yield running


@contextlib.asynccontextmanager
async def bot_at(url: str, token: str = TOKEN, **how: float) -> AsyncIterator[Bot]:
    bot = Bot(token, base_url=f"{url}/bot", request=Calls(**how), get_updates_request=Calls())
    try:
        await bot.initialize()
        yield bot
    finally:
        await bot.shutdown()


async def test_texts_and_files_arrive(telegram):
    # given
    ada = telegram.person("Ada", known=True)

    # when
    async with bot_at(telegram.url) as bot:
        await bot.send_message(ada.id, "<b>🍎 & +%20</b>", parse_mode="HTML")
        await bot.send_document(ada.id, b"{}", filename="ada.json", caption="all of it")

    # then
    text, file = ada.messages
    assert (text.text, text.entities[0]["type"]) == ("🍎 & +%20", "bold")
    assert file.text == "all of it"
    assert (telegram.document(file).name, telegram.document(file).content) == ("ada.json", b"{}")


async def test_what_telegram_says_is_raised_as_the_library_does(telegram):
    async with bot_at(telegram.url) as bot:
        with pytest.raises(BadRequest, match="Chat not found"):
            await bot.send_message(1, "hello")
    with pytest.raises(InvalidToken):
        async with bot_at(telegram.url, "7000000002:anotherTokenOfNoBotInTheWorld0000"):
            pass


async def test_a_connection_that_is_cut_is_no_reason_to_send_again(telegram):
    # given: the message is taken, and the connection is closed without an answer
    ada = telegram.person("Ada", known=True)
    async with bot_at(telegram.url) as bot:
        await bot.send_message(ada.id, "first")
        telegram.faults.add(Fault(FaultKind.LOSE, method="sendMessage"))

        # when
        with pytest.raises(NetworkError) as cut:
            await bot.send_message(ada.id, "second")

    # then
    assert not isinstance(cut.value.__cause__, NO_CONNECTION)
    assert [message.text for message in ada.messages] == ["first", "second"]


async def test_an_answer_that_does_not_come_is_a_timeout(telegram):
    telegram.faults.add(Fault(FaultKind.HANG, method="getMe"))
    with pytest.raises(TimedOut) as late:
        async with bot_at(telegram.url, read_s=0.2):
            pass
    assert not isinstance(late.value.__cause__, NO_CONNECTION)


async def test_a_server_that_cannot_be_reached_proves_that_nothing_was_sent_and_the_token_stays_secret():
    # given: a port where nobody listens
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()

    # when
    with pytest.raises(NetworkError) as refused:
        async with bot_at(f"http://127.0.0.1:{port}"):
            pass

    # then
    assert isinstance(refused.value.__cause__, NO_CONNECTION)
    assert TOKEN not in f"{refused.value} {refused.value.__cause__}"
    assert calls.trouble(refused.value) == f"NetworkError: Connection refused at 127.0.0.1:{port}"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (NetworkError("Bad Gateway"), "NetworkError: Bad Gateway"),
        (InvalidToken(f"The token `{TOKEN}` was rejected by the server."), "InvalidToken"),
        (TimeoutError(), "TimeoutError"),
        (BadRequest("x" * 999), f"BadRequest: {'x' * 200}"),
    ],
)
def test_a_log_line_tells_the_kind_and_the_cause_of_a_failure_and_no_token(error, told):
    assert calls.trouble(error) == told


async def test_a_host_nobody_knows_and_a_line_that_is_not_secured_are_told_apart(telegram):
    told = []
    for url in ("http://no.such.host.invalid", telegram.url.replace("http:", "https:")):
        with pytest.raises(NetworkError) as failed:
            async with bot_at(url):
                pass
        told.append(str(failed.value))
    assert told[0].endswith("at no.such.host.invalid")
    assert told[1].startswith("TLS: ")
    assert TOKEN not in "".join(told)


async def test_a_server_that_stays_away_at_the_start_is_told_of_ever_more_rarely(monkeypatch):
    # given: a bot that is let in at the twentieth try
    tries = []

    class Away:
        async def initialize(self):
            tries.append(1)
            if len(tries) < 20:
                raise NetworkError("Connection refused at 127.0.0.1:1")

    monkeypatch.setattr(bot_side, "_FIRST_WAIT_S", 0.0)
    monkeypatch.setattr(bot_side, "_LONGEST_WAIT_S", 0.0)

    # when
    with structlog.testing.capture_logs() as lines:
        await bot_side._introduced(Away())

    # then
    assert [line["tries"] for line in lines if "cannot be reached" in line["event"]] == [1, 2, 4, 8, 16]
    assert lines[0]["error"] == "NetworkError: Connection refused at 127.0.0.1:1"
    assert lines[-1]["event"] == "Telegram answers"


def test_the_proxy_of_the_environment_is_used_but_not_for_this_machine(monkeypatch):
    # given
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    calls._proxy.cache_clear()

    # then
    assert calls._proxy("https:", "", "api.telegram.org") == "http://proxy.example:3128"
    assert calls._proxy("https:", "", "127.0.0.1") is None
    calls._proxy.cache_clear()
