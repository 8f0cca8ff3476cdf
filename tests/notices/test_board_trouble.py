"""Boards in trouble: deleted messages, lost answers, flood waits, crashes and company."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

import emq
from codemojex.notices.delivery import deliver
from codemojex.notices.looking import UNREADABLE
from codemojex.notices.notifier import REPEAT_AFTER_S
from codemojex.notices.outgoing import Unsent
from codemojex.play import cards
from codemojex.store import schema
from codemojex.store.engine import open_store
from codemojex.texts import Texts
from tests.notices.desk import OPTIONS, Desk, at_work, until
from tests.notices.matches import EDIT, SEND, shown_match
from tests.play.makers import NEAR, WRONG


async def test_a_board_that_was_deleted_is_sent_anew_and_its_results_are_told_once(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada])
    before = (await match.card()).message_id
    desk.tg.fail_next(EDIT, group.id, 400, description="Bad Request: message to edit not found")
    refs = await match.guess(NEAR, ada)

    # when
    async with desk.running() as notifier:
        await desk.settled(*refs)
        assert notifier.counts.vanished == 1

    # then
    assert (match.requests(EDIT), len(match.requests(SEND))) == ([], 2)
    card, row = await match.card(), await desk.row(refs[0])
    assert card.message_id == row.message_id
    assert card.message_id != before
    assert (row.sends, row.failure) == (1, None)


async def test_an_edit_that_changes_nothing_tells_all_the_same(desk: Desk) -> None:
    # given
    ada = await desk.person()
    _, match = await shown_match(desk, [ada])
    ref = await match.refresh()
    assert ref is not None

    # when
    async with desk.running():
        await desk.settled(ref)

    # then
    refused = [request for request in desk.tg.requests if request.method == EDIT]
    assert [(request.reply or {}).get("description") for request in refused]
    assert (await desk.row(ref)).failure is None
    assert len(match.requests(SEND)) == 1


async def test_an_edit_whose_answer_was_lost_is_repeated_and_tells_once(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada])
    desk.tg.lose_answer(EDIT, group.id)
    refs = await match.guess(NEAR, ada)

    # when
    async with desk.running() as notifier:
        await until(lambda: notifier.counts.unknown == 1)
        assert await match.told() == [False]
        desk.clock.advance(REPEAT_AFTER_S)
        await desk.settled(*refs)

    # then
    row = await desk.row(refs[0])
    assert (row.sends, row.failure) == (2, None)
    assert row.message_id == (await match.card()).message_id
    assert len([message for message in group.messages if message.sender_id == desk.bot.id]) == 1


async def test_a_refresh_that_is_given_back_gives_way_to_a_newer_one(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada])
    ledger = desk.ledger()
    await match.refresh()
    carried = await match.guess(NEAR, ada)
    taken = (await ledger.take(group.id)).message
    assert taken is not None
    newer = await match.refresh()
    assert newer is not None

    # when
    await ledger.settle(taken, Unsent(5.0, unreachable=False, reason="flood wait"))

    # then
    assert {notice.id for notice in await desk.waiting(group.id)} == {newer.id, carried[0].id}
    assert {notice.sends for notice in await desk.waiting(group.id)} == {0}
    desk.clock.advance(5.0)
    async with desk.running():
        await desk.settled(newer, *carried)
    assert len(match.requests(EDIT)) == 1


async def test_a_refresh_that_is_given_back_waits_as_before(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada])
    desk.tg.fail_next(EDIT, group.id, 429, retry_after=5)
    ref = await match.refresh()
    assert ref is not None
    carried = await match.guess(NEAR, ada)

    # when
    async with desk.running() as notifier:
        await until(lambda: notifier.counts.flood_waits == 1)
        desk.clock.advance(5.0)
        await desk.settled(ref, *carried)

    # then
    assert [(await desk.row(each)).sends for each in (ref, *carried)] == [1, 1]


async def test_two_notifiers_share_a_board_without_crossing(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada])
    url = desk.store.url.render_as_string(hide_password=False)
    stores = [open_store(url), open_store(url)]
    notifiers = [desk.notifier(store=store) for store in stores]
    refs = []

    # when
    async with at_work(*notifiers):
        for symbols in WRONG[:9]:
            refs += await match.guess(symbols, ada)
            for notifier in notifiers:
                notifier.wake([group.id])
            await asyncio.sleep(0.01)
            desk.clock.advance(1.0)

        async def all_told() -> bool:
            desk.clock.advance(0.5)
            return all(await match.told())

        await until(all_told)

    # then
    assert {(await desk.row(ref)).sends for ref in refs} == {1}
    assert len([message for message in group.messages if message.sender_id == desk.bot.id]) == 1
    assert len(match.requests(EDIT)) < len(refs)
    for store in stores:
        await store.aclose()


async def test_a_refresh_asked_for_while_the_board_is_taken_is_shown_afterwards(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada])
    first = await match.refresh()
    assert first is not None
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def rename(tx):  # type: ignore[no-untyped-def]
        if tx.dialect.name == "postgresql":
            # Idle for as long as a notifier takes to begin.
            await tx.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        await tx.execute(schema.players.update().values(first_name="Grace"))
        await cards.refresh(tx, emq.mint, desk.clock.now(), match.card_id)
        asked.set()
        await go_on.wait()

    await match.guess(NEAR, ada)
    changing = asyncio.create_task(desk.looking.transact(rename))
    await asked.wait()

    # when
    async with desk.running() as notifier:
        await asyncio.sleep(0.05)
        go_on.set()
        await changing
        notifier.wake([group.id])
        await until(lambda: _all_shown(desk, group.id))

    # then
    board = next(message for message in group.messages if message.sender_id == desk.bot.id)
    assert "Grace" in board.text


async def _all_shown(desk: Desk, chat_id: int) -> bool:
    desk.clock.advance(1.0)
    return not await desk.waiting(chat_id)


async def test_a_sender_killed_after_its_edit_was_accepted_repeats_it_and_nobody_sees_that(
    desk: Desk,
) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada])
    refs = await match.guess(NEAR, ada)
    taken = await desk.ledger().take(group.id)
    assert taken.message is not None
    await deliver(desk.bot, taken.message, 5.0)

    # when
    async with desk.running():
        desk.clock.advance(OPTIONS.abandoned_s)
        await desk.settled(*refs)

    # then
    assert len([message for message in group.messages if message.sender_id == desk.bot.id]) == 1
    assert (await desk.row(refs[0])).sends == 2
    assert await match.told() == [True]


async def test_results_on_a_board_that_cannot_be_shown_are_told_by_themselves(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given
    ada = await desk.person()
    _, match = await shown_match(desk, [ada])
    ref = await match.refresh()
    refs = await match.guess(NEAR, ada)
    assert ref is not None

    def broken(*_: object, **__: object) -> None:
        raise KeyError("a sentence that is missing")

    monkeypatch.setattr(Texts, "live_board", broken)

    # when
    with capture_logs() as logs:
        async with desk.running():
            await desk.settled(ref, *refs)

    # then
    assert (await desk.row(ref)).failure == UNREADABLE
    assert any(NEAR in text for text in match.requests(SEND))
    assert await match.told() == [True]
    assert [line["error"] for line in logs if line["event"] == "a card cannot be shown"] == ["KeyError"]
