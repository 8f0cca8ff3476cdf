"""Players, rooms, and the marks of updates."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from codemojex.play import players, rooms, updates
from codemojex.play.players import Person
from codemojex.play.rooms import ChatRef, RoomKind
from codemojex.play.updates import Mark
from codemojex.store import schema
from codemojex.store.engine import StoreDown, TryAgain
from tests.play.makers import ADA, GROUP, T0
from tests.play.makers import rows as rows_of

LATER = T0 + timedelta(hours=1)


async def _seen(store, person, now=T0):
    return await store.transact(lambda tx: players.seen(tx, person, now))


async def _enter(store, chat):
    return await store.transact(lambda tx: rooms.enter(tx, chat, T0))


async def test_a_player_met_again_keeps_the_first_meeting_and_takes_the_new_name(store):
    # given
    await _seen(store, ADA)

    # when
    again = await _seen(store, Person(ADA.id, "Countess", language="en-GB"), LATER)

    # then
    assert (again.name, again.created_at, again.seen_at) == ("Countess", T0, LATER)
    [row] = await rows_of(store, schema.players)
    assert (row.first_name, row.last_name, row.username, row.language) == ("Countess", None, None, "en-GB")


async def test_ids_beyond_32_bits_are_kept_whole(store):
    large = Person((1 << 52) - 1, "Far")
    assert (await _seen(store, large)).id == (await rows_of(store, schema.players))[0].id == large.id


async def test_a_player_who_blocked_the_bot_is_reachable_again_once_they_write(store):
    # given
    await _seen(store, ADA)
    await store.transact(lambda tx: players.unreachable(tx, ADA.id, LATER))
    assert (await rows_of(store, schema.players))[0].unreachable_at == LATER

    # when
    await _seen(store, ADA, LATER)

    # then
    assert (await rows_of(store, schema.players))[0].unreachable_at is None


async def test_an_unknown_player_who_blocks_the_bot_is_no_error(store):
    await store.transact(lambda tx: players.unreachable(tx, 1, T0))
    assert await rows_of(store, schema.players) == []


async def test_a_room_is_a_chat_or_a_topic_of_it(store):
    private = await _enter(store, ChatRef(ADA.id, "private", "Ada"))
    whole = await _enter(store, ChatRef(GROUP, "supergroup", "Fruit"))
    topic = await _enter(store, ChatRef(GROUP, "supergroup", "Fruit", thread_id=5))
    assert [room.kind for room in (private, whole, topic)] == [
        RoomKind.PRIVATE,
        RoomKind.GROUP,
        RoomKind.TOPIC,
    ]
    assert [room.alone for room in (private, whole, topic)] == [True, False, False]
    assert len({private.id, whole.id, topic.id}) == 3


async def test_a_room_entered_again_is_the_same_under_its_new_title(store):
    first = await _enter(store, ChatRef(GROUP, "group", "Fruit"))
    again = await _enter(store, ChatRef(GROUP, "group", "Vegetables"))
    assert (again.id, again.title) == (first.id, "Vegetables")


async def test_many_who_enter_a_new_room_at_once_are_in_the_same_room(store):
    entered = await asyncio.gather(*(_enter(store, ChatRef(GROUP, "group", "Fruit")) for _ in range(6)))
    assert len({room.id for room in entered}) == 1


async def _known(store, *marks):
    return await store.read(lambda tx: updates.seen(tx, marks))


async def test_an_update_is_known_by_its_id_and_a_message_by_its_own_id_too(store):
    # given
    mark = Mark(900_001, "message", ADA.id, 11)
    await store.transact(lambda tx: updates.record(tx, mark, "handled", T0))

    # when
    other_id, other_chat = Mark(900_009, "message", ADA.id, 11), Mark(900_010, "message", GROUP, 11)
    edit, same_id = Mark(900_011, "edited_message"), Mark(900_001, "edited_message")
    known = await _known(store, mark, other_id, other_chat, edit, same_id)

    # then
    assert [known.has(m) for m in (mark, other_id, other_chat, edit, same_id)] == [
        True, True, False, False, True,
    ]  # fmt: skip


async def test_updates_without_a_message_are_never_taken_for_each_other(store):
    known = await _known(store)
    known.add(Mark(1, "poll"))
    assert not known.has(Mark(2, "poll"))


async def test_a_whole_batch_is_asked_about_at_once(store):
    marks = [Mark(n, "message", ADA.id, n) for n in range(2_500)]

    async def record(tx):
        for mark in marks[::500]:
            await updates.record(tx, mark, "handled", T0)

    await store.transact(record)
    known = await _known(store, *marks)
    assert sum(known.has(mark) for mark in marks) == 5


async def test_an_update_that_another_transaction_dealt_with_starts_the_transaction_over(store):
    # given
    await store.transact(lambda tx: updates.record(tx, Mark(1, "message", ADA.id, 11), "handled", T0))
    tries = []

    async def record(tx):
        tries.append(await updates.seen(tx, [Mark(2, "message", ADA.id, 11)]))
        await updates.record(tx, Mark(2, "message", ADA.id, 11), "handled", T0)

    # when
    with pytest.raises(StoreDown) as down:
        await store.transact(record, attempts=2)

    # then
    assert isinstance(down.value.__cause__, TryAgain)
    assert len(tries) == 2
    assert tries[1].has(Mark(2, "message", ADA.id, 11))


async def test_poison_is_kept_whatever_is_in_it(store):
    # when
    raw = '{"text": "' + "\x00\ud83d" + "x" * 200_000
    await store.transact(lambda tx: updates.poisoned(tx, 7, "ValueError('\x00')", raw, T0))

    # then
    [row] = await rows_of(store, schema.poison)
    assert (row.update_id, row.at) == (7, T0)
    assert len(row.raw) == 100_000
    assert "\x00" not in row.raw + row.error


async def test_a_mark_is_rolled_back_with_the_effects_of_its_update(store):
    async def fail(tx):
        await updates.record(tx, Mark(1, "message", ADA.id, 11), "handled", T0)
        await players.seen(tx, ADA, T0)
        raise RuntimeError("after both")

    with pytest.raises(RuntimeError, match="after both"):
        await store.transact(fail)
    assert await rows_of(store, schema.updates) == await rows_of(store, schema.players) == []
