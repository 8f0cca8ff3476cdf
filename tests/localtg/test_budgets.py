"""Telegram's budgets, kept on demand: 1 a second in a private chat, 20 a minute in a group, 30 a second in all."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta

import pytest
import telegram
from hypothesis import given
from hypothesis import strategies as st
from telegram.error import RetryAfter

from codemojex.localtg import LocalTelegram, Options
from codemojex.localtg.budgets import Budgets
from codemojex.localtg.errors import Refusal
from tests.localtg.conftest import client


@dataclass
class Clock:
    at: float = 1_000.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def tg(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LocalTelegram]:
    monkeypatch.setenv("PTB_TIMEDELTA", "1")  # the stock client warns about its old type otherwise
    async with LocalTelegram(options=Options(budgets=True, clock=clock)) as strict:
        yield strict


@pytest.fixture
async def bot(tg: LocalTelegram) -> AsyncIterator[telegram.Bot]:
    async with client(tg) as connected:
        yield connected


async def test_beyond_the_budget_of_a_private_chat_it_answers_429_and_others_go_on(
    tg: LocalTelegram, bot: telegram.Bot, clock: Clock
) -> None:
    # given
    ada, bo = tg.person("Ada", known=True), tg.person("Bo", known=True)
    for number in range(3):
        await bot.send_message(ada.id, f"{number}")

    # when / then
    with pytest.raises(RetryAfter) as caught:
        await bot.send_message(ada.id, "too fast")
    assert caught.value.retry_after == timedelta(seconds=1)
    await bot.send_message(bo.id, "another chat goes on")
    clock.at += 1
    await bot.send_message(ada.id, "in time")
    assert [event.text for event in ada.inbox] == ["0", "1", "2", "in time"]


async def test_a_group_takes_20_a_minute_edits_and_files_included(
    tg: LocalTelegram, bot: telegram.Bot, clock: Clock
) -> None:
    # given
    fruit = tg.group("Fruit", known=True)
    board = await bot.send_message(fruit.id, "0")
    for number in range(1, 19):
        clock.at += 1
        await board.edit_text(f"{number}")
    await bot.send_document(fruit.id, b"x", filename="a.txt")

    # when
    with pytest.raises(RetryAfter) as caught:
        await board.edit_text("20")

    # then
    assert caught.value.retry_after == timedelta(seconds=42)
    clock.at += 42
    await board.edit_text("20")
    with pytest.raises(RetryAfter):
        await board.edit_text("22")


async def test_answers_to_buttons_and_reactions_cost_nothing(tg: LocalTelegram, bot: telegram.Bot) -> None:
    ada = tg.person("Ada")
    said = await ada.send("x")
    for _ in range(10):
        await bot.set_message_reaction(ada.id, said.message_id, "🔥")
    assert [request.status for request in tg.requests[1:]] == [200] * 10


def test_thirty_a_second_in_all_are_taken(clock: Clock) -> None:
    # given
    budgets = Budgets(clock)

    # when
    taken = [_taken(budgets, chat_id) for chat_id in range(1, 61)]
    clock.at += 1
    later = [_taken(budgets, chat_id) for chat_id in range(101, 161)]

    # then
    assert sum(taken) == 30
    assert sum(later) in (30, 31)  # half a message of slack


def _taken(budgets: Budgets, chat_id: int) -> bool:
    return _wait_s(budgets, chat_id) == 0


def _wait_s(budgets: Budgets, chat_id: int) -> int:
    """What the refusal asks for; 0 when it was taken."""
    try:
        budgets.spend(chat_id)
    except Refusal as refusal:
        return int((refusal.parameters or {})["retry_after"])
    return 0


@given(st.lists(st.tuples(st.floats(0, 5), st.sampled_from([1, 2, -3])), max_size=150))
def test_no_window_ever_holds_more_than_its_budget(steps: list[tuple[float, int]]) -> None:
    # when
    clock = Clock()
    budgets = Budgets(clock)
    accepted: list[tuple[float, int]] = []
    for pause_s, chat_id in steps:
        clock.at += pause_s
        if _taken(budgets, chat_id):
            accepted.append((clock.at, chat_id))

    # then
    for at, chat_id in accepted:
        own = [moment for moment, chat in accepted if chat == chat_id and moment <= at]
        if chat_id < 0:
            assert sum(at - moment < 59 for moment in own) <= 20
        else:
            assert sum(at - moment <= 10 for moment in own) <= 3 + 10 + 1


@given(st.integers(1, 40), st.sampled_from([1, -3]))
def test_after_the_time_that_was_named_it_is_taken(number: int, chat_id: int) -> None:
    clock = Clock()
    budgets = Budgets(clock)
    for _ in range(number):
        wait_s = _wait_s(budgets, chat_id)
        if wait_s:
            clock.at += wait_s
            assert _taken(budgets, chat_id)
