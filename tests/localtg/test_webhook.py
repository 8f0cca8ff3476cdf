"""The webhook: carried until taken, in order within a chat, with the secret, and only what was asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
import telegram
from telegram.error import BadRequest, Conflict

from codemojex.localtg import LocalTelegram, Options, Patience, Person
from tests.localtg.conftest import Call
from tests.localtg.endpoint import Endpoint


@pytest.fixture
async def tg(request: pytest.FixtureRequest) -> AsyncIterator[LocalTelegram]:
    """One that waits for an answer as long as Telegram does, or for as many seconds as the test says."""
    patience = Patience(pause_s=0.02, longest_pause_s=0.05, timeout_s=getattr(request, "param", 60.0))
    async with LocalTelegram(options=Options(patience=patience)) as local:
        yield local


async def until(test: Any) -> None:
    async with asyncio.timeout(60):
        while not test():
            await asyncio.sleep(0.005)


async def test_updates_that_waited_and_new_ones_are_carried_with_the_secret(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot, endpoint: Endpoint
) -> None:
    # given
    await ada.send("before")

    # when
    assert await bot.set_webhook(endpoint.url, secret_token="s3cret_-A")
    await ada.send("after")

    # then
    assert await endpoint.got(2) == ["before", "after"]
    assert endpoint.secrets == ["s3cret_-A", "s3cret_-A"]
    await until(lambda: tg.pending() == [])
    assert [delivery.taken for delivery in tg.deliveries] == [True, True]


async def test_without_a_secret_there_is_no_header(
    ada: Person, bot: telegram.Bot, endpoint: Endpoint
) -> None:
    await bot.set_webhook(endpoint.url)
    await ada.send("x")
    await endpoint.got(1)
    assert endpoint.secrets == [None]


async def test_what_was_not_taken_comes_again_and_holds_its_chat_only(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot, endpoint: Endpoint
) -> None:
    # given
    bo = tg.person("Bo")
    endpoint.refusals["one"] = [500, 302, 404]
    await bot.set_webhook(endpoint.url)

    # when
    await ada.send("one")
    await ada.send("two")
    await bo.send("other chat")

    # then
    assert await endpoint.got(3) == ["other chat", "one", "two"]
    first = [delivery for delivery in tg.deliveries if delivery.update_id == 1]
    assert [delivery.status for delivery in first] == [500, 302, 404, 200]
    pauses = [(later.at - sooner.at).total_seconds() for sooner, later in pairwise(first)]
    assert all(pause >= least for pause, least in zip(pauses, (0.02, 0.04, 0.05), strict=True))
    info = await bot.get_webhook_info()
    assert info.last_error_message == "Wrong response from the webhook: 404 Not Found"
    assert info.last_error_date is not None


@pytest.mark.parametrize("tg", [0.3], indirect=True)
async def test_an_answer_that_takes_too_long_is_none(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot, endpoint: Endpoint
) -> None:
    # given
    endpoint.gate = asyncio.Event()
    await bot.set_webhook(endpoint.url)

    # when
    await ada.send("slow")
    await until(lambda: tg.deliveries)
    endpoint.gate.set()
    await endpoint.got(1)

    # then
    assert (tg.deliveries[0].status, tg.deliveries[0].wrong) == (0, "Read timeout expired")
    await until(lambda: tg.pending() == [])


async def test_an_endpoint_that_is_away_gets_everything_when_it_comes(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot, endpoint: Endpoint
) -> None:
    # given
    await ada.send("one")
    for nowhere, why in (
        ("http://127.0.0.1:9/nobody", "Connection refused"),
        ("http://nobody.invalid/", "Failed to resolve host: Name or service not known"),
    ):
        tries = len(tg.deliveries)
        await bot.set_webhook(nowhere)
        await until(lambda before=tries: len(tg.deliveries) > before)
        assert (await bot.get_webhook_info()).last_error_message == why
    assert (await bot.get_webhook_info()).pending_update_count == 1

    # when
    await bot.set_webhook(endpoint.url)

    # then
    assert await endpoint.got(1) == ["one"]
    assert (await bot.get_webhook_info()).last_error_message is None


async def test_at_most_max_connections_are_open(
    tg: LocalTelegram, bot: telegram.Bot, endpoint: Endpoint
) -> None:
    # given
    endpoint.gate = asyncio.Event()
    await bot.set_webhook(endpoint.url, max_connections=2)

    # when
    for number in range(6):
        await tg.person(f"P{number}").send("x")
    await until(lambda: endpoint.inside == 2)
    endpoint.gate.set()
    await endpoint.got(6)

    # then
    assert endpoint.most_inside == 2
    assert (await bot.get_webhook_info()).max_connections == 2


async def test_only_allowed_kinds_are_carried(ada: Person, bot: telegram.Bot, endpoint: Endpoint) -> None:
    # given
    await bot.set_webhook(endpoint.url, allowed_updates=["message"])

    # when
    said = await ada.send("one")
    await ada.edit(said, "edited")
    await ada.send("two")

    # then
    assert await endpoint.got(2) == ["one", "two"]
    assert len(endpoint.taken) == 2


async def test_a_webhook_and_getupdates_exclude_each_other(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot, endpoint: Endpoint
) -> None:
    # given
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await until(lambda: tg.polling)

    # when
    await bot.set_webhook(endpoint.url)

    # then
    with pytest.raises(Conflict, match="terminated by setWebhook request"):
        await poll
    with pytest.raises(Conflict, match="can't use getUpdates method while webhook is active"):
        await bot.get_updates(timeout=0)


async def test_without_the_webhook_what_was_not_taken_waits_for_getupdates(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot, endpoint: Endpoint
) -> None:
    # given
    endpoint.refusals["one"] = [500] * 100
    await bot.set_webhook(endpoint.url)
    await ada.send("one")
    await until(lambda: tg.deliveries)

    # when
    await bot.delete_webhook()

    # then
    (update,) = await bot.get_updates(timeout=0)
    assert update.message is not None
    assert update.message.text == "one"
    info = await bot.get_webhook_info()
    assert (info.url, info.last_error_message) == ("", None)


async def test_pending_updates_are_dropped_as_a_webhook_is_set(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot, endpoint: Endpoint
) -> None:
    # given
    await ada.send("old")

    # when
    await bot.set_webhook(endpoint.url, drop_pending_updates=True)
    await ada.send("new")

    # then
    assert await endpoint.got(1) == ["new"]


async def test_the_webhook_outlives_a_restart_of_the_server(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot, endpoint: Endpoint
) -> None:
    # given
    await bot.set_webhook(endpoint.url)
    await tg.stop()
    await ada.send("while away")
    await asyncio.sleep(0.05)
    assert endpoint.taken == []

    # when
    await tg.start()

    # then
    assert await endpoint.got(1) == ["while away"]


async def test_an_update_without_a_chat_is_carried_too(
    tg: LocalTelegram, bot: telegram.Bot, endpoint: Endpoint
) -> None:
    await bot.set_webhook(endpoint.url)
    tg.inject({"brand_new": {"x": 1}}, {"brand_new": 2})
    await endpoint.got(2)
    assert [set(update) for update in endpoint.taken] == [{"update_id", "brand_new"}] * 2


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"url": "ftp://x.org/"}, "invalid webhook URL"),
        ({"url": "http://"}, "invalid webhook URL"),
        ({"url": "http://x.org/", "secret_token": "no spaces"}, "unallowed characters"),
        ({"url": "http://x.org/", "secret_token": "x" * 257}, "unallowed characters"),
        ({"url": "http://x.org/", "max_connections": "0"}, "between 1 and 100"),
        ({"url": "http://x.org/", "certificate": "x"}, 'knows no parameter "certificate"'),
    ],
)
async def test_a_bad_webhook_is_refused(call: Call, params: dict[str, str], why: str) -> None:
    status, body = await call("setWebhook", **params)
    assert status == 400
    assert why in body["description"]


async def test_an_empty_url_removes_the_webhook(bot: telegram.Bot, endpoint: Endpoint) -> None:
    await bot.set_webhook(endpoint.url)
    await bot.set_webhook("")
    assert (await bot.get_webhook_info()).url == ""
    with pytest.raises(BadRequest):
        await bot.set_webhook("nonsense")
