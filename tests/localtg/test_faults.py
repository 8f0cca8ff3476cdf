"""Trouble on demand: what the stock client makes of it, and what was done all the same."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
import telegram
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TimedOut,
)

from codemojex.localtg import LocalTelegram, Person


@pytest.fixture(autouse=True)
async def chat(ada: Person, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("PTB_TIMEDELTA", "1")
    await ada.send("/start")
    return ada.id


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, BadRequest),
        (401, InvalidToken),
        (403, Forbidden),
        (409, Conflict),
        (429, RetryAfter),
        (500, NetworkError),
        (502, NetworkError),
    ],
)
async def test_the_next_requests_fail_and_then_no_more(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot, status: int, error: type[Exception]
) -> None:
    # given
    tg.fail_next("sendMessage", status=status, times=2)

    # when
    for _ in range(2):
        with pytest.raises(error):
            await bot.send_message(ada.id, "x")
    await bot.send_message(ada.id, "healed")

    # then
    assert [event.text for event in ada.inbox] == ["healed"]
    assert [request.status for request in tg.requests[1:]] == [status, status, 200]


async def test_a_flood_wait_names_its_seconds_and_holds_one_chat_only(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    bo = tg.person("Bo", known=True)
    tg.fail_next(chat_id=ada.id, status=429, retry_after=7)

    # when
    await bot.send_message(bo.id, "hello")
    with pytest.raises(RetryAfter) as caught:
        await bot.send_message(ada.id, "hello")

    # then
    assert caught.value.retry_after == timedelta(seconds=7)
    assert (len(bo.inbox), len(ada.inbox)) == (1, 0)


async def test_a_migrated_chat_names_its_successor(tg: LocalTelegram, ada: Person, bot: telegram.Bot) -> None:
    tg.fail_next("sendMessage", migrate_to_chat_id=-1009000000002)
    with pytest.raises(ChatMigrated) as caught:
        await bot.send_message(ada.id, "x")
    assert caught.value.new_chat_id == -1009000000002


async def test_a_lost_answer_leaves_the_message_sent(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    tg.lose_answer("sendMessage")

    # when
    with pytest.raises(NetworkError):
        await bot.send_message(ada.id, "did it arrive?")

    # then
    assert [event.text for event in ada.inbox] == ["did it arrive?"]
    lost = tg.requests[-1]
    assert (lost.status, lost.fault) == (0, "lose")
    assert lost.reply is not None


async def test_a_dropped_request_leaves_nothing(tg: LocalTelegram, ada: Person, bot: telegram.Bot) -> None:
    tg.drop_next("sendMessage")
    with pytest.raises(NetworkError):
        await bot.send_message(ada.id, "x")
    assert ada.inbox == []


async def test_a_lost_batch_of_updates_comes_again(tg: LocalTelegram, ada: Person, bot: telegram.Bot) -> None:
    tg.lose_answer("getUpdates")
    with pytest.raises(NetworkError):
        await bot.get_updates(timeout=0)
    assert len(await bot.get_updates(timeout=0)) == 1


async def test_a_hanging_poll_hangs_until_it_is_released(tg: LocalTelegram, bot: telegram.Bot) -> None:
    # given
    fault = tg.hang("getUpdates", times=2)

    # when
    with pytest.raises(TimedOut):
        await bot.get_updates(timeout=0, read_timeout=0.2)
    hanging = asyncio.create_task(bot.get_updates(timeout=0))
    while fault.hits < 2:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    assert not hanging.done()
    tg.release()

    # then
    with pytest.raises(NetworkError):
        await asyncio.wait_for(hanging, 60)
    assert len(await bot.get_updates(timeout=0)) == 1


async def test_a_delayed_request_is_done_after_its_delay(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    tg.delay(0.2, "sendMessage")
    started = asyncio.get_running_loop().time()
    await bot.send_message(ada.id, "late")
    assert asyncio.get_running_loop().time() - started >= 0.2


async def test_stopping_does_not_wait_for_what_hangs(
    tg: LocalTelegram, ada: Person, bot: telegram.Bot
) -> None:
    # given
    faults = [tg.hang("sendMessage"), tg.delay(60, "getMe")]
    calls = [
        asyncio.create_task(call)
        for call in (bot.send_message(ada.id, "x"), bot.get_me(), bot.get_updates(offset=10, timeout=30))
    ]
    while not all(fault.hits for fault in faults):
        await asyncio.sleep(0.01)

    # when
    started = asyncio.get_running_loop().time()
    await tg.stop()

    # then
    assert asyncio.get_running_loop().time() - started < 20
    found = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(found[0], NetworkError)
    assert ada.inbox == []
