"""The end of a game in every kind of room: who is told where, and what is written down of it."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import update

from codemojex.play import cards, members, settlement
from codemojex.play.games import Cause
from codemojex.play.rooms import ChatRef
from codemojex.store import schema
from tests.play.makers import (
    ADA,
    BO,
    CY,
    FAR,
    GROUP,
    NEAR,
    SECRET,
    WRONG,
    Person,
    circle,
    group,
    mint,
    rows,
    seat,
)

DI = Person(5_000_000_104, "Di")


async def _ended(table):
    found = await rows(table.store, schema.notices, kind="ended")
    return {row.chat_id: json.loads(row.data) for row in found}


async def test_a_topic_is_told_in_its_topic(store):
    table = await seat(store, [ADA], chat=ChatRef(GROUP, "supergroup", "Fruit", 7))
    await table.give_up()
    [notice] = await rows(store, schema.notices, kind="ended")
    assert (notice.chat_id, notice.thread_id) == (GROUP, 7)


async def test_a_group_is_told_in_the_chat_it_is_now(store):
    """Its guesses keep the id that the group had when they came."""
    table = await group(store)
    await table.guess(NEAR, ADA)
    moved = update(schema.rooms).where(schema.rooms.c.id == table.room.id).values(chat_id=GROUP - 1)
    await store.transact(lambda tx: tx.execute(moved))
    await table.settle(Cause.CLOCK)
    assert list(await _ended(table)) == [GROUP - 1]


async def test_friends_are_told_each_in_their_own_chat_how_they_did(store):
    # given
    table = await circle(store)
    await table.score(*await table.admit((NEAR, ADA), (FAR, BO), (SECRET, BO)))

    # when
    await table.settle()

    # then
    ended = await _ended(table)
    assert {
        id: (data["you_won"], data["best"], data["guesses"], data["rank"], data["of"])
        for id, data in ended.items()
    } == {ADA.id: (False, 560, 1, 2, 2), BO.id: (True, 600, 2, 1, 2), CY.id: (False, None, 0, None, 2)}
    assert {(data["winner"], data["winner_id"]) for data in ended.values()} == {("Bo", BO.id)}


async def test_who_has_left_is_told_if_they_played_and_not_otherwise(store):
    # given
    table = await circle(store, (ADA, BO, CY, DI))
    await table.guess(NEAR, BO)
    for person in (BO, CY):
        await store.transact(
            lambda tx, person=person: members.leave(tx, table.people[person.id], table.at(2))
        )

    # when
    await table.settle(Cause.CLOCK)

    # then
    assert set(await _ended(table)) == {ADA.id, BO.id, DI.id}


async def test_who_was_too_late_is_told_of_the_end_too(store):
    table = await circle(store, (ADA, BO))
    await table.admit((SECRET, ADA), (NEAR, BO))
    await store.transact(lambda tx: members.leave(tx, table.people[BO.id], table.at(2)))
    await table.settle(Cause.CLOCK)
    ended = await _ended(table)
    assert (ended[BO.id]["best"], ended[BO.id]["guesses"], ended[BO.id]["you_won"]) == (None, 0, False)


async def test_who_was_forgotten_has_no_chat_to_be_told_in(store):
    table = await circle(store, (ADA, Person(-77, "Nobody")))
    await table.guess(NEAR, Person(-77, "Nobody"))
    await table.settle(Cause.CLOCK)
    assert set(await _ended(table)) == {ADA.id}


@pytest.mark.parametrize("gather", [group, circle])
async def test_a_room_of_several_outlives_anybodys_last_guess(store, gather):
    table = await gather(store)
    last = [await table.guess(wrong, ADA) for wrong in WRONG[: table.game.guess_limit]][-1]
    assert (await table.score(last)).to_settle == set()
    assert await table.settle() is None


async def test_a_board_is_shown_a_last_time_below_the_end(store):
    # given
    table = await group(store)
    card = await store.transact(lambda tx: cards.board_card(tx, table.game.id, GROUP))
    shown = update(schema.cards).where(schema.cards.c.id == card).values(message_id=44)
    await store.transact(lambda tx: tx.execute(shown))
    await table.score(await table.guess(SECRET, BO))

    # when
    settled = await table.settle()

    # then
    told = await rows(store, schema.notices)
    assert [(row.kind, row.card_id) for row in told] == [("result", None), ("ended", None), ("card", card)]
    assert [ref.id for ref in settled.notices] == [row.id for row in told]


async def test_how_each_player_ended_is_written_down_and_counts_for_the_seasons(store):
    # given
    table = await group(store)
    await table.score(*await table.admit((NEAR, ADA), (SECRET, BO), (NEAR, CY)))

    # when
    await table.settle()

    # then: Cy came too late
    finishes = await rows(store, schema.finishes)
    assert [(row.player_id, row.points, row.rank, row.won) for row in finishes] == [
        (ADA.id, 560, 2, False), (BO.id, 600, 1, True),
    ]  # fmt: skip
    assert {row.scope for row in await rows(store, schema.seasons)} == {0, GROUP}


async def test_a_season_counts_by_the_zone_of_the_days(store):
    table = await seat(store)
    await table.score(await table.guess(NEAR))

    # when: noon of the first of December, where it is the second already
    await store.transact(
        lambda tx: settlement.settle(
            tx, table.game.id, table.at(6), mint, Cause.GAVE_UP, "Pacific/Kiritimati"
        )
    )

    # then
    assert "2026-12-02" in {row.period for row in await rows(store, schema.seasons)}
