"""Answers to taps: several at once, each once or not at all, and never in the way of anything."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from codemojex.localtg import LocalTelegram, Person
from codemojex.localtg.model import EventKind
from codemojex.notices.answers import Answers
from codemojex.play.keys import CallbackAnswer
from tests.notices.desk import make_bot, until

GO = {"inline_keyboard": [[{"text": "Go", "callback_data": "go"}]]}


@pytest.fixture
async def telegram() -> AsyncIterator[LocalTelegram]:
    async with LocalTelegram() as tg:
        yield tg


@contextlib.asynccontextmanager
async def answering(tg: LocalTelegram, **options: float) -> AsyncIterator[Answers]:
    """Answers at work."""
    async with make_bot(tg) as bot:
        answers = Answers(bot, **options)  # type: ignore[arg-type]
        run = asyncio.create_task(answers.run())
        try:
            yield answers
        finally:
            answers.stop()
            await run


async def buttons(tg: LocalTelegram, person: Person) -> int:
    """A message with a button in somebody's chat; its id."""
    async with make_bot(tg) as bot:
        sent = await bot.send_message(person.id, "Press!", api_kwargs={"reply_markup": GO})
    return sent.message_id


async def test_a_tap_is_answered_with_a_toast_or_an_alert(telegram: LocalTelegram) -> None:
    # given
    ada = telegram.person("Ada", known=True)
    message = await buttons(telegram, ada)
    taps = [await ada.press(message, "Go") for _ in range(3)]

    async with answering(telegram) as answers:
        # when
        answers.answer(
            [CallbackAnswer(taps[0], "🍎⬜⬜⬜⬜⬜"), CallbackAnswer(taps[1], "Too late!", alert=True)]
        )
        answers.answer([CallbackAnswer(taps[2])])
        await until(lambda: answers.sent == 3)

    # then
    heard = [event for event in ada.inbox if event.kind is EventKind.ANSWER]
    assert sorted((event.text, event.flag) for event in heard) == [
        ("", False),
        ("Too late!", True),
        ("🍎⬜⬜⬜⬜⬜", False),
    ]


async def test_a_tap_that_is_too_old_costs_nobody_anything(telegram: LocalTelegram) -> None:
    # given
    ada = telegram.person("Ada", known=True)
    message = await buttons(telegram, ada)
    old, new = await ada.press(message, "Go", expired=True), await ada.press(message, "Go")

    async with answering(telegram) as answers:
        # when
        answers.answer([CallbackAnswer(old, "old"), CallbackAnswer(new, "new")])

        # then
        await until(lambda: (answers.sent, answers.failed) == (1, 1))


async def test_a_slow_answer_holds_up_no_other(telegram: LocalTelegram) -> None:
    # given
    ada = telegram.person("Ada", known=True)
    message = await buttons(telegram, ada)
    taps = [await ada.press(message, "Go") for _ in range(3)]
    telegram.hang("answerCallbackQuery")

    async with answering(telegram, limit_s=3) as answers:
        # when
        answers.answer(CallbackAnswer(tap) for tap in taps)

        # then
        await until(lambda: answers.sent == 2)
        await until(lambda: answers.failed == 1)


async def test_while_telegram_hangs_the_oldest_answers_give_way(telegram: LocalTelegram) -> None:
    # given
    ada = telegram.person("Ada", known=True)
    message = await buttons(telegram, ada)
    taps = [await ada.press(message, "Go") for _ in range(6)]
    hanging = telegram.hang("answerCallbackQuery")

    with capture_logs() as logs:
        async with answering(telegram, bound=2, parallel=1) as answers:
            answers.answer([CallbackAnswer(taps[0], "hangs")])
            await until(lambda: hanging.hits == 1)

            # when
            answers.answer(CallbackAnswer(tap, f"tap {n}") for n, tap in enumerate(taps[1:], 1))

            # then
            assert answers.dropped == 3
            telegram.release()
            await until(lambda: answers.sent == 2)
    assert [event.text for event in ada.inbox if event.kind is EventKind.ANSWER] == ["tap 4", "tap 5"]
    assert [line["answers"] for line in logs if "unanswered" in line["event"] and "answers" in line] == [3]


async def test_stopping_lets_an_answer_on_its_way_arrive(telegram: LocalTelegram) -> None:
    # given
    ada = telegram.person("Ada", known=True)
    message = await buttons(telegram, ada)
    tap = await ada.press(message, "Go")
    slow = telegram.delay(0.2, "answerCallbackQuery")

    # when
    async with answering(telegram) as answers:
        answers.answer([CallbackAnswer(tap, "yes")])
        await until(lambda: slow.hits == 1)

    # then
    assert [event.text for event in ada.inbox if event.kind is EventKind.ANSWER] == ["yes"]


async def test_stopping_ends_in_time_though_telegram_hangs(telegram: LocalTelegram) -> None:
    # given
    ada = telegram.person("Ada", known=True)
    tap = await ada.press(await buttons(telegram, ada), "Go")
    hanging = telegram.hang("answerCallbackQuery")

    # when
    async with asyncio.timeout(30):
        async with answering(telegram, limit_s=0.2) as answers:
            answers.answer([CallbackAnswer(tap, "never")])
            await until(lambda: hanging.hits == 1)

    # then
    assert answers.sent == 0
