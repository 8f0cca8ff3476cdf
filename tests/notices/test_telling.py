"""Telling: what is committed reaches its chat, in order, merged, within the budgets, and once."""

from __future__ import annotations

import asyncio

from codemojex.notices.budgets import Budgets
from codemojex.notices.options import NotifierOptions
from codemojex.texts.markup import MAX_CODE_POINTS
from tests.notices.desk import OPTIONS, Desk, until
from tests.texts import makers


async def test_a_committed_notice_is_told_and_says_so_in_its_row(desk: Desk) -> None:
    # given
    ada = await desk.person()

    async with desk.running() as notifier:
        # when
        ref = await desk.tell(ada.id, "Hello, <b>Ada</b>!")
        notifier.wake([ada.id])
        heard = await ada.heard("Hello, Ada!")
        await desk.settled(ref)

        # then
        row = await desk.row(ref)
        assert heard.message is not None
        assert (row.sends, row.message_id, row.failure) == (1, heard.message.message_id, None)
        await until(lambda: notifier.waiting() == 0)


async def test_a_result_is_rendered_when_it_is_sent_and_answers_its_guess(desk: Desk) -> None:
    # given
    ada = await desk.person()
    guess = await ada.send("🍌🍎🍇🍓🍒🍍")
    ref = await desk.write(ada.id, "result", makers.result(), reply_to=guess.message_id)

    async with desk.running():
        # when
        await desk.settled(ref)

    # then
    [event] = ada.inbox
    assert event.message is not None
    assert "560/600 · 93 %" in event.text
    assert event.message.raw["reply_to_message"]["message_id"] == guess.message_id


async def test_what_waits_for_one_chat_goes_as_one_message_in_its_order(desk: Desk) -> None:
    # given
    ada = await desk.person()
    refs = await desk.tell_all([(ada.id, f"line {n}") for n in range(5)])

    async with desk.running():
        # when
        await desk.settled(*refs)

    # then
    assert desk.sent_to(ada.id) == ["line 0\n\nline 1\n\nline 2\n\nline 3\n\nline 4"]
    assert len({(await desk.row(ref)).message_id for ref in refs}) == 1


async def test_more_than_fits_goes_in_several_messages_and_keeps_its_order(desk: Desk) -> None:
    # given
    ada = await desk.person()
    refs = await desk.tell_all([(ada.id, f"{n}:" + "x" * 400) for n in range(120)])

    async with desk.running():
        # when
        await desk.settled(*refs)

    # then
    texts = desk.sent_to(ada.id)
    assert [part[: part.index(":")] for part in "\n\n".join(texts).split("\n\n")] == [
        str(n) for n in range(120)
    ]
    assert all(len(text) <= MAX_CODE_POINTS for text in texts)
    assert len(texts) == 15


async def test_a_notice_with_buttons_ends_its_message(desk: Desk) -> None:
    # given
    ada = await desk.person()
    markup = {"inline_keyboard": [[{"text": "Go", "callback_data": "go"}]]}
    refs = [
        await desk.tell(ada.id, "one"),
        await desk.tell(ada.id, "two", markup=markup),
        await desk.tell(ada.id, "three"),
    ]

    async with desk.running():
        # when
        await desk.settled(*refs)

    # then
    assert desk.sent_to(ada.id) == ["one\n\ntwo", "three"]
    [first, second] = [event.message for event in ada.inbox]
    assert first is not None
    assert second is not None
    assert first.keyboard[0][0]["text"] == "Go"
    assert second.keyboard == []


async def test_notices_nobody_woke_are_found_at_the_start_and_on_the_next_look(desk: Desk) -> None:
    # given
    ada, bo = await desk.person("Ada"), await desk.person("Bo")
    before = await desk.tell(ada.id, "before the start")

    async with desk.running():
        await desk.settled(before)

        # when
        after = await desk.tell(bo.id, "after the start")
        desk.clock.advance(OPTIONS.refill_s)

        # then
        await desk.settled(after)


async def test_more_chats_than_are_held_in_memory_are_all_told(desk: Desk) -> None:
    # given
    people = [await desk.person(f"P{n}") for n in range(12)]
    options = NotifierOptions(budgets=OPTIONS.budgets, held=3, parallel=2)

    async with desk.running(options) as notifier:
        # when
        refs = await desk.tell_all([(person.id, "hello") for person in people])
        notifier.wake([person.id for person in people])

        # then
        await desk.settled(*refs)
        assert notifier.waiting() <= 3
    assert all(desk.sent_to(person.id) == ["hello"] for person in people)


async def test_many_chats_share_their_transactions(desk: Desk) -> None:
    # given
    people = [await desk.person(f"P{n}") for n in range(40)]
    refs = await desk.tell_all([(person.id, "hello") for person in people])
    before = desk.store.transactions

    # when
    async with desk.running():
        await desk.settled(*refs)

    # then
    assert desk.store.transactions - before < 40


async def test_a_private_chat_is_written_to_three_times_at_once_and_then_once_a_second(desk: Desk) -> None:
    # given
    ada = await desk.person()
    options = NotifierOptions(budgets=Budgets(overall=OPTIONS.budgets.overall))
    markup = {"inline_keyboard": [[{"text": "Go", "callback_data": "go"}]]}  # keeps them apart
    refs = await desk.tell_all([(ada.id, f"line {n}") for n in range(5)], markup=markup)

    async with desk.running(options) as notifier:
        # when
        await desk.settled(*refs[:3])
        bo = await desk.person("Bo")
        sign = await desk.tell(bo.id, "a sign that everything possible was done")
        notifier.wake([bo.id])
        await desk.settled(sign)

        # then
        assert len(desk.sent_to(ada.id)) == 3
        for n in (3, 4):
            desk.clock.advance(1.0)
            await desk.settled(refs[n])
            assert len(desk.sent_to(ada.id)) == n + 1


async def test_all_chats_together_stay_within_the_overall_budget(desk: Desk) -> None:
    # given
    people = [await desk.person(f"P{n}") for n in range(10)]
    refs = await desk.tell_all([(person.id, "hello") for person in people])

    def told() -> int:
        return sum(len(desk.sent_to(person.id)) for person in people)

    async with desk.running(NotifierOptions()):
        # when
        await until(lambda: told() == 3)

        # then
        for n in range(4, 11):
            desk.clock.advance(1 / 27)
            await until(lambda n=n: told() == n)  # type: ignore[misc]
        await desk.settled(*refs)


async def test_a_storm_in_one_chat_delays_another_by_one_turn(desk: Desk) -> None:
    # given
    ada, bo = await desk.person("Ada"), await desk.person("Bo")
    markup = {"inline_keyboard": [[{"text": "Go", "callback_data": "go"}]]}
    storm = await desk.tell_all([(ada.id, f"line {n}") for n in range(20)], markup=markup)
    lone = await desk.tell(bo.id, "hello")

    # when
    async with desk.running(NotifierOptions(budgets=OPTIONS.budgets, parallel=1)):
        await desk.settled(lone, *storm)

    # then
    order = [request.chat_id for request in desk.tg.requests if request.method == "sendMessage"]
    assert order.index(bo.id) <= 1


async def test_stopping_lets_the_message_in_flight_arrive_and_keeps_the_rest(desk: Desk) -> None:
    # given
    ada = await desk.person()
    desk.tg.delay(0.2, "sendMessage")
    notifier = desk.notifier()
    first = await desk.tell(ada.id, "in flight")
    run = asyncio.create_task(notifier.run())
    await until(lambda: desk.waiting_in_flight(ada.id))
    second = await desk.tell(ada.id, "not yet")

    # when
    notifier.stop()
    await run

    # then
    assert desk.sent_to(ada.id) == ["in flight"]
    assert (await desk.row(first)).message_id is not None
    assert (await desk.row(second)).sends == 0


async def test_stopping_ends_within_the_grace_though_telegram_hangs(desk: Desk) -> None:
    # given
    ada = await desk.person()
    desk.tg.hang("sendMessage")
    notifier = desk.notifier(NotifierOptions(budgets=OPTIONS.budgets, grace_s=0.05))
    ref = await desk.tell(ada.id, "in flight")
    run = asyncio.create_task(notifier.run())
    await until(lambda: desk.waiting_in_flight(ada.id))

    # when
    notifier.stop()
    async with asyncio.timeout(30):
        await run

    # then
    assert (await desk.row(ref)).sends == 1
