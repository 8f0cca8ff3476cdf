"""Giving up: alone at once, in company by more than half of those who play, or by an admin."""

from __future__ import annotations

import asyncio

import pytest

from codemojex.game.refusals import DailyNotGivenUp, NothingToGiveUp, NotYoursToGiveUp, VoteCounted
from codemojex.play import members, privacy
from codemojex.play.games import Cause
from codemojex.play.settlement import Settled
from codemojex.play.votes import Vote
from codemojex.store import schema
from tests.play.makers import ADA, BO, CY, NEAR, SECRET, Person, circle, group, mint, puzzle, rows

DI = Person(5_000_000_104, "Di")


async def _leave(table, *people):
    for person in people:
        await table.store.transact(lambda tx, p=person: members.leave(tx, table.people[p.id], table.at(5)))


async def test_a_vote_of_one_in_three_is_counted_and_a_second_ends_the_game(store):
    # given
    table = await group(store)
    for person in (ADA, BO, CY):
        await table.guess(NEAR, person)

    # when
    first, second = await table.give_up(ADA), await table.give_up(CY)

    # then
    assert first == Vote(votes=1, needed=2)
    assert isinstance(second, Settled)
    assert (second.cause, (await table.row()).closed_reason) == (Cause.GAVE_UP, "gave_up")


async def test_half_is_no_majority(store):
    table = await group(store, (ADA, BO, CY, DI))
    for person in (ADA, BO, CY, DI):
        await table.guess(NEAR, person)
    assert await table.give_up(ADA) == Vote(1, 3)
    assert await table.give_up(BO) == Vote(2, 3)
    assert isinstance(await table.give_up(CY), Settled)


async def test_whoever_joins_the_game_counts_from_then_on(store):
    table = await group(store)
    await table.guess(NEAR, ADA)
    await table.guess(NEAR, BO)
    assert await table.give_up(ADA) == Vote(1, 2)
    await table.guess(NEAR, CY)
    assert isinstance(await table.give_up(CY), Settled)


async def test_the_same_vote_again_counts_once(store):
    # given
    table = await group(store)
    await table.guess(NEAR, ADA)
    await table.guess(NEAR, BO)
    await table.give_up(ADA)

    # when
    with pytest.raises(VoteCounted) as refusal:
        await table.give_up(ADA)

    # then
    assert (refusal.value.votes, refusal.value.needed) == (1, 2)
    assert (await table.row()).state == "open"


async def test_the_only_one_who_plays_may_end_a_groups_game(store):
    table = await group(store)
    await table.guess(NEAR, BO)
    assert isinstance(await table.give_up(BO), Settled)


@pytest.mark.parametrize("gather", [group, circle])
async def test_before_the_first_guess_only_who_opened_the_game_may_end_it(store, gather):
    table = await gather(store)
    with pytest.raises(NotYoursToGiveUp):
        await table.give_up(BO)
    assert isinstance(await table.give_up(ADA), Settled)


async def test_who_does_not_play_has_no_vote_not_even_who_opened_the_game(store):
    table = await group(store)
    await table.guess(NEAR, BO)
    for person in (ADA, CY):
        with pytest.raises(NotYoursToGiveUp):
            await table.give_up(person)
    assert await rows(store, schema.votes) == []


async def test_an_admin_ends_a_groups_game_alone(store):
    table = await group(store)
    await table.guess(NEAR, ADA)
    await table.guess(NEAR, BO)
    assert isinstance(await table.give_up(CY, admin=True), Settled)


async def test_nobody_is_admin_of_a_circle_of_friends(store):
    table = await circle(store)
    await table.guess(NEAR, ADA)
    await table.guess(NEAR, BO)
    assert await table.give_up(ADA, admin=True) == Vote(1, 2)


async def test_the_puzzle_of_the_day_ends_by_itself(store):
    table = await puzzle(store)
    await table.guess(NEAR, ADA)
    for admin in (False, True):
        with pytest.raises(DailyNotGivenUp):
            await table.give_up(ADA, admin=admin)
    assert (await table.row()).state == "open"


async def test_those_who_were_forgotten_neither_vote_nor_count(store):
    table = await group(store, (ADA, BO, Person(-77, "Nobody"), Person(-78, "Nobody")))
    for id in table.people:
        await table.guess(NEAR, Person(id, ""))
    assert await table.give_up(ADA) == Vote(1, 2)
    assert isinstance(await table.give_up(BO), Settled)


async def test_friends_who_have_left_the_room_neither_vote_nor_count(store):
    # given: three have guessed, and one of them wants to give up
    table = await circle(store)
    for person in (ADA, BO, CY):
        await table.guess(NEAR, person)
    assert await table.give_up(ADA) == Vote(1, 2)

    # when the two others leave
    await _leave(table, BO, CY)

    # then the vote that counts already is enough
    assert isinstance(await table.give_up(ADA), Settled)


@pytest.mark.parametrize("guessed", [(), (ADA,)])
async def test_a_game_whose_opener_and_players_have_left_is_ended_by_who_is_there(store, guessed):
    table = await circle(store)
    for person in guessed:
        await table.guess(NEAR, person)
    with pytest.raises(NotYoursToGiveUp):
        await table.give_up(BO)
    await _leave(table, ADA)
    assert isinstance(await table.give_up(BO), Settled)


async def test_a_game_whose_opener_was_forgotten_is_ended_by_anybody(store):
    table = await group(store)
    await table.store.transact(lambda tx: privacy.forget(tx, table.people[ADA.id], table.at(3), mint))
    assert isinstance(await table.give_up(BO), Settled)


async def test_a_game_whose_time_is_up_takes_no_votes_and_ends_by_its_clock(store):
    table = await group(store, minutes=1)
    await table.guess(NEAR, ADA)
    await table.guess(NEAR, BO)
    settled = await table.give_up(ADA, seconds=61)
    assert settled.cause is Cause.CLOCK
    assert await rows(store, schema.votes) == []


async def test_a_crack_that_was_admitted_before_the_last_vote_wins(store):
    table = await group(store)
    await table.guess(NEAR, ADA)
    await table.guess(SECRET, BO)
    await table.give_up(ADA)
    settled = await table.give_up(BO)
    assert (settled.cause, settled.winner_id) == (Cause.CRACKED, BO.id)


async def test_votes_at_once_end_the_game_once(store):
    """Whichever comes last sees the other ones; the vote after the end finds no game."""
    # given
    table = await group(store)
    for person in (ADA, BO, CY):
        await table.guess(NEAR, person)

    # when
    outcomes = await asyncio.gather(*(table.give_up(p) for p in (ADA, BO, CY)), return_exceptions=True)

    # then
    assert sum(isinstance(outcome, Settled) for outcome in outcomes) == 1
    assert outcomes.count(Vote(1, 2)) == 1
    assert sum(isinstance(outcome, NothingToGiveUp) for outcome in outcomes) == 1
    assert len(await rows(store, schema.notices, kind="ended")) == 1
