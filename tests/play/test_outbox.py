"""The outbox: in order, taken by one sender, settled once, and never lost."""

from __future__ import annotations

import asyncio
import json

import pytest

from codemojex.play import handover, outbox
from codemojex.play.outbox import Draft
from codemojex.store import schema
from tests.play.makers import ADA, BO, FAR, NEAR, T0, mint, rows

ONE, TWO = 111, -222


async def _write(store, *chats):
    drafts = [Draft(chat_id, "text", {"text": f"n{n}"}) for n, chat_id in enumerate(chats)]
    return await store.transact(lambda tx: outbox.write_many(tx, mint, T0, drafts))


async def _waiting(store, chat_id=ONE):
    return await store.read(lambda tx: outbox.waiting(tx, chat_id, 100))


async def _do(store, fn, *args, **named):
    return await store.transact(lambda tx: fn(tx, *args, **named))


async def test_a_notice_waits_with_everything_that_was_written(store):
    # when
    ref = await _do(
        store,
        outbox.write,
        mint,
        T0,
        chat_id=TWO,
        kind="text",
        data={"text": "Zoë 🍎"},
        thread_id=7,
        reply_to=8,
    )

    # then
    [notice] = await _waiting(store, TWO)
    assert (notice.id, notice.chat_id, notice.thread_id, notice.reply_to) == (ref.id, TWO, 7, 8)
    assert (notice.kind, notice.data, notice.created_at) == ("text", {"text": "Zoë 🍎"}, T0)
    assert (notice.sends, notice.sending_at, notice.sent_at, notice.failure) == (0, None, None, None)


async def test_a_chat_is_told_in_the_order_of_writing_and_by_itself(store):
    refs = await _write(store, ONE, TWO, ONE, ONE)
    assert [notice.id for notice in await _waiting(store)] == [refs[0].id, refs[2].id, refs[3].id]
    assert len(await store.read(lambda tx: outbox.waiting(tx, ONE, 2))) == 2
    assert await store.read(lambda tx: outbox.chats_waiting(tx, 10)) == [TWO, ONE]
    assert await store.read(lambda tx: outbox.chats_waiting(tx, 10, after=TWO)) == [ONE]
    assert await store.read(outbox.count_waiting) == 4


async def test_nothing_to_write_is_fine(store):
    assert await _write(store) == []


async def test_a_guess_gets_one_notice_however_often_it_is_written(table):
    # given
    receipt = await table.guess(NEAR)
    draft = Draft(ADA.id, "result", {}, guess_id=receipt.id)

    # when
    first = await _do(table.store, outbox.write_many, mint, T0, [draft, Draft(ADA.id, "text", {})])
    again = await _do(table.store, outbox.write_many, mint, T0, [draft])

    # then
    assert (len(first), again) == (2, [])
    assert len(await rows(table.store, schema.notices, guess_id=receipt.id)) == 1


async def test_a_send_is_counted_before_it_is_made(store):
    # given
    await _write(store, ONE)
    seen = await _waiting(store)

    # when
    [taken] = await _do(store, handover.sending, seen, T0)

    # then
    assert (taken.id, taken.sends, taken.sending_at) == (seen[0].id, 1, T0)
    assert await _waiting(store) == [taken]


async def test_of_two_senders_that_saw_the_same_notice_one_takes_it(store):
    await _write(store, ONE)
    seen = await _waiting(store)
    taken = await asyncio.gather(*(_do(store, handover.sending, seen, T0) for _ in range(5)))
    assert sorted(map(len, taken)) == [0, 0, 0, 0, 1]


async def test_a_sent_notice_waits_no_more_and_its_guess_is_told(table):
    # given
    receipts = await table.admit((NEAR, ADA), (FAR, ADA))
    await table.score(*receipts)
    seen = await _waiting(table.store, ADA.id)
    await _do(table.store, handover.sending, seen, table.at(6))

    # when
    await _do(table.store, handover.sent, [seen[0].id], 4711, table.at(7))

    # then
    first, second = await table.guesses()
    assert (first.told_at, second.told_at) == (table.at(7), None)
    row = (await rows(table.store, schema.notices, id=seen[0].id))[0]
    assert (row.sent_at, row.message_id, row.failure, row.sends) == (table.at(7), 4711, None, 1)
    assert [notice.id for notice in await _waiting(table.store, ADA.id)] == [seen[1].id]


async def test_settling_a_notice_again_changes_nothing(table):
    await table.score(await table.guess(NEAR))
    [notice] = await _waiting(table.store, ADA.id)
    await _do(table.store, handover.sent, [notice.id], 4711, table.at(7))
    await _do(table.store, handover.sent, [notice.id], 9, table.at(8))
    await _do(table.store, handover.failed, [notice.id], "blocked", table.at(9))
    row = (await rows(table.store, schema.notices))[0]
    assert (row.sent_at, row.message_id, row.failure) == (table.at(7), 4711, None)
    assert (await table.guesses())[0].told_at == table.at(7)


async def test_a_lost_answer_counts_as_told_and_says_so(table):
    await table.score(await table.guess(NEAR))
    [notice] = await _waiting(table.store, ADA.id)
    await _do(table.store, handover.sent, [notice.id], None, table.at(7), "answer lost")
    row = (await rows(table.store, schema.notices))[0]
    assert (row.sent_at, row.message_id, row.failure) == (table.at(7), None, "answer lost")
    assert await _waiting(table.store, ADA.id) == []


async def test_a_send_that_surely_did_not_leave_is_given_back(store):
    # given
    await _write(store, ONE)
    seen = await _waiting(store)
    await _do(store, handover.sending, seen, T0)

    # when
    await _do(store, handover.unsent, [seen[0].id])

    # then
    assert await _waiting(store) == seen


async def test_a_notice_that_can_never_be_told_waits_no_more_and_its_guess_stays_untold(table):
    await table.score(await table.guess(NEAR))
    [notice] = await _waiting(table.store, ADA.id)
    await _do(table.store, handover.failed, [notice.id], "chat not found", table.at(7))
    row = (await rows(table.store, schema.notices))[0]
    assert (row.sent_at, row.failure, row.failed_at) == (None, "chat not found", table.at(7))
    [guess] = await table.guesses()
    assert (guess.told_at, guess.dropped_at) == (None, table.at(7))
    assert await _waiting(table.store, ADA.id) == []


async def test_what_is_dropped_with_a_chat_is_marked_at_its_guesses_and_told_ones_are_not(table):
    # given: two guesses, one of them told
    await table.score(*await table.admit((NEAR, ADA), (FAR, ADA)))
    told, _ = await _waiting(table.store, ADA.id)
    await _do(table.store, handover.sent, [told.id], 5, table.at(7))

    # when
    await _do(table.store, handover.drop_chat, ADA.id, "blocked", table.at(8))

    # then
    assert [guess.dropped_at for guess in await table.guesses()] == [None, table.at(8)]


ENDS = {
    "told": lambda store, id: _do(store, handover.sent, [id], 5, T0),
    "told with others": lambda store, id: _do(store, handover.sent_all, {id: 5}, T0),
    "failed": lambda store, id: _do(store, handover.failed, [id], "no rights", T0),
    "dropped": lambda store, id: _do(store, handover.drop_chat, ONE, "blocked", T0),
}


@pytest.mark.parametrize("end", ENDS)
async def test_a_reply_keeps_no_words_once_it_is_told_or_dropped(store, end):
    """Nothing would find it by whom it names, when they ask to be forgotten."""
    await _write(store, ONE)
    [notice] = await _waiting(store)
    assert notice.data
    await ENDS[end](store, notice.id)
    assert [row.data for row in await rows(store, schema.notices)] == ["{}"]


async def test_what_is_of_a_person_keeps_its_words(table):
    await table.score(await table.guess(NEAR))
    [notice] = await _waiting(table.store, ADA.id)
    await _do(table.store, handover.sent_all, {notice.id: 5}, T0)
    assert json.loads((await rows(table.store, schema.notices))[0].data)["total"] == 560


async def test_a_chat_that_takes_nothing_loses_its_notices_and_no_other_does(store):
    await _write(store, ONE, TWO, ONE)
    assert await _do(store, handover.drop_chat, ONE, "blocked", T0) == 2
    assert await _waiting(store) == []
    assert len(await _waiting(store, TWO)) == 1


async def test_a_notice_may_name_a_player(table):
    await _do(table.store, outbox.write, mint, T0, chat_id=ADA.id, kind="text", data={}, player_id=ADA.id)
    assert [notice.player_id for notice in await _waiting(table.store, ADA.id)] == [ADA.id]
    assert await _waiting(table.store, BO.id) == []
