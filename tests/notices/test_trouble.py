"""Trouble: every answer Telegram can give, every way a connection and a database can fail."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest
from sqlalchemy import update
from structlog.testing import capture_logs

from codemojex.notices import settling
from codemojex.notices.delivery import TokenRefused
from codemojex.notices.ledger import UNREACHABLE
from codemojex.notices.looking import UNREADABLE
from codemojex.notices.notifier import REPEAT_AFTER_S
from codemojex.notices.options import NotifierOptions
from codemojex.notices.settling import ANSWER_LOST
from codemojex.play import players
from codemojex.store import schema
from tests.notices.desk import OPTIONS, Desk, make_bot, until
from tests.ports import held


async def test_a_flood_wait_holds_its_chat_for_that_long_and_no_other(desk: Desk) -> None:
    # given
    ada, bo = await desk.person("Ada"), await desk.person("Bo")
    desk.tg.fail_next("sendMessage", ada.id, 429, retry_after=30)

    async with desk.running() as notifier:
        # when
        late = await desk.tell(ada.id, "hello Ada")
        notifier.wake([ada.id])
        await until(lambda: notifier.counts.flood_waits == 1)
        prompt = await desk.tell(bo.id, "hello Bo")
        notifier.wake([bo.id])

        # then
        await desk.settled(prompt)
        desk.clock.advance(29.9)
        again = await desk.tell(bo.id, "hello again")
        notifier.wake([bo.id])
        await desk.settled(again)
        assert desk.tries(ada.id) == 1
        desk.clock.advance(0.2)
        await desk.settled(late)
        assert desk.sent_to(ada.id) == ["hello Ada"]
        assert (await desk.row(late)).sends == 1


async def test_a_player_who_blocked_the_bot_is_unreachable_and_their_notices_are_dropped(desk: Desk) -> None:
    # given
    ada, bo = await desk.person("Ada"), await desk.person("Bo")
    await ada.block()
    refs = await desk.tell_all([(ada.id, "x" * 900)] * 10)
    prompt = await desk.tell(bo.id, "hello Bo")

    # when
    async with desk.running() as notifier:
        await desk.settled(*refs, prompt)
        assert desk.tries(ada.id) == 1
        assert await _unreachable(desk, ada.id)

        # then: what is written meanwhile is dropped without a word to Telegram
        more = await desk.tell(ada.id, "hello?")
        notifier.wake([ada.id])
        await desk.settled(more)
        assert (await desk.row(more)).failure == UNREACHABLE
        assert desk.tries(ada.id) == 1

        # and when they write again
        await ada.unblock()
        await desk.meet(ada)
        welcome = await desk.tell(ada.id, "welcome back")
        notifier.wake([ada.id])
        await ada.heard("welcome back")
        await desk.settled(welcome)


async def _unreachable(desk: Desk, player_id: int) -> bool:
    query = schema.players.select().where(schema.players.c.id == player_id)

    async def one(tx):  # type: ignore[no-untyped-def]
        return (await tx.execute(query)).one()

    return (await desk.looking.read(one)).unreachable_at is not None


async def test_a_server_error_backs_its_chat_off_longer_each_time_and_no_other(desk: Desk) -> None:
    # given
    ada, bo = await desk.person("Ada"), await desk.person("Bo")
    desk.tg.fail_next("sendMessage", ada.id, 502, times=3)
    late = await desk.tell(ada.id, "hello Ada")

    async with desk.running() as notifier:
        for n, wait_s in enumerate((1.0, 2.0, 4.0), 1):
            # when
            await until(lambda n=n: notifier.counts.unsent == n)  # type: ignore[misc]
            desk.clock.advance(wait_s - 0.1)
            prompt = await desk.tell(bo.id, f"hello Bo after {wait_s}")
            notifier.wake([bo.id])
            await desk.settled(prompt)

            # then
            assert desk.tries(ada.id) == n
            desk.clock.advance(0.2)
        await desk.settled(late)
        assert desk.sent_to(ada.id) == ["hello Ada"]
        assert (await desk.row(late)).sends == 1


async def test_markup_telegram_cannot_parse_goes_once_as_plain_text(desk: Desk) -> None:
    # given
    ada = await desk.person()
    ref = await desk.tell(ada.id, "<b>Hello</b> <i>&amp; welcome")

    # when
    async with desk.running():
        await desk.settled(ref)

    # then
    assert [event.text for event in ada.inbox] == ["Hello & welcome"]
    assert desk.tries(ada.id) == 2
    assert (await desk.row(ref)).failure is None


@pytest.mark.parametrize(
    ("description", "tries"),
    [("Bad Request: chat not found", 1), ("Bad Request: can't parse entities: whatever", 2)],
)
async def test_what_telegram_will_never_take_is_dropped_with_its_reason(
    desk: Desk, description: str, tries: int
) -> None:
    # given
    ada = await desk.person()
    desk.tg.fail_next("sendMessage", ada.id, 400, description=description, times=tries)
    ref = await desk.tell(ada.id, "hello")

    async with desk.running() as notifier:
        # when
        await desk.settled(ref)

        # then
        row = await desk.row(ref)
        assert row.sent_at is None
        assert row.failure.lower() in description.lower()
        assert desk.tries(ada.id) == tries

        # and then the chat goes on
        after = await desk.tell(ada.id, "hello again")
        notifier.wake([ada.id])
        await ada.heard("hello again")
        await desk.settled(after)


async def test_a_message_that_is_not_modified_counts_as_told(desk: Desk) -> None:
    # given
    ada = await desk.person()
    desk.tg.fail_next("sendMessage", ada.id, 400, description="Bad Request: message is not modified")
    ref = await desk.tell(ada.id, "hello")

    # when
    async with desk.running():
        await desk.settled(ref)

    # then
    assert (await desk.row(ref)).failure is None


async def test_a_group_that_moved_gets_its_message_under_the_new_id(desk: Desk) -> None:
    # given
    ada, new = await desk.person("Ada"), await desk.person("New")
    desk.tg.fail_next("sendMessage", ada.id, 400, migrate_to_chat_id=new.id)
    ref = await desk.tell(ada.id, "hello")

    # when
    async with desk.running():
        await desk.settled(ref)

    # then
    assert desk.sent_to(new.id) == ["hello"]
    assert desk.tries(ada.id) == 1


async def test_a_lost_answer_repeats_the_message_once_and_nothing_else_with_it(desk: Desk) -> None:
    # given
    ada = await desk.person()
    desk.tg.lose_answer("sendMessage", ada.id)
    ref = await desk.tell(ada.id, "hello")

    async with desk.running() as notifier:
        await until(lambda: notifier.counts.unknown == 1)

        # when
        after = await desk.tell(ada.id, "news")
        notifier.wake([ada.id])
        desk.clock.advance(REPEAT_AFTER_S)
        await desk.settled(ref, after)

    # then
    assert desk.sent_to(ada.id) == ["hello", "hello", "news"]
    row = await desk.row(ref)
    assert (row.sends, row.failure) == (2, None)
    assert row.message_id is not None


async def test_a_message_whose_answers_are_all_lost_is_sent_twice_and_never_again(desk: Desk) -> None:
    # given
    ada = await desk.person()
    desk.tg.lose_answer("sendMessage", ada.id, times=5)
    ref = await desk.tell(ada.id, "hello")

    async with desk.running() as notifier:
        # when
        await until(lambda: notifier.counts.unknown == 1)
        desk.clock.advance(REPEAT_AFTER_S)
        await desk.settled(ref)
        desk.tg.faults.heal()
        after = await desk.tell(ada.id, "news")
        desk.clock.advance(100.0)
        await desk.settled(after)

    # then
    assert desk.sent_to(ada.id) == ["hello", "hello", "news"]
    row = await desk.row(ref)
    assert (row.sends, row.message_id, row.failure) == (2, None, ANSWER_LOST)


async def test_a_connection_that_breaks_before_the_answer_counts_as_one_send(desk: Desk) -> None:
    # given
    ada = await desk.person()
    desk.tg.drop_next("sendMessage", ada.id)
    ref = await desk.tell(ada.id, "hello")

    # when
    async with desk.running() as notifier:
        await until(lambda: notifier.counts.unknown == 1)
        desk.clock.advance(REPEAT_AFTER_S)
        await desk.settled(ref)

    # then
    assert desk.sent_to(ada.id) == ["hello"]
    assert (await desk.row(ref)).sends == 2


async def test_an_answer_that_does_not_come_in_time_counts_as_lost(desk: Desk) -> None:
    # given
    ada = await desk.person()
    desk.tg.hang("sendMessage", ada.id)
    ref = await desk.tell(ada.id, "hello")

    # when
    async with desk.running(dataclasses.replace(OPTIONS, send_limit_s=2)) as notifier:
        await until(lambda: notifier.counts.unknown == 1)
        desk.clock.advance(REPEAT_AFTER_S)
        await desk.settled(ref)

    # then
    assert desk.sent_to(ada.id) == ["hello"]
    assert (await desk.row(ref)).sends == 2


async def test_while_telegram_cannot_be_reached_nothing_counts_as_sent(desk: Desk) -> None:
    # given
    people = [await desk.person(f"P{n}") for n in range(5)]
    port = int(desk.tg.url.rsplit(":", 1)[1])
    await desk.tg.stop()
    refs = await desk.tell_all([(person.id, "hello") for person in people])

    with held(port):
        async with desk.running() as notifier:
            await until(lambda: notifier.counts.unsent == 5)

            # when
            await desk.tg.start(port=port)
            desk.clock.advance(1.0)

            # then
            await desk.settled(*refs)
            assert {(await desk.row(ref)).sends for ref in refs} == {1}
            assert notifier.counts.unknown == 0
    assert all(desk.sent_to(person.id) == ["hello"] for person in people)


async def test_in_an_outage_one_message_at_a_time_tries_whether_it_is_over(desk: Desk) -> None:
    # given
    people = [await desk.person(f"P{n}") for n in range(10)]
    await desk.tg.stop()
    await desk.tell_all([(person.id, "hello") for person in people])

    async with desk.running(dataclasses.replace(OPTIONS, parallel=4)) as notifier:
        # when: the first round ends
        await until(lambda: notifier.counts.unsent == 4)

        # then: each later one is a single try
        for n in range(5, 8):
            desk.clock.advance(60.0)
            await until(lambda n=n: notifier.counts.unsent == n)  # type: ignore[misc]
    assert notifier.counts.unsent == 7


async def test_a_refused_token_stops_the_notifier_and_keeps_what_waits(desk: Desk) -> None:
    # given
    ada = await desk.person()
    stranger = make_bot(desk.tg, "424242:" + "Wrong" * 7)
    ref = await desk.tell(ada.id, "hello")

    # when
    async with asyncio.timeout(60):
        with pytest.raises(TokenRefused) as caught:
            await dataclasses.replace(desk, bot=stranger).notifier().run()
    await stranger.request.shutdown()

    # then
    row = await desk.row(ref)
    assert (row.sends, row.sending_at, row.failure) == (0, None, None)
    assert "TELEGRAM_TOKEN" in str(caught.value)
    assert "Wrong" not in repr(caught.value)


async def test_a_notice_nobody_can_read_does_not_silence_its_chat(desk: Desk) -> None:
    # given
    ada = await desk.person()
    odd = await desk.write(ada.id, "riddle", {"answer": 42})
    broken = await desk.write(ada.id, "result", {"mode": "classic"})
    good = await desk.tell(ada.id, "hello")

    # when
    async with desk.running():
        await desk.settled(odd, broken, good)

    # then
    assert desk.sent_to(ada.id) == ["hello"]
    assert [(await desk.row(ref)).failure for ref in (odd, broken, good)] == [UNREADABLE, UNREADABLE, None]


async def test_a_database_that_does_not_answer_is_waited_out_before_anything_is_sent(desk: Desk) -> None:
    # given
    ada = await desk.person()
    ref = await desk.tell(ada.id, "hello")
    desk.store.down = True

    async with desk.running() as notifier:
        notifier.wake([ada.id])
        with capture_logs() as logs:
            desk.clock.advance(10.0)
            await asyncio.sleep(0.02)
            assert desk.tries(ada.id) == 0

            # when
            desk.store.down = False
            desk.clock.advance(60.0)

            # then
            await desk.settled(ref)
    assert desk.sent_to(ada.id) == ["hello"]
    assert any("the database answers again" in line["event"] for line in logs)


async def test_an_outcome_the_database_cannot_take_yet_is_kept_and_never_sent_again(desk: Desk) -> None:
    # given
    ada = await desk.person()
    ref = await desk.tell(ada.id, "hello")
    desk.tg.delay(0.1, "sendMessage")

    async with desk.running():
        await until(lambda: desk.waiting_in_flight(ada.id))
        desk.store.down = True
        await ada.heard("hello")

        # when
        for _ in range(3):
            desk.clock.advance(60.0)
            await asyncio.sleep(0.02)
        desk.store.down = False
        await until(lambda: _beat(desk))

        # then
        await desk.settled(ref)
    assert desk.sent_to(ada.id) == ["hello"]
    assert (await desk.row(ref)).message_id is not None


async def _beat(desk: Desk) -> bool:
    """Let time pass until nothing is in flight any more."""
    desk.clock.advance(60.0)
    return not any([await desk.waiting_in_flight(person.id) for person in desk.tg.people.values()])


async def test_no_log_line_carries_what_is_told_or_the_token(desk: Desk) -> None:
    # given
    ada, bo, cy = [await desk.person(name) for name in ("Ada", "Bo", "Cy")]
    desk.tg.fail_next("sendMessage", ada.id, 400, description="Bad Request: chat not found")
    desk.tg.lose_answer("sendMessage", bo.id)
    await cy.block()
    with capture_logs() as logs:
        # when
        refs = [await desk.tell(person.id, "the secret is out") for person in (ada, bo, cy)]
        odd = await desk.write(ada.id, "riddle", {"text": "the secret is out"})
        async with desk.running() as notifier:
            await until(lambda: notifier.counts.unknown == 1)
            desk.clock.advance(REPEAT_AFTER_S)
            await desk.settled(*refs, odd)

    # then
    assert len(logs) >= 4
    assert not any("secret" in repr(line) or desk.tg.token in repr(line) for line in logs)


async def test_a_fault_of_its_own_in_one_chat_ends_nobody_elses_telling(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given
    ada, bo = await desk.person("Ada"), await desk.person("Bo")
    await ada.block()
    broken = True
    really = players.unreachable

    async def unreachable(*args: object) -> None:
        if broken:
            raise RuntimeError("a bug")
        await really(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(players, "unreachable", unreachable)
    first = await desk.tell(ada.id, "hello Ada")

    async with desk.running(NotifierOptions(budgets=OPTIONS.budgets, parallel=1)) as notifier:
        await until(lambda: desk.tries(ada.id) == 1)

        # when
        prompt = await desk.tell(bo.id, "hello Bo")
        notifier.wake([bo.id])
        await desk.settled(prompt)

        # then
        broken = False
        desk.clock.advance(60.0)
        await desk.settled(first)


async def test_a_row_that_nobody_can_read_costs_the_chats_of_its_batch_nothing(desk: Desk) -> None:
    """Chats share a transaction, and one of them fails it again and again."""
    # given
    people = [await desk.person(f"P{n}") for n in range(5)]
    refs = await desk.tell_all([(person.id, "hello") for person in people])
    broken = update(schema.notices).where(schema.notices.c.id == refs[2].id).values(data="{")
    await desk.store.transact(lambda tx: tx.execute(broken))

    # when: no clock moves, so who fails once is not tried again
    with capture_logs() as logs:
        async with desk.running():
            await desk.settled(*refs[:2], *refs[3:])

    # then
    assert [desk.sent_to(person.id) for person in people] == [["hello"]] * 2 + [[]] + [["hello"]] * 2
    assert {entry.get("chat") for entry in logs if entry["log_level"] == "error"} == {people[2].id}


async def test_an_outcome_that_cannot_be_written_down_repeats_no_message_of_others(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given
    people = [await desk.person(f"P{n}") for n in range(5)]
    refs = await desk.tell_all([(person.id, "hello") for person in people])
    really = settling.settle_told

    async def settle_told(tx, told, now):  # type: ignore[no-untyped-def]
        if any(message.chat_id == people[2].id for message, _ in told):
            raise ValueError("this one cannot be written down")
        await really(tx, told, now)

    monkeypatch.setattr("codemojex.notices.ledger.settle_told", settle_told)

    # when
    async with desk.running():
        await desk.settled(*refs[:2], *refs[3:])
        monkeypatch.undo()
        desk.clock.advance(OPTIONS.abandoned_s)
        await desk.settled(refs[2])

    # then
    assert [len(desk.sent_to(person.id)) for person in people] == [1, 1, 2, 1, 1]
