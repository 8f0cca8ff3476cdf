"""Polling: a batch is confirmed after it is committed, one process polls, trouble is waited out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from structlog.testing import capture_logs
from telegram.error import InvalidToken

from codemojex.bot import poller as polling
from codemojex.bot.marks import RawUpdate
from codemojex.bot.poller import Poller
from codemojex.bot.source import UpdateSource
from codemojex.localtg import LocalTelegram
from codemojex.store.errors import StoreDown
from tests.system.deployment import until


class Book:
    """An intake that writes down what it was given, and fails when told to."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.outages = 0

    async def take(self, batch: Sequence[RawUpdate]) -> int:
        if self.outages:
            self.outages -= 1
            raise StoreDown("away")
        self.batches.append([raw["update_id"] for raw in batch])
        return max(self.batches[-1]) + 1

    @property
    def taken(self) -> list[int]:
        return [update_id for batch in self.batches for update_id in batch]


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "_FIRST_WAIT_S": 0.02,
        "_IN_OFFICE_S": 0.8,
        "_INSIST_S": 0.05,
        "_STANDBY_S": (1.0, 1.4),
    }.items():
        monkeypatch.setattr(polling, name, value)


@pytest.fixture
async def telegram() -> AsyncIterator[LocalTelegram]:
    async with LocalTelegram() as running:
        yield running


@asynccontextmanager
async def polled(telegram: LocalTelegram, book: Book, token: str | None = None) -> AsyncIterator[Poller]:
    source = UpdateSource(telegram.url, token or telegram.token, poll_s=1)
    await source.open()
    poller = Poller(source, book)  # type: ignore[arg-type]
    task = asyncio.create_task(poller.run())
    try:
        yield poller
    finally:
        poller.stop()
        await asyncio.gather(task, return_exceptions=True)
        await source.close()


async def _taken(book: Book, count: int) -> bool:
    return len(book.taken) >= count


async def test_updates_arrive_in_order_and_are_confirmed_once_they_are_committed(telegram):
    # given
    ada, book = telegram.person("Ada"), Book()
    for n in range(250):
        await ada.send(f"message {n}")

    # when
    async with polled(telegram, book):
        await until(lambda: _taken(book, 250), "every update is taken")

    # then
    assert book.taken == sorted(book.taken)
    assert len(set(book.taken)) == 250
    assert telegram.pending() == []


async def test_a_batch_that_could_not_be_committed_is_confirmed_to_nobody_and_tried_again(telegram):
    # given
    ada, book = telegram.person("Ada"), Book()
    book.outages = 3
    await ada.send("hello")

    # when
    with capture_logs() as said:
        async with polled(telegram, book):
            await until(lambda: _true(book.outages < 3), "the first try has failed")
            assert len(telegram.pending()) == 1
            await until(lambda: _taken(book, 1), "the update is taken after all")

    # then
    assert len(book.taken) == 1
    assert any("updates wait at Telegram" in line["event"] for line in said)


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 500, "times": 2},
        {"status": 502, "times": 2},
        {"status": 429, "retry_after": 1},
        {"status": 400, "description": "Bad Request: strange"},
    ],
    ids=str,
)
async def test_trouble_at_telegram_is_waited_out(telegram, fault):
    # given
    ada, book = telegram.person("Ada"), Book()
    telegram.fail_next("getUpdates", **fault)
    await ada.send("hello")

    # when
    async with polled(telegram, book):
        # then
        await until(lambda: _taken(book, 1), "the update is taken after all")


async def test_an_answer_that_was_lost_comes_again(telegram):
    # given
    ada, book = telegram.person("Ada"), Book()
    telegram.lose_answer("getUpdates")
    await ada.send("hello")

    # when
    async with polled(telegram, book):
        # then
        await until(lambda: _taken(book, 1), "the update is taken after all")


async def test_a_bot_to_which_nobody_writes_knows_at_once_that_it_polls(telegram):
    # given: polls that last for longer than this test
    source = UpdateSource(telegram.url, telegram.token, poll_s=100)
    await source.open()
    poller = Poller(source, Book())  # type: ignore[arg-type]

    # when
    task = asyncio.create_task(poller.run())

    # then
    await until(lambda: _true(poller.last_good_at is not None), "the first poll is answered")
    poller.stop()
    await task
    await source.close()


async def test_a_poll_that_fails_says_why_until_one_is_answered(telegram):
    # given
    telegram.fail_next("getUpdates", status=502, times=3)

    # when, then
    async with polled(telegram, Book()) as poller:
        await until(lambda: _true(poller.trouble == "NetworkError"), "the trouble is told")
        await until(lambda: _true(poller.trouble == ""), "the trouble is over")
        assert poller.last_good_at is not None


async def test_a_token_that_is_refused_ends_the_polling(telegram):
    # given
    source = UpdateSource(telegram.url, "7000000009:wrong", poll_s=1)
    await source.open()

    # then
    with pytest.raises(InvalidToken):
        await Poller(source, Book()).run()  # type: ignore[arg-type]
    await source.close()


async def test_of_two_one_polls_and_the_other_stands_by_until_it_leaves(telegram, monkeypatch):
    # given: two that began at once, and time for the one in office to insist
    monkeypatch.setattr(polling, "_IN_OFFICE_S", 2.0)
    monkeypatch.setattr(polling, "_STANDBY_S", (2.2, 2.8))
    ada, first, second = telegram.person("Ada"), Book(), Book()
    async with polled(telegram, first) as one, polled(telegram, second) as other:
        await until(lambda: _true(one.standby != other.standby), "one of them stands by")
        office, waits = (one, other) if other.standby else (other, one)
        await asyncio.sleep(polling._IN_OFFICE_S)

        # when: the one that waits asks now and then
        with capture_logs() as said:
            await asyncio.sleep(6)
            await ada.send("hello")
            await until(lambda: _true(len(first.taken + second.taken) >= 1), "somebody takes the update")

            # then: it stays so, and nobody talks about it
            assert (office.standby, waits.standby) == (False, True)
            assert said == []

            # and when: the one in office leaves
            office.stop()
            await until(lambda: _true(not waits.standby), "the one that waited takes over")
            await ada.send("hello again")
            await until(lambda: _true(len(set(first.taken + second.taken)) >= 2), "it takes the update")
        assert [line["event"] for line in said] == ["the other process has left; polling now"]


async def _true(value: bool) -> bool:
    return value
