"""A group becomes a supergroup: everything moves with it, once, however often and in whatever order it is told."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta

import pytest
from sqlalchemy import update

from codemojex.game.keyboards import Mode
from codemojex.play import cards, games, handover, migration, outbox, preferences, rooms, told_once
from codemojex.play.audit import audit
from codemojex.play.games import GameOptions
from codemojex.play.outbox import Draft
from codemojex.play.rooms import ChatRef
from codemojex.store import schema
from tests.play.makers import ADA, BO, EASY_GOING, FAR, NEAR, NONCE, SECRET, T0, mint, rows, seat

OLD, NEW = -4_000_000_001, -1_009_000_000_002
LATER = T0 + timedelta(minutes=1)


async def _move(store, old=OLD, new=NEW):
    return await store.transact(lambda tx: migration.move_chat(tx, old, new, LATER, mint))


async def _enter(store, chat_id, title="Fruit"):
    ref = ChatRef(chat_id, "group" if chat_id == OLD else "supergroup", title)
    return await store.transact(lambda tx: rooms.enter(tx, ref, T0))


async def _group(store, chat_id=OLD, **options):
    kind = "group" if chat_id == OLD else "supergroup"
    return await seat(store, (ADA, BO), chat=ChatRef(chat_id, kind, "Fruit"), **options)


async def test_the_room_keeps_its_game_and_settings_under_the_new_id(store):
    # given
    table = await _group(store)
    await store.transact(lambda tx: preferences.set_chat(tx, OLD, locale="ru", mode=Mode.BLIND))

    # when
    moved = await _move(store)

    # then
    assert moved is not None
    room = await _enter(store, NEW)
    assert room.id == table.room.id
    running = await store.read(lambda tx: games.running(tx, room))
    assert running.id == table.game.id
    chosen = await store.read(lambda tx: preferences.of_chat(tx, NEW))
    assert (chosen.locale, chosen.mode) == ("ru", Mode.BLIND)
    found = [(row.id, row.kind, row.moved_to) for row in await rows(store, schema.chats)]
    assert found == [(NEW, "supergroup", None), (OLD, "group", NEW)]


async def test_told_again_it_moves_nothing(store):
    await _group(store)
    await _move(store)
    before = {table: await rows(store, table) for table in schema.metadata.sorted_tables}
    assert await _move(store) is None
    assert {table: await rows(store, table) for table in schema.metadata.sorted_tables} == before


async def test_a_chat_that_nobody_knows_moves_nothing(store):
    assert await _move(store) is None
    assert await _move(store, NEW, NEW) is None


async def test_the_new_chat_may_be_met_before_the_move_is_told(store):
    # given: a game in the old chat, and the new one's first message came in before anything else
    table = await _group(store)
    await _enter(store, NEW, "Fruit, large")

    # when
    await _move(store)

    # then
    room = await _enter(store, NEW)
    assert room.id == table.room.id
    assert len(await rows(store, schema.rooms)) == 1
    assert (await table.row()).state == "open"


async def test_a_game_that_was_opened_in_the_new_chat_only_goes_on(store):
    # given
    first = await _group(store)
    await first.settle(games.Cause.GAVE_UP)
    second = await _group(store, NEW)

    # when
    await _move(store)

    # then
    [room] = await rows(store, schema.rooms)
    assert {row.room_id for row in await rows(store, schema.games)} == {room.id}
    assert (await second.row()).state == "open"


async def test_of_two_open_games_the_old_chats_goes_on_and_the_other_is_settled_and_told(store):
    # given
    kept = await _group(store)
    other = await _group(store, NEW)
    await kept.admit((NEAR, ADA))
    await other.admit((FAR, BO))

    # when
    moved = await _move(store)

    # then
    ended = await other.row()
    assert ((await kept.row()).state, ended.state, ended.closed_reason) == ("open", "closed", "moved")
    assert ended.room_id == kept.room.id
    waiting = await store.read(lambda tx: outbox.waiting(tx, NEW, 10))
    assert "ended" in [notice.kind for notice in waiting]
    assert {ref.id for ref in moved.notices} == {notice.id for notice in waiting}
    assert await _move(store) is None


async def test_what_waits_is_told_under_the_new_id_and_replies_to_nothing(store):
    # given: one notice waits, one was told before
    table = await _group(store)
    drafts = [Draft(OLD, "text", {"text": str(n)}, reply_to=7) for n in range(2)]
    told, waits = await store.transact(lambda tx: outbox.write_many(tx, mint, T0, drafts))
    await store.transact(lambda tx: handover.sent(tx, [told.id], 8, T0))

    # when
    moved = await _move(store)

    # then
    assert [(ref.id, ref.chat_id) for ref in moved.notices] == [(waits.id, NEW)]
    found = {row.id: (row.chat_id, row.reply_to) for row in await rows(store, schema.notices)}
    assert found == {told.id: (OLD, 7), waits.id: (NEW, None)}
    assert table.room.chat_id == OLD


async def test_a_notice_written_for_the_old_id_after_the_move_moves_too(store):
    await _group(store)
    await _move(store)
    late = [Draft(OLD, "text", {"text": "late"})]
    [ref] = await store.transact(lambda tx: outbox.write_many(tx, mint, T0, late))
    moved = await _move(store)
    assert [(found.id, found.chat_id) for found in moved.notices] == [(ref.id, NEW)]


async def test_the_board_of_the_open_game_is_shown_anew(store):
    # given: a board that a message of the old chat shows
    table = await _group(store)
    card = await store.transact(lambda tx: cards.board_card(tx, table.game.id, OLD))
    shown = update(schema.cards).values(message_id=5, shown_at=T0)
    await store.transact(lambda tx: tx.execute(shown))

    # when
    moved = await _move(store)

    # then
    [row] = await rows(store, schema.cards)
    assert (row.id, row.chat_id, row.message_id, row.shown_at) == (card, NEW, None, None)
    [notice] = await rows(store, schema.notices)
    assert (notice.kind, notice.chat_id, notice.card_id) == ("card", NEW, card)
    assert [ref.id for ref in moved.notices] == [notice.id]


async def test_season_points_of_both_ids_are_added_up(store):
    # given
    def season(scope, points):
        values = {"scope": scope, "period": "all", "player_id": ADA.id}
        return schema.seasons.insert().values(**values, points=points, wins=1, games=2)

    await _group(store)
    for scope, points in ((OLD, 300), (NEW, 40), (0, 340)):
        await store.transact(lambda tx, s=scope, p=points: tx.execute(season(s, p)))

    # when
    await _move(store)

    # then
    found = [(row.scope, row.points, row.wins, row.games) for row in await rows(store, schema.seasons)]
    assert found == [(NEW, 340, 2, 4), (0, 340, 1, 2)]


async def test_what_was_told_once_is_not_told_again(store):
    await _group(store)
    for chat_id in (OLD, NEW):
        await store.transact(lambda tx, c=chat_id: told_once.first(tx, c, "edited", T0))
    await store.transact(lambda tx: told_once.first(tx, OLD, "anonymous", T0))
    await _move(store)
    for subject in ("edited", "anonymous"):
        assert not await store.transact(lambda tx, s=subject: told_once.first(tx, NEW, s, T0))
    assert {row.chat_id for row in await rows(store, schema.told_once)} == {NEW}


async def test_a_guess_after_the_move_may_have_the_message_id_of_one_before_it(store):
    # given
    table = await _group(store)
    before = await table.guess(NEAR, message_id=5)
    await _move(store)

    # when
    after = await table.guess(SECRET, BO, message_id=5, chat_id=NEW)
    again = await table.guess(NEAR, message_id=5)

    # then
    assert (after.duplicate, again.duplicate, again.id) == (False, True, before.id)
    assert [row.symbols for row in await table.guesses()] == [NEAR, SECRET]


@pytest.mark.parametrize("turn", range(3))
async def test_told_by_several_at_once_it_moves_once(store, turn):
    # given
    table = await _group(store)
    await table.admit((NEAR, ADA))
    drafts = [Draft(OLD, "text", {"text": "hello"})]
    await store.transact(lambda tx: outbox.write_many(tx, mint, T0, drafts))

    # when
    moves = await asyncio.gather(*(_move(store) for _ in range(4)), _enter(store, NEW), _enter(store, OLD))
    await _move(store)

    # then
    assert sum(moved is not None for moved in moves[:4]) >= 1
    [room] = await rows(store, schema.rooms)
    assert (room.id, room.chat_id) == ((await table.row()).room_id, NEW)
    assert (await table.row()).state == "open"
    assert {row.chat_id for row in await rows(store, schema.notices)} == {NEW}


async def test_a_message_from_before_the_move_that_arrives_after_it_plays_the_same_game(store):
    # given: the sender of messages learned of the move first
    table = await _group(store)
    await _move(store)

    # when
    room = await _enter(store, OLD)
    receipt = await table.guess(NEAR, message_id=7, chat_id=OLD)
    await table.score(receipt)

    # then
    assert (room.id, room.chat_id) == (table.room.id, NEW)
    assert [row.id for row in await table.guesses()] == [receipt.id]
    assert {(row.chat_id, row.reply_to) for row in await rows(store, schema.notices)} == {(NEW, None)}
    assert await _move(store) is None
    assert (await store.read(lambda tx: audit(tx, LATER))).holds


async def test_a_move_there_and_back_loses_nothing(store):
    # given
    table = await _group(store)
    await _move(store)

    # when
    await _move(store, NEW, OLD)

    # then
    room = await _enter(store, OLD)
    assert (room.id, room.chat_id) == (table.room.id, OLD)
    assert (await _enter(store, NEW)).id == room.id
    assert (await table.row()).state == "open"


async def test_a_new_game_may_be_opened_after_the_move(store):
    table = await _group(store)
    await table.settle(games.Cause.GAVE_UP)
    await _move(store)
    room = await _enter(store, NEW)
    dice = random.Random(1)
    view = await store.transact(
        lambda tx: games.open_game(tx, room, table.ada, GameOptions(), LATER, dice, NONCE, EASY_GOING)
    )
    assert view.room_id == table.room.id
