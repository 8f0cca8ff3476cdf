"""Chats that move, throw the bot out, or come back while something is on its way to them."""

from __future__ import annotations

from typing import Any

import pytest

from codemojex.localtg.groups import Group
from codemojex.notices.budgets import Budgets
from codemojex.notices.ledger import UNREACHABLE
from codemojex.notices.options import NotifierOptions
from codemojex.notices.outgoing import Blocked
from codemojex.play import migration, rooms, updates
from codemojex.play.rooms import ChatRef
from codemojex.store import schema
from tests.notices.desk import OPTIONS, Desk, until
from tests.notices.matches import EDIT, group_match, shown_match
from tests.play.makers import NEAR, mint, rows


async def met(desk: Desk, group: Group) -> None:
    """The bot hears from a group."""
    ref = ChatRef(group.id, "supergroup", group.name)
    await desk.store.transact(lambda tx: rooms.enter(tx, ref, desk.clock.now()))


async def reachable(desk: Desk, chat_id: int) -> bool:
    [row] = await rows(desk.looking, schema.chats, id=chat_id)
    return row.unreachable_at is None


async def test_a_group_that_became_a_supergroup_is_told_there_and_keeps_its_board(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada], supergroup=False)
    large = group.upgrade()
    refs = await match.guess(NEAR, ada)

    # when
    async with desk.running() as notifier:
        await desk.settled(*refs)
        assert notifier.counts.moved == 1

    # then
    [board] = [message for message in large.messages if message.sender_id == desk.bot.id]
    assert NEAR in board.text
    assert len(board.keyboard) == 3
    card = await match.card()
    assert (card.chat_id, card.message_id) == (large.id, board.message_id)
    assert await match.told() == [True]
    assert {(await desk.row(ref)).sends for ref in refs} == {1}


async def test_a_message_for_a_group_that_moved_goes_once_under_the_new_id(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, _ = await group_match(desk, [ada], supergroup=False)
    large = group.upgrade()
    ref = await desk.tell(group.id, "hello", markup=None)

    # when
    async with desk.running():
        await desk.settled(ref)

    # then
    assert [message.text for message in large.messages].count("hello") == 1
    row = await desk.row(ref)
    assert (row.chat_id, row.sends, row.failure) == (large.id, 1, None)


async def test_news_of_a_move_that_comes_while_a_message_is_on_its_way_changes_nothing(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada], supergroup=False)
    refs = await match.guess(NEAR, ada)
    ledger = desk.ledger()
    taken = (await ledger.take(group.id)).message
    large = group.upgrade()
    assert taken is not None

    # when
    await desk.store.transact(lambda tx: migration.move_chat(tx, group.id, large.id, desk.clock.now(), mint))
    desk.clock.advance(OPTIONS.abandoned_s)
    async with desk.running():
        await desk.settled(*refs)

    # then
    assert len([message for message in large.messages if message.sender_id == desk.bot.id]) >= 1
    assert await match.told() == [True]


async def test_what_a_group_was_sent_counts_after_it_moved(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, _ = await group_match(desk, [ada], supergroup=False)
    options = NotifierOptions(budgets=Budgets(OPTIONS.budgets.overall))
    markup = {"inline_keyboard": [[{"text": "Go", "callback_data": "go"}]]}  # a message each
    before = await desk.tell_all([(group.id, f"line {n}") for n in range(4)], markup=markup)

    async with desk.running(options) as notifier:
        notifier.wake([group.id])
        await desk.settled(*before)
        large = group.upgrade()

        # when: one request finds out about the move, and the fifth of the budget is spent
        last = await desk.tell(group.id, "after the move")
        notifier.wake([group.id])
        await until(lambda: notifier.counts.moved == 1)

        # then
        zoe = await desk.person("Zoe")
        sign = await desk.tell(zoe.id, "a sign that everything possible was done")
        notifier.wake([zoe.id])
        await desk.settled(sign)
        assert desk.sent_to(large.id) == []
        desk.clock.advance(4.0)
        await desk.settled(last)


async def test_a_group_that_removed_the_bot_is_unreachable_until_the_bot_is_back(desk: Desk) -> None:
    # given
    ada, bo = await desk.person("Ada"), await desk.person("Bo")
    group, match = await shown_match(desk, [ada, bo])
    desk.clock.advance(86_400 * 3)  # the makers' clock runs ahead of the desk's
    group.remove_bot()
    refs = [*await match.guess(NEAR, ada), await desk.tell(group.id, "hello")]

    # when
    async with desk.running() as notifier:
        await desk.settled(*refs)
        assert notifier.counts.blocked == 1
        assert not await reachable(desk, group.id)

        # then: what is written meanwhile is dropped without a word to Telegram
        more = await desk.tell(group.id, "hello?")
        notifier.wake([group.id])
        await desk.settled(more)
        assert (await desk.row(more)).failure == UNREACHABLE
        assert await match.told() == [False]

        # and when the bot is back
        group.add_bot()
        await met(desk, group)
        welcome = await desk.tell(group.id, "welcome back")
        notifier.wake([group.id])
        await desk.settled(welcome)
    assert await reachable(desk, group.id)
    assert any(message.text == "welcome back" for message in group.messages)


async def test_a_block_drops_only_what_was_there_when_the_message_left(desk: Desk) -> None:
    # given
    ada = await desk.person()
    ledger = desk.ledger()
    older = await desk.tell(ada.id, "before the block", markup={"inline_keyboard": [[]]})
    waiting = await desk.tell(ada.id, "waits behind it")
    taken = (await ledger.take(ada.id)).message
    assert taken is not None

    # when: they block the bot, come back and are answered before the refusal is written down
    desk.clock.advance(1.0)
    await desk.meet(ada)
    newer = await desk.tell(ada.id, "welcome back")
    await ledger.settle(taken, Blocked("Forbidden: bot was blocked by the user"))

    # then
    failures = [(await desk.row(ref)).failure is not None for ref in (older, waiting, newer)]
    assert failures == [True, True, False]
    [player] = await rows(desk.looking, schema.players, id=ada.id)
    assert player.unreachable_at is None
    async with desk.running():
        await desk.settled(newer)
    assert desk.sent_to(ada.id) == ["welcome back"]


@pytest.mark.parametrize("heard", [True, False])
async def test_a_group_heard_of_after_a_message_left_stays_reachable(desk: Desk, heard: bool) -> None:
    # given
    ada = await desk.person()
    group, _ = await group_match(desk, [ada])
    await met(desk, group)
    await desk.tell(group.id, "hello")
    ledger = desk.ledger()
    taken = (await ledger.take(group.id)).message
    assert taken is not None
    desk.clock.advance(1.0)

    # when
    if heard:
        await _hear(desk, group)
    await ledger.settle(taken, Blocked("Forbidden: bot was kicked from the supergroup chat"))

    # then
    assert await reachable(desk, group.id) is heard


async def _hear(desk: Desk, group: Group) -> None:
    mark = updates.Mark(1, "message", group.id, 77)

    async def record(tx: Any) -> None:
        await updates.record(tx, mark, "handled", desk.clock.now())

    await desk.store.transact(record)


async def test_an_edit_of_a_board_in_a_group_that_moved_is_no_edit_there(desk: Desk) -> None:
    # given
    ada = await desk.person()
    group, match = await shown_match(desk, [ada], supergroup=False)
    large = group.upgrade()
    ref = await match.refresh()
    assert ref is not None

    # when
    async with desk.running():
        await until(lambda: _told_nothing_waits(desk, large.id))

    # then
    edits = [request for request in desk.tg.requests if request.method == EDIT]
    assert [request.chat_id for request in edits] == [group.id]
    assert len([message for message in large.messages if message.sender_id == desk.bot.id]) == 1


async def _told_nothing_waits(desk: Desk, chat_id: int) -> bool:
    cards_there = await rows(desk.looking, schema.cards, chat_id=chat_id)
    return bool(cards_there and cards_there[0].message_id) and not await desk.waiting(chat_id)
