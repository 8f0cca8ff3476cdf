"""Every query of the running system finds its rows through an index, on either database."""

from __future__ import annotations

import random

import pytest

from bench.growth.filling import fill
from bench.growth.game import OF_WHAT_WAITS
from codemojex.play import (
    audit,
    backlog,
    daily,
    drafts,
    games,
    handover,
    hints,
    languages,
    members,
    outbox,
    pins,
    players,
    preferences,
    privacy,
    rest,
    rooms,
    seasons,
    stats,
    streaks,
    sweep,
    told_once,
    updates,
    views,
)  # fmt: skip
from codemojex.play.games import Cause
from codemojex.play.outbox import Draft
from codemojex.play.rooms import ChatRef
from codemojex.play.updates import Mark
from codemojex.store.engine import open_store
from tests.play import plans
from tests.play.makers import ADA, BO, CY, NEAR, NONCE, SECRET, T0, circle, mint, puzzle, seat

STRANGER = 5_000_000_999


async def _bot(table):
    async def take(tx):
        mark = Mark(1, "message", ADA.id, 999)
        await updates.seen(tx, [mark])
        await players.seen(tx, ADA, T0)
        room = await rooms.enter(tx, ChatRef(ADA.id, "private", "Ada"), T0)
        await games.running(tx, room)
        await games.latest(tx, room)
        await updates.record(tx, mark, "handled", T0)

    await table.store.transact(take)
    receipt = await table.guess(NEAR)
    await table.store.read(lambda tx: views.board(tx, table.game.id, ADA.id))
    return receipt


async def _worker(table):
    receipts = await table.admit((NEAR, ADA), (SECRET, ADA))
    await table.store.transact(lambda tx: sweep.mark_enqueued(tx, [r.id for r in receipts], T0))
    await table.score(*receipts)
    await table.score(*receipts)
    await table.settle()


async def _notifier(table):
    await table.score(*await table.admit((NEAR, ADA)))
    waiting = await table.store.read(lambda tx: outbox.waiting(tx, ADA.id, 10))
    await table.store.read(lambda tx: outbox.chats_waiting(tx, 10))
    await table.store.transact(lambda tx: handover.sending(tx, waiting, T0))
    await table.store.transact(lambda tx: handover.unsent(tx, [n.id for n in waiting]))
    await table.store.transact(lambda tx: handover.sent(tx, [n.id for n in waiting], 1, T0))
    await table.store.transact(lambda tx: handover.drop_chat(tx, ADA.id, "gone", T0))


async def _sweeper(table):
    await table.admit((NEAR, ADA))
    await table.store.read(backlog.backlog)
    await table.store.read(lambda tx: sweep.unqueued(tx, 10))
    await table.store.read(lambda tx: sweep.stuck(tx, T0, 10))
    await table.store.read(lambda tx: sweep.unsettled(tx, T0))
    await table.store.transact(lambda tx: sweep.untold(tx, 10, T0, mint))
    await table.store.transact(lambda tx: sweep.forget_updates(tx, T0))
    await table.settle(Cause.CLOCK)


async def _stranger(table):
    async def answered(tx):
        await updates.record(tx, Mark(1, "message", STRANGER, 1), "handled", T0)
        (ref,) = await outbox.write_many(tx, mint, T0, [Draft(STRANGER, "text", {"text": "Help!"})])
        await handover.sent(tx, [ref.id], 1, T0)

    await table.store.transact(answered)
    look = await table.store.transact(lambda tx: sweep.forget_strangers(tx, 10))
    assert look.people == 1


async def _operator(table):
    await table.store.read(rest.unfinished)
    await table.score(*await table.admit((NEAR, ADA)))
    await table.store.read(rest.unfinished)
    for check in audit.checks(T0):
        if check.name in OF_WHAT_WAITS:
            await table.store.read(lambda tx, check=check: tx.execute(check.query))


async def _player(table):
    game, ada, now = table.game, table.ada, table.at(1)

    async def play(tx):
        await pins.pin(tx, game, ada, 1, SECRET[0], now)
        await pins.unpin(tx, game, ada, 1)
        await drafts.tap(tx, game, ada, 0, None, now)
        await drafts.bump(tx, await drafts.draft_of(tx, game.id, ADA.id))
        await hints.ask(tx, game, ada, now, random.Random(1))
        await views.standing(tx, game.id, BO.id)

    await table.store.transact(play)


async def _company(table):
    friends = await circle(table.store)
    for person in (ADA, BO, CY):
        await friends.guess(NEAR, person, message_id=50)
    await friends.give_up(ADA)
    await friends.give_up(BO)


async def _day(table):
    day = await puzzle(table.store)
    receipts = [await day.guess(symbols, ADA, message_id=n) for n, symbols in ((60, NEAR), (61, SECRET))]
    await day.score(*receipts)
    await day.settle(Cause.DAY_OVER)


async def _people(table):
    day = daily.local_day(T0, "UTC")

    async def ask(tx):
        await daily.today(tx, T0, "UTC", T0, random.Random(1), NONCE, table.ada)
        await daily.begin(tx, table.ada, day)
        await daily.where(tx, table.ada.id, table.room, T0, "UTC")
        await daily.shared(tx, ADA.id, day)
        await daily.end(tx, ADA.id)
        await streaks.finished(tx, ADA.id, day)
        await stats.stats(tx, ADA.id, day)
        await seasons.top(tx, 0, seasons.Period.ALL, T0, "UTC", ADA.id)
        room = await members.open_link(tx, table.ada, T0, random.Random(1))
        await members.chats_of(tx, room.id)
        await members.leave(tx, table.ada, T0)
        await members.join(tx, table.ada, room.code, T0)
        await languages.of(tx, [ADA.id, -1])
        await preferences.set_player(tx, ADA.id, locale="ru")
        await told_once.first(tx, ADA.id, "edited", T0)

    await table.store.transact(ask)


async def _forgotten(table):
    await table.score(*await table.admit((NEAR, ADA)))
    await table.store.read(lambda tx: privacy.export(tx, ADA.id))
    await table.store.transact(lambda tx: privacy.forget(tx, table.ada, T0, mint))


RUNS = [
    _bot,
    _worker,
    _notifier,
    _sweeper,
    _stranger,
    _operator,
    _player,
    _company,
    _day,
    _people,
    _forgotten,
]

# What could not be handled is read from end to end: that is a handful of rows, for somebody to look at.
FEW = ("poison",)


@pytest.mark.parametrize("run", RUNS)
async def test_no_query_of_the_running_system_reads_a_whole_table_of_sqlite(sqlite_url, run):
    """SQLite explains its plans the same way on any amount of rows."""
    assert await _whole(sqlite_url, run) == set()


@pytest.mark.parametrize("run", RUNS)
async def test_no_query_of_the_running_system_reads_a_whole_table_of_postgresql(own_postgres_url, run):
    """Its planner goes by what there is, so there is a past."""
    assert await _whole(own_postgres_url, run, past=5_000) == set()


async def _larger(tx):
    """More of what a past of told guesses has little of: people, their rooms, cracks."""
    many = "FROM generate_series(7000000000, 7000050000) AS n"
    await tx.exec_driver_sql(
        f"INSERT INTO players (id, first_name, created_at, seen_at) SELECT n, '', now(), now() {many}"
    )
    await tx.exec_driver_sql(
        f"INSERT INTO rooms (id, kind, chat_id, title, created_at) SELECT n, 'private', n, '', now() {many}"
    )
    await tx.exec_driver_sql("UPDATE guesses SET points = 600 WHERE number = 10")
    await tx.exec_driver_sql("ANALYZE")


async def _whole(url, run, past=0):
    store = open_store(url)
    table = await seat(store)
    with plans.noted(store) as sent:
        await run(table)
    assert sent
    if past:
        await fill(store, 100_000, 100_000 + past)
        await store.transact(_larger, long=True)
    found = await plans.whole(store, sent)
    await store.aclose()
    return {(step, said) for step, said in found if step.split()[-1] not in FEW}
