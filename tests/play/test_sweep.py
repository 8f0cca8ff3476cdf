"""The sweep: finds what a crash left, and finds nothing where nothing is left."""

from __future__ import annotations

import json
from datetime import timedelta

from sqlalchemy import delete, update

from codemojex.play import handover, outbox, players, sweep, told_once, updates
from codemojex.play.guesses import Limits
from codemojex.play.outbox import Draft
from codemojex.play.updates import Mark
from codemojex.store import schema
from tests.play.makers import ADA, BO, CY, FAR, GROUP, NEAR, SECRET, T0, WRONG, group, mint, rows, seat

STRANGER = 5_000_000_999


async def _read(table, fn, *args):
    return await table.store.read(lambda tx: fn(tx, *args))


async def _mark(table, receipts, seconds):
    ids = [receipt.id for receipt in receipts]
    await table.store.transact(lambda tx: sweep.mark_enqueued(tx, ids, table.at(seconds)))


async def test_guesses_without_a_queue_mark_are_found_in_order_with_their_payloads(table):
    # given
    receipts = await table.admit(*((wrong, ADA) for wrong in WRONG[:4]))
    await _mark(table, receipts[1:2], 2)

    # when
    found = await _read(table, sweep.unqueued, 2)
    rest = await _read(table, sweep.unqueued, 10, found[-1].id)

    # then
    assert found == [receipts[0].item, receipts[2].item]
    assert [job.id for job in rest] == [receipts[3].id]


async def test_marking_thousands_at_once_works(table):
    [receipt] = await table.admit((NEAR, ADA))
    ids = [mint("JOB") for _ in range(2_500)] + [receipt.id]
    await table.store.transact(lambda tx: sweep.mark_enqueued(tx, ids, table.at(2)))
    assert (await table.guesses())[0].enqueued_at == table.at(2)


async def test_a_queued_guess_without_a_score_is_stuck_after_a_while(table):
    # given
    receipts = await table.admit((NEAR, ADA), (FAR, ADA), (WRONG[0], ADA))
    await _mark(table, receipts[:2], 10)
    await table.score(receipts[0])

    # then
    assert await _read(table, sweep.stuck, table.at(1), 10) == []
    assert [job.id for job in await _read(table, sweep.stuck, table.at(5), 10)] == [receipts[2].id]
    assert [job.id for job in await _read(table, sweep.stuck, table.at(11), 10)] == [
        receipts[1].id, receipts[2].id,
    ]  # fmt: skip


async def test_a_queued_guess_of_a_paused_player_waits_on_purpose_and_one_never_queued_does_not(store):
    # given: two guesses of each, the first of which are in the queue
    table = await group(store)
    queued = await table.admit((NEAR, ADA), (NEAR, BO))
    await _mark(table, queued, 2)
    fresh = await table.admit((FAR, ADA), (FAR, BO))

    # when
    found = await _read(table, sweep.stuck, table.at(60), 10, [ADA.id])

    # then
    assert [job.id for job in found] == [queued[1].id, fresh[0].id, fresh[1].id]
    assert [job.player_id for job in found] == [BO.id, ADA.id, BO.id]


async def test_a_guess_that_was_sent_again_is_not_stuck_again_at_once(table):
    receipts = await table.admit((NEAR, ADA))
    await _mark(table, receipts, 10)
    await _mark(table, receipts, 100)
    assert await _read(table, sweep.stuck, table.at(50), 10) == []


async def test_guesses_behind_ones_that_are_stuck_for_good_are_found_by_asking_on(table):
    # given: more than one answer holds, and none of them ever gets its mark
    receipts = await table.admit(*((wrong, ADA) for wrong in WRONG[:5]))
    ids = [receipt.id for receipt in receipts]

    # when
    found, after = [], ""
    while lost := await _read(table, sweep.stuck, table.at(60), 2, (), after):
        after = lost[-1].id
        found += [job.id for job in lost]

    # then
    assert found == ids


async def test_games_with_a_reason_to_end_are_found_each_by_its_reason(store):
    # given
    clock = await seat(store, [ADA], minutes=1)
    cracked = await seat(store, [BO])
    exhausted = await seat(store, [CY], limits=Limits(alone=1, per_second=0))
    crowd = await group(store, limits=Limits(group=1, per_second=0))
    await cracked.score(*await cracked.admit((SECRET, BO)))
    await exhausted.score(*await exhausted.admit((NEAR, CY)))
    await crowd.score(*await crowd.admit((NEAR, ADA)))

    # then
    assert await _read(clock, sweep.due_games, T0 + timedelta(seconds=59)) == []
    assert await _read(clock, sweep.due_games, T0 + timedelta(seconds=60)) == [clock.game.id]
    assert await _read(clock, sweep.cracks_unsettled) == [cracked.game.id]
    assert await _read(clock, sweep.exhausted_games) == [exhausted.game.id]
    found = [clock.game.id, cracked.game.id, exhausted.game.id]
    assert await _read(clock, sweep.unsettled, T0 + timedelta(seconds=60)) == sorted(found)

    # and when they are settled
    for table in (clock, cracked, exhausted):
        assert await table.settle(seconds=60) is not None

    # then nothing is left
    assert await _read(clock, sweep.unsettled, T0 + timedelta(seconds=60)) == []


async def test_a_scored_guess_without_a_notice_gets_one(table):
    # given
    await table.score(*await table.admit((NEAR, ADA), (FAR, ADA)))
    await table.store.transact(lambda tx: tx.execute(delete(schema.notices)))

    # when
    assert await table.store.read(sweep.left_untold)
    refs = await table.store.transact(lambda tx: sweep.untold(tx, 10, table.at(60), mint))
    again = await table.store.transact(lambda tx: sweep.untold(tx, 10, table.at(61), mint))
    left = await table.store.read(sweep.left_untold)

    # then
    told = await rows(table.store, schema.notices)
    assert [json.loads(row.data)["total"] for row in told] == [560, 240]
    assert [(ref.id, ref.chat_id) for ref in refs] == [(row.id, ADA.id) for row in told]
    assert (again, left) == ([], False)


async def test_whoever_takes_no_messages_is_not_looked_at_again_and_again(table):
    # given: what they guessed was dropped, and then somebody deleted old notices
    await table.score(*await table.admit((NEAR, ADA), (FAR, ADA)))
    await table.store.transact(lambda tx: handover.drop_chat(tx, ADA.id, "blocked", T0))
    await table.store.transact(lambda tx: tx.execute(delete(schema.notices)))

    # then
    assert not await table.store.read(sweep.left_untold)
    assert await table.store.transact(lambda tx: sweep.untold(tx, 10, table.at(60), mint)) == []


async def test_a_crack_that_is_not_settled_yet_gets_no_notice_from_the_sweep(store):
    table = await group(store)
    await table.score(*await table.admit((SECRET, ADA), (NEAR, BO)))
    assert await store.transact(lambda tx: sweep.untold(tx, 10, table.at(60), mint)) == []
    await table.settle()
    assert [row.kind for row in await rows(store, schema.notices)] == ["result", "late", "ended"]


async def test_a_late_guess_that_lost_its_notice_is_told_to_be_late(store):
    table = await group(store)
    await table.score(*await table.admit((SECRET, ADA), (NEAR, BO)))
    await table.settle()
    await store.transact(lambda tx: tx.execute(delete(schema.notices)))
    await store.transact(lambda tx: sweep.untold(tx, 10, table.at(60), mint))
    assert [row.kind for row in await rows(store, schema.notices)] == ["result", "late"]


async def test_a_told_guess_needs_no_notice(table):
    await table.score(*await table.admit((NEAR, ADA)))
    await table.store.transact(lambda tx: tx.execute(delete(schema.notices)))
    await table.store.transact(lambda tx: tx.execute(update(schema.guesses).values(told_at=T0)))
    assert await table.store.transact(lambda tx: sweep.untold(tx, 10, table.at(60), mint)) == []


async def test_chats_with_something_to_be_told_are_found(table):
    await table.score(*await table.admit((NEAR, ADA)))
    assert await _read(table, outbox.chats_waiting, 10) == [ADA.id]


async def test_marks_of_updates_are_forgotten_after_a_while(store):
    async def record(tx):
        for n in range(3):
            await updates.record(tx, Mark(n, "message", ADA.id, n), "handled", T0 + timedelta(days=n))

    await store.transact(record)
    dropped = await store.transact(lambda tx: sweep.forget_updates(tx, T0 + timedelta(days=1)))
    assert dropped == 1
    assert [row.update_id for row in await rows(store, schema.updates)] == [1, 2]


async def test_what_was_told_to_a_stranger_is_forgotten_once_nothing_waits_for_them(store):
    # given: somebody who is not known was answered; Ada is known, and a group is no person
    drafts = [Draft(chat_id, "text", {"text": "Help!"}) for chat_id in (STRANGER, ADA.id, GROUP)]

    async def answer(tx):
        await players.seen(tx, ADA, T0)
        for n, chat_id in enumerate((STRANGER, ADA.id, GROUP)):
            await updates.record(tx, Mark(n, "message", chat_id, 1), "handled", T0)
        await told_once.first(tx, STRANGER, "edited", T0)
        return await outbox.write_many(tx, mint, T0, drafts)

    refs = await store.transact(answer)

    # then: not while they wait for the answer
    assert await forget_strangers(store) == 0
    await store.transact(lambda tx: handover.sent(tx, [ref.id for ref in refs], 1, T0))
    assert await forget_strangers(store) == 1
    assert await forget_strangers(store) == 0

    # and the update that comes again is still known
    assert [row.chat_id for row in await rows(store, schema.notices)] == [ADA.id, GROUP]
    marks = [(row.update_id, row.chat_id) for row in await rows(store, schema.updates)]
    assert marks == [(0, None), (1, ADA.id), (2, GROUP)]
    assert await rows(store, schema.told_once) == []


async def test_strangers_are_looked_for_a_part_at_a_time(store):
    # given: many marks of Ada's, and of three who are not known
    async def record(tx):
        await players.seen(tx, ADA, T0)
        for n, chat_id in enumerate(
            [ADA.id] * 5 + [STRANGER, STRANGER + 1, STRANGER + 1, STRANGER + 2, GROUP]
        ):
            await updates.record(tx, Mark(n, "message", chat_id, n), "handled", T0)

    await store.transact(record)

    # when
    looks, after = [], 0
    while after is not None:
        look = await store.transact(lambda tx, after=after: sweep.forget_strangers(tx, 2, after))
        looks.append(look)
        after = look.upto

    # then: each person is looked at once
    assert sum(look.people for look in looks) == 3
    assert [look.upto for look in looks] == [
        sorted([ADA.id, STRANGER, STRANGER + 1, STRANGER + 2])[n] for n in (1, 3)
    ] + [None]
    assert [row.chat_id for row in await rows(store, schema.updates)] == [ADA.id] * 5 + [None] * 4 + [GROUP]


async def forget_strangers(store):
    """Look at everybody once; how many were forgotten."""
    look = await store.transact(lambda tx: sweep.forget_strangers(tx, 100))
    assert look.upto is None
    return look.people
