"""Link rooms: joined by a code, one at a time, left at will."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta

import pytest

from codemojex.game.refusals import NoSuchRoom
from codemojex.play import members, rooms
from codemojex.play.members import ALPHABET
from codemojex.play.players import seen
from codemojex.play.rooms import RoomKind
from codemojex.store import schema
from codemojex.store.engine import StoreDown
from tests.play.makers import ADA, BO, CY, T0
from tests.play.makers import rows as rows_of

LATER = T0 + timedelta(hours=1)


async def _open(store, person=ADA, seed=1):
    async def open_(tx):
        return await members.open_link(tx, await seen(tx, person, T0), T0, random.Random(seed))

    return await store.transact(open_)


async def _join(store, person, code, now=T0):
    async def join(tx):
        return await members.join(tx, await seen(tx, person, T0), code, now)

    return await store.transact(join)


async def _leave(store, person=ADA, now=LATER):
    async def leave(tx):
        return await members.leave(tx, await seen(tx, person, T0), now)

    return await store.transact(leave)


async def _names(store, room):
    return [member.name for member in await store.read(lambda tx: members.present(tx, room.id))]


async def test_a_new_link_room_has_a_code_and_whoever_opened_it(store):
    room = await _open(store)
    assert (room.kind, room.chat_id, room.alone) == (RoomKind.LINK, None, False)
    assert len(room.code) == 6
    assert set(room.code) <= set(ALPHABET)
    assert await _names(store, room) == ["Ada Lovelace"]
    assert await store.read(lambda tx: rooms.room(tx, room.id)) == room


def test_codes_have_no_signs_that_are_taken_for_each_other():
    assert len(ALPHABET) == len(set(ALPHABET)) == 31
    assert not set("01IOL") & set(ALPHABET)


async def test_who_is_in_a_room_gets_that_one_instead_of_a_new_one(store):
    first = await _open(store)
    assert await _open(store, seed=2) == first
    assert len(await rows_of(store, schema.rooms)) == 1


@pytest.mark.parametrize("typed", [str, str.lower, lambda code: f"  {code} "])
async def test_a_code_lets_in_however_it_is_typed(store, typed):
    room = await _open(store)
    assert await _join(store, BO, typed(room.code)) == room
    assert await _names(store, room) == ["Ada Lovelace", "Bo"]
    assert await store.read(lambda tx: members.chats_of(tx, room.id)) == [ADA.id, BO.id]


async def test_joining_again_changes_nothing(store):
    room = await _open(store)
    await _join(store, BO, room.code)
    before = await rows_of(store, schema.members)
    await _join(store, BO, room.code, LATER)
    assert await rows_of(store, schema.members) == before


@pytest.mark.parametrize("code", ["", "ZZZZZZ", "2026-12-01", "🍎" * 200, "%"])
async def test_a_code_that_no_room_has_is_refused_and_nobody_moves(store, code):
    room = await _open(store)
    with pytest.raises(NoSuchRoom) as refused:
        await _join(store, ADA, code)
    assert refused.value.code == code[:32]
    assert await store.read(lambda tx: members.joined(tx, ADA.id)) == room


async def test_joining_another_room_leaves_the_one_before(store):
    # given
    first, second = await _open(store, ADA), await _open(store, BO, seed=2)

    # when
    await _join(store, ADA, second.code, LATER)

    # then
    assert await _names(store, first) == []
    assert await _names(store, second) == ["Bo", "Ada Lovelace"]
    assert await store.read(lambda tx: members.joined(tx, ADA.id)) == second
    left = await rows_of(store, schema.members, room_id=first.id)
    assert [row.left_at for row in left] == [LATER]


async def test_a_room_may_be_left_and_joined_again(store):
    room = await _open(store)
    assert await _leave(store) == room
    assert await store.read(lambda tx: members.joined(tx, ADA.id)) is None
    assert await _leave(store) is None
    await _join(store, ADA, room.code, LATER)
    [row] = await rows_of(store, schema.members)
    assert (row.joined_at, row.left_at) == (LATER, None)


async def test_a_person_who_joins_two_rooms_at_once_is_in_one(store):
    # given
    codes = [(await _open(store, who, seed=n)).code for n, who in enumerate((ADA, BO))]

    # when
    await asyncio.gather(*(_join(store, CY, code) for code in codes * 3))

    # then
    mine = await rows_of(store, schema.members, player_id=CY.id)
    assert sum(row.left_at is None for row in mine) == 1


async def test_many_who_invite_at_once_have_rooms_of_their_own_and_one_who_invites_twice_has_one(store):
    opened = await asyncio.gather(*(_open(store, who, seed=n) for n, who in enumerate((ADA, BO, ADA, ADA))))
    assert opened[0] == opened[2] == opened[3]
    assert len({room.code for room in opened}) == 2


class _Loaded:
    """Dice that always fall the same way."""

    def sample(self, population, k):
        return list(population[:k])


async def test_a_code_that_is_taken_is_drawn_again_and_never_shared(store):
    # given
    async def open_(tx, person):
        return await members.open_link(tx, await seen(tx, person, T0), T0, _Loaded())

    room = await store.transact(lambda tx: open_(tx, ADA))
    assert room.code == ALPHABET[:6]

    # then
    with pytest.raises(StoreDown):
        await store.transact(lambda tx: open_(tx, BO), attempts=1)
    assert await store.read(lambda tx: members.joined(tx, BO.id)) is None
