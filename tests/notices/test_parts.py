"""The parts by themselves: whose turn it is, what merges, what gathers, what an error proves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import httpx
import pytest
from telegram.error import (
    BadRequest,
    Conflict,
    Forbidden,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from codemojex.notices.budgets import Budgets
from codemojex.notices.delivery import (
    Blocked,
    Outcome,
    Outgoing,
    Rejected,
    Sent,
    Unknown,
    Unsent,
    deliver,
)
from codemojex.notices.gathering import Gathering
from codemojex.notices.letters import compose
from codemojex.notices.outage import Outage
from codemojex.notices.rota import Rota, backoff_s
from codemojex.play.outbox import Notice
from codemojex.texts import Texts
from codemojex.texts.markup import Html
from tests.notices.desk import NOON, UNLIMITED

TEXTS = Texts()


# --- rota


def test_chats_have_their_turns_in_the_order_they_came() -> None:
    # given
    rota = Rota(UNLIMITED)
    rota.wake([3, 1, 2, 1])

    # when
    order = [rota.next(0.0) for _ in range(4)]

    # then
    assert order == [3, 1, 2, None]


def test_a_chat_has_one_turn_at_a_time_and_another_when_it_was_woken_meanwhile() -> None:
    # given
    rota = Rota(UNLIMITED)
    rota.wake([1])
    assert rota.next(0.0) == 1

    # when
    rota.wake([1])

    # then
    assert rota.next(0.0) is None
    rota.done(1, 0.0, spent=True, more=False)
    assert rota.next(0.0) == 1
    rota.done(1, 0.0, spent=True, more=False)
    assert rota.next(0.0) is None
    assert rota.waiting() == 0


def test_a_chat_with_more_to_say_goes_behind_those_that_wait() -> None:
    # given
    rota = Rota(UNLIMITED)
    rota.wake([1, 2])
    assert rota.next(0.0) == 1

    # when
    rota.done(1, 0.0, spent=True, more=True)

    # then
    assert [rota.next(0.0), rota.next(0.0)] == [2, 1]


def test_a_held_chat_comes_back_by_itself_when_its_time_has_come() -> None:
    # given
    rota = Rota(UNLIMITED)
    rota.wake([1, 2])
    rota.hold(1, 30.0)

    # when / then
    assert [rota.next(0.0), rota.next(0.0)] == [2, None]
    rota.wake([1])
    assert rota.next(29.9) is None
    assert rota.next_at() == 30.0
    assert rota.next(30.0) == 1


def test_a_turn_that_sent_nothing_is_given_back_to_the_budgets() -> None:
    # given
    rota = Rota(Budgets())
    for _ in range(20):
        rota.wake([1])
        assert rota.next(0.0) == 1

        # when
        rota.done(1, 0.0, spent=False, more=False)

    # then
    rota.wake([1])
    assert rota.next(0.0) == 1


def test_ids_beyond_the_bound_are_left_to_the_database() -> None:
    # given
    rota = Rota(UNLIMITED, bound=2)

    # when
    rota.wake(range(1, 100))

    # then
    assert rota.waiting() == 2
    assert rota.overflowed


def test_what_is_remembered_of_quiet_chats_is_forgotten() -> None:
    # given
    rota = Rota(UNLIMITED)

    # when
    for chat_id in range(1, 20_000):
        now = float(chat_id)
        rota.wake([chat_id])
        rota.next(now)
        rota.done(chat_id, now, spent=True, more=False)

    # then
    assert len(rota._chats) < 3_000


def test_waiting_grows_with_each_failure_to_a_minute() -> None:
    assert [backoff_s(n) for n in (0, 1, 2, 5, 6, 100)] == [1.0, 2.0, 4.0, 32.0, 60.0, 60.0]


def test_failures_of_one_round_count_as_one_outage() -> None:
    # given
    outage = Outage("Telegram")

    # when
    for _ in range(5):
        outage.failed(0.0, "ConnectError")

    # then
    assert outage.over_at == 1.0
    outage.failed(1.0, "ConnectError")
    assert outage.over_at == 3.0
    outage.answered()
    assert not outage.on


# --- letters


def notice(n: int, text: str = "hello", **changes: Any) -> Notice:
    data = {"text": text, **changes.pop("data", {})}
    return Notice(f"JOB{n:011d}", 7, changes.pop("thread_id", 0), "text", data, NOON, **changes)


def test_notices_of_different_topics_do_not_share_a_message() -> None:
    # when
    letter = compose([notice(1), notice(2, thread_id=5)], TEXTS)

    # then
    assert letter.message is not None
    assert letter.message.ids == (notice(1).id,)


def test_a_repeated_message_takes_nothing_new_along() -> None:
    # when
    letter = compose([notice(1, sends=1), notice(2, sends=1), notice(3)], TEXTS)

    # then
    assert letter.message is not None
    assert letter.message.ids == (notice(1).id, notice(2).id)
    assert letter.message.attempt == 2


def test_only_a_lone_notice_is_a_reply() -> None:
    # when
    alone = compose([notice(1, reply_to=9)], TEXTS).message
    merged = compose([notice(1, reply_to=9), notice(2, reply_to=10)], TEXTS).message

    # then
    assert alone is not None
    assert merged is not None
    assert (alone.reply_to, merged.reply_to) == (9, None)


def test_a_notice_longer_than_a_message_may_be_goes_alone() -> None:
    # when
    letter = compose([notice(1, "x" * 4_000), notice(2)], TEXTS)

    # then
    assert letter.message is not None
    assert letter.message.ids == (notice(1).id,)


def test_nothing_makes_no_message() -> None:
    assert compose([], TEXTS).message is None


# --- gathering


async def test_a_lone_call_is_served_at_once_and_those_during_it_together() -> None:
    # given
    batches: list[list[int]] = []
    free = asyncio.Event()

    async def serve(items: Sequence[int]) -> list[int]:
        batches.append(list(items))
        if len(batches) == 1:
            await free.wait()
        return [item * 10 for item in items]

    gathering = Gathering(serve, most=3)

    # when
    first = asyncio.create_task(gathering.ask(1))
    await asyncio.sleep(0)
    others = [asyncio.create_task(gathering.ask(n)) for n in range(2, 7)]
    await asyncio.sleep(0)
    free.set()

    # then
    assert await asyncio.gather(first, *others) == [10, 20, 30, 40, 50, 60]
    assert batches == [[1], [2, 3, 4], [5, 6]]


async def test_a_batch_that_fails_fails_each_of_its_calls_and_not_the_next() -> None:
    # given
    fail = True

    async def serve(items: Sequence[int]) -> Sequence[int]:
        if fail:
            raise ValueError("no")
        return items

    gathering = Gathering(serve, most=10)

    # when
    failed = await asyncio.gather(gathering.ask(1), gathering.ask(2), return_exceptions=True)
    fail = False

    # then
    assert [type(error) for error in failed] == [ValueError, ValueError]
    assert await gathering.ask(3) == 3


async def test_a_call_that_is_given_up_is_not_served() -> None:
    # given
    served: list[int] = []

    async def serve(items: Sequence[int]) -> Sequence[int]:
        served.extend(items)
        await asyncio.sleep(0)
        return items

    gathering = Gathering(serve, most=1)
    asks = [asyncio.create_task(gathering.ask(n)) for n in range(3)]
    await asyncio.sleep(0)

    # when
    asks[1].cancel()

    # then
    await asyncio.gather(*asks, return_exceptions=True)
    assert served == [0, 2]


# --- what an error proves


class FakeBot:
    """Raises what a test wants; what python-telegram-bot raises for what was measured there."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def send_message(self, *_: object, **__: object) -> None:
        raise self._error


def caused(error: TelegramError, cause: Exception) -> TelegramError:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (caused(TimedOut(), httpx.ConnectTimeout("")), Unsent),
        (caused(TimedOut("Pool timeout"), httpx.PoolTimeout("")), Unsent),
        (caused(TimedOut(), httpx.ReadTimeout("")), Unknown),
        (caused(TimedOut(), httpx.WriteTimeout("")), Unknown),
        (TimedOut(), Unknown),
        (caused(NetworkError("httpx.ConnectError"), httpx.ConnectError("")), Unsent),
        (caused(NetworkError("httpx.ReadError"), httpx.ReadError("")), Unknown),
        (caused(NetworkError("httpx.RemoteProtocolError"), httpx.RemoteProtocolError("")), Unknown),
        (caused(NetworkError("httpx.WriteError"), httpx.WriteError("")), Unknown),
        (caused(NetworkError("Unknown error in HTTP implementation"), RuntimeError()), Unknown),
        (NetworkError("Internal Server Error"), Unsent),
        (caused(NetworkError("Bad Gateway. Parsing failed"), TelegramError("Invalid")), Unsent),
        (Conflict("Conflict"), Unsent),
        (RetryAfter(timedelta(seconds=5)), Unsent),
        (Forbidden("Forbidden: bot was blocked by the user"), Blocked),
        (BadRequest("Chat not found"), Rejected),
        (BadRequest("Message is not modified"), Sent),
        (TelegramError("Invalid server response"), Unknown),
    ],
    ids=lambda value: f"{value!r}:{getattr(value, '__cause__', None)!r}"[:60],
)
async def test_only_what_proves_that_nothing_was_sent_counts_as_unsent(
    error: TelegramError, kind: type[Outcome]
) -> None:
    # given
    message = Outgoing(1, 0, ("JOB00000000001",), 1, Html("hello"))

    # when
    outcome = await deliver(FakeBot(error), message, 1.0)  # type: ignore[arg-type]

    # then
    assert type(outcome) is kind
    if isinstance(error, RetryAfter):
        assert outcome == Unsent(5.0, unreachable=False, reason="flood wait")
