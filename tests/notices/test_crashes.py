"""Crashes and company: a sender that dies in mid-send, and several senders on one database."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence

import pytest

from codemojex.notices.delivery import deliver
from codemojex.notices.ledger import Taken
from codemojex.notices.looking import Look
from codemojex.notices.outage import Outage
from codemojex.notices.outgoing import Overslept
from codemojex.notices.piles import Pile
from codemojex.notices.settling import ANSWER_LOST
from codemojex.notices.teller import Teller
from codemojex.store.engine import open_store
from tests.notices.desk import OPTIONS, Desk, at_work, until


async def send_and_die(desk: Desk, chat_id: int) -> None:
    """A sender that had its message accepted and died before it wrote that down."""
    taken = await desk.ledger().take(chat_id)
    assert taken.message is not None
    await deliver(desk.bot, taken.message, 5.0)


async def test_a_sender_killed_after_its_message_was_accepted_repeats_it_once(desk: Desk) -> None:
    # given
    ada = await desk.person()
    ref = await desk.tell(ada.id, "hello")
    await send_and_die(desk, ada.id)

    # when
    async with desk.running():
        desk.clock.advance(OPTIONS.abandoned_s)
        await desk.settled(ref)

    # then
    assert desk.sent_to(ada.id) == ["hello", "hello"]
    assert (await desk.row(ref)).sends == 2


async def test_two_senders_killed_one_after_the_other_repeat_it_no_more_than_once(desk: Desk) -> None:
    # given
    ada = await desk.person()
    ref = await desk.tell(ada.id, "hello")
    await send_and_die(desk, ada.id)
    desk.clock.advance(OPTIONS.abandoned_s)
    await send_and_die(desk, ada.id)

    # when
    async with desk.running():
        desk.clock.advance(OPTIONS.abandoned_s)
        await desk.settled(ref)

    # then
    assert desk.sent_to(ada.id) == ["hello", "hello"]
    row = await desk.row(ref)
    assert (row.sends, row.failure) == (2, ANSWER_LOST)


async def test_a_task_killed_in_mid_send_leaves_its_message_to_the_next_notifier(desk: Desk) -> None:
    # given
    ada = await desk.person()
    ref = await desk.tell(ada.id, "hello")
    desk.tg.hang("sendMessage")
    killed = desk.notifier(dataclasses.replace(OPTIONS, grace_s=0.0))
    run = asyncio.create_task(killed.run())
    await until(lambda: desk.waiting_in_flight(ada.id))
    run.cancel()
    await asyncio.gather(run, return_exceptions=True)

    async with desk.running() as notifier:
        # when: while the dead one might still be sending
        bo = await desk.person("Bo")
        sign = await desk.tell(bo.id, "a sign that everything possible was done")
        notifier.wake([bo.id])
        await desk.settled(sign)
        assert desk.sent_to(ada.id) == []

        # then
        desk.clock.advance(OPTIONS.abandoned_s)
        await desk.settled(ref)
    assert desk.sent_to(ada.id) == ["hello"]


async def test_what_comes_after_a_message_in_doubt_waits_for_it(desk: Desk) -> None:
    # given
    ada = await desk.person()
    first = await desk.tell(ada.id, "first")
    await send_and_die(desk, ada.id)
    second = await desk.tell(ada.id, "second")

    # when
    async with desk.running():
        desk.clock.advance(OPTIONS.abandoned_s)
        await desk.settled(first, second)

    # then
    assert desk.sent_to(ada.id) == ["first", "first", "second"]


async def test_a_process_that_stood_still_does_not_send_what_another_may_be_sending(desk: Desk) -> None:
    # given
    ada = await desk.person()
    ref = await desk.tell(ada.id, "hello")
    slow = desk.ledger()
    really = slow.take

    async def take_and_stand_still(chat_id: int):  # type: ignore[no-untyped-def]
        taken = await really(chat_id)
        desk.clock.advance(OPTIONS.abandoned_s)
        return taken

    slow.take = take_and_stand_still  # type: ignore[method-assign]
    teller = Teller(desk.bot, slow, Outage("the database"), desk.clock, OPTIONS.send_limit_s)

    # when
    told = await teller.tell(ada.id)

    # then
    assert isinstance(told.outcome, Overslept)
    assert desk.sent_to(ada.id) == []
    assert (await desk.row(ref)).sends == 0
    async with desk.running():
        await desk.settled(ref)
    assert desk.sent_to(ada.id) == ["hello"]


async def test_a_process_that_is_slow_again_and_again_makes_no_chat_wait_for_it(desk: Desk) -> None:
    """A wait that doubles would outlast the slowness by a minute, and for every chat there is."""
    # given: each of eight takings lasts so long that nothing may be sent any more
    ada = await desk.person()
    ref = await desk.tell(ada.id, "hello")
    notifier = desk.notifier()
    really, slow = notifier._ledger.take, list(range(8))

    async def take(chat_id: int) -> Taken:
        taken = await really(chat_id)
        if slow:
            slow.pop()
            desk.clock.advance(OPTIONS.abandoned_s)
        return taken

    notifier._ledger.take = take  # type: ignore[method-assign]

    # when
    async with at_work(notifier):
        notifier.wake([ada.id])

        # then: told without a moment passing after the last of them
        await desk.settled(ref)
    assert desk.clock.at_s == 8 * OPTIONS.abandoned_s
    assert desk.sent_to(ada.id) == ["hello"]
    assert notifier.counts.overslept == 8


async def test_letters_may_be_sent_for_as_long_after_a_slow_look_as_after_a_quick_one(desk: Desk) -> None:
    # given: a database on which a look takes nearly all the time there is
    ada = await desk.person()
    ref = await desk.tell(ada.id, "hello")
    ledger = desk.ledger()
    really = Look.take

    async def take(look: Look, found: Sequence[Pile]) -> None:
        await really(look, found)
        desk.clock.advance(OPTIONS.abandoned_s - 1)

    # when
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Look, "take", take)
        taken = await ledger.take(ada.id)

    # then
    assert taken.send_by - desk.clock.monotonic() == OPTIONS.abandoned_s - OPTIONS.send_limit_s
    assert (await desk.row(ref)).sending_at == desk.clock.now()


async def test_an_answer_that_comes_after_another_took_over_changes_nothing_of_the_others(desk: Desk) -> None:
    # given
    ada = await desk.person()
    ref = await desk.tell(ada.id, "hello")
    slow, fast = desk.ledger(), desk.ledger()
    mine = (await slow.take(ada.id)).message
    desk.clock.advance(OPTIONS.abandoned_s)
    theirs = (await fast.take(ada.id)).message
    assert mine is not None
    assert theirs is not None
    desk.tg.fail_next("sendMessage", ada.id, 429, retry_after=1)

    # when
    await slow.settle(mine, await deliver(desk.bot, mine, 5.0))

    # then
    row = await desk.row(ref)
    assert (row.sends, row.sending_at) == (2, desk.clock.now())


async def test_several_notifiers_on_one_database_tell_everything_once_and_in_order(desk: Desk) -> None:
    # given
    people = [await desk.person(f"P{n}") for n in range(12)]
    markup = {"inline_keyboard": [[{"text": "Go", "callback_data": "go"}]]}  # a message each
    refs = await desk.tell_all(
        [(person.id, f"line {n}") for n in range(4) for person in people], markup=markup
    )
    url = desk.store.url.render_as_string(hide_password=False)
    stores = [open_store(url), open_store(url)]
    notifiers = [desk.notifier(store=store) for store in stores]

    # when
    async with at_work(*notifiers):
        for notifier in notifiers:
            notifier.wake([person.id for person in people])

        async def all_told() -> bool:
            desk.clock.advance(OPTIONS.abandoned_s / 50)
            return not any([await desk.waiting(person.id) for person in people])

        await until(all_told)

    # then
    assert all(desk.sent_to(person.id) == [f"line {n}" for n in range(4)] for person in people)
    assert {(await desk.row(ref)).sends for ref in refs} == {1}
    assert sum(notifier.counts.messages for notifier in notifiers) == 48
    for store in stores:
        await store.aclose()


async def test_two_takers_at_the_same_moment_get_a_message_once(desk: Desk) -> None:
    # given
    people = [await desk.person(f"P{n}") for n in range(10)]
    await desk.tell_all([(person.id, f"line {n}") for n in range(3) for person in people])
    other = open_store(desk.store.url.render_as_string(hide_password=False))
    both = [desk.ledger(), desk.ledger(other)]

    # when
    taken = await asyncio.gather(*(each.take(person.id) for person in people for each in both))

    # then
    ids = [id for each in taken if each.message is not None for id in each.message.ids]
    assert len(ids) == len(set(ids)) == 30
    await other.aclose()
