"""Admission: what is taken, what is refused, and that a message is one guess."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta

import pytest

from codemojex.game.keyboards import Mode
from codemojex.game.refusals import AlreadyTried, GameOver, NotSix, OutOfGuesses, Repeated, TooFast, Unknown
from codemojex.play.games import Cause
from codemojex.play.guesses import Guesses, Limits, Source
from codemojex.store import schema
from tests.play import makers
from tests.play.makers import (
    ADA,
    BO,
    CY,
    FAR,
    MISS,
    NEAR,
    SECRET,
    T0,
    WRONG,
    circle,
    group,
    mint,
    puzzle,
    rows,
    seat,
)


async def test_a_guess_becomes_a_row_with_everything_operators_ask_for(table):
    # when
    receipt = await table.guess(NEAR, message_id=77, update_id=900_001)

    # then
    row = (await table.guesses())[0]
    assert (row.id, row.game_id, row.player_id) == (receipt.id, table.game.id, ADA.id)
    assert (row.chat_id, row.message_id, row.update_id) == (ADA.id, 77, 900_001)
    assert (row.symbols, row.number, row.ordinal, row.late) == (NEAR, 1, 1, False)
    assert row.admitted_at == table.at(1)
    assert (row.points, row.enqueued_at, row.scored_at, row.told_at) == (None, None, None, None)


async def test_the_payload_names_the_game_and_nothing_secret(table):
    receipt = await table.guess(SECRET)
    assert json.loads(receipt.item.payload) == {"v": 1, "game": table.game.id}


async def test_the_same_message_again_gets_the_first_receipt_and_costs_nothing(table):
    # given
    first = await table.guess(NEAR, message_id=11)

    # when
    again = await table.guess(NEAR, message_id=11)

    # then
    assert (again.id, again.number, again.duplicate) == (first.id, 1, True)
    assert not first.duplicate
    assert len(await table.guesses()) == 1
    assert (await table.guess(FAR)).number == 2


async def test_the_same_message_after_the_end_still_gets_its_first_receipt(table):
    # given
    first = await table.guess(NEAR, message_id=11)
    await table.give_up()

    # when
    again = await table.guess(NEAR, message_id=11)

    # then
    assert (again.id, again.duplicate, again.game_id) == (first.id, True, table.game.id)


async def test_message_ids_of_two_chats_are_different_messages(store):
    table = await group(store)
    first = await table.guess(NEAR, ADA, message_id=11)
    second = await table.guess(NEAR, BO, message_id=11, chat_id=BO.id)
    assert first.id != second.id
    assert not second.duplicate


async def test_the_same_message_many_times_at_once_is_one_guess(table):
    receipts = await asyncio.gather(*(table.guess(NEAR, message_id=11) for _ in range(8)))
    assert len({receipt.id for receipt in receipts}) == 1
    assert sum(not receipt.duplicate for receipt in receipts) == 1
    assert len(await table.guesses()) == 1


@pytest.mark.parametrize(
    ("symbols", "refusal"),
    [
        (SECRET + "🥝", NotSix),
        (SECRET[:5], NotSix),
        ("", NotSix),
        ("🍎🍎🍇🍓🍒🍍", Repeated),
        ("🍎🚀🍇🍓🍒🍍", Unknown),
        ("🍎🥥🍇🍓🍒🍍", Unknown),
    ],
)
async def test_what_is_no_guess_on_this_keyboard_is_refused_and_costs_nothing(table, symbols, refusal):
    with pytest.raises(refusal):
        await table.guess(symbols)
    assert await table.guesses() == []
    assert (await table.guess(NEAR)).number == 1


async def test_a_closed_game_takes_no_guess(table):
    await table.give_up()
    with pytest.raises(GameOver):
        await table.guess(NEAR)


async def test_a_game_whose_time_is_up_takes_no_guess_even_before_it_is_settled(store):
    # given
    table = await seat(store, minutes=1)
    await table.guess(NEAR, seconds=59.9)

    # when
    with pytest.raises(GameOver):
        await table.guess(FAR, seconds=60)

    # then
    assert len(await table.guesses()) == 1


async def test_the_guess_after_the_last_one_is_refused_with_the_limit(store):
    # given
    table = await seat(store, limits=Limits(alone=2, per_second=0))
    assert [(await table.guess(wrong)).number for wrong in WRONG[:2]] == [1, 2]

    # when
    with pytest.raises(OutOfGuesses) as refusal:
        await table.guess(SECRET)

    # then
    assert refusal.value.limit == 2
    assert len(await table.guesses()) == 2


async def test_each_player_of_a_group_has_guesses_of_their_own(store):
    table = await group(store, limits=Limits(group=1, per_second=0))
    for person in (ADA, BO, CY):
        assert (await table.guess(NEAR, person)).number == 1
    with pytest.raises(OutOfGuesses):
        await table.guess(FAR, BO)
    assert [row.ordinal for row in await table.guesses()] == [1, 2, 3]


@pytest.mark.parametrize(
    ("mode", "shown"),
    [(Mode.CLASSIC, (560, None, None)), (Mode.PEGS, (None, 4, 2)), (Mode.BLIND, (None, None, None))],
)
async def test_the_same_guess_again_is_refused_with_what_its_mode_has_shown_and_costs_nothing(
    store, mode, shown
):
    # given
    table = await group(store, mode=mode)
    await table.guess(FAR, ADA)
    first = await table.guess(NEAR, ADA)

    # when: before its score is known, and after
    with pytest.raises(AlreadyTried) as early:
        await table.guess(NEAR, ADA)
    await table.score(first)
    with pytest.raises(AlreadyTried) as late:
        await table.guess(NEAR, ADA)

    # then
    told = [(each.value.number, each.value.total, each.value.exact) for each in (early, late)]
    assert told == [(2, None, None), (2, shown[0], shown[1])]
    assert late.value.misplaced == shown[2]
    assert (await table.guess(MISS, ADA)).number == 3


async def test_what_others_tried_and_what_was_tried_in_an_earlier_game_may_be_tried(store):
    # given
    table = await group(store)
    await table.guess(NEAR, ADA)
    assert (await table.guess(NEAR, BO)).number == 1
    await table.settle(Cause.CLOCK)

    # when
    again = await group(store)

    # then
    assert (await again.guess(NEAR, ADA, message_id=99)).number == 1


async def test_of_the_same_guess_many_times_at_once_one_is_admitted(table):
    outcomes = await asyncio.gather(*(table.guess(NEAR) for _ in range(8)), return_exceptions=True)
    assert sum(isinstance(outcome, AlreadyTried) for outcome in outcomes) == 7
    assert [row.number for row in await table.guesses()] == [1]


async def test_the_same_guess_over_and_over_is_a_flood_as_well(store):
    table = await seat(store, limits=Limits())
    await table.guess(NEAR)

    async def again(tx):
        source = Source(ADA.id, next(table.messages), table.at(1))
        with pytest.raises((AlreadyTried, TooFast)) as refusal:
            await Guesses(tx, table.at(1), mint, Limits()).submit(table.game, table.ada, list(NEAR), source)
        return refusal.type

    assert [await store.transact(again) for _ in range(4)] == [AlreadyTried, AlreadyTried, TooFast, TooFast]


async def _flood(table, tries):
    """Submit at one moment, committing refusals as the bot does; what became of each."""
    seen = []
    for wrong in WRONG[:tries]:

        async def submit(tx, wrong=wrong):
            source = Source(ADA.id, next(table.messages), T0)
            try:
                await Guesses(tx, T0, mint, Limits()).submit(table.game, table.ada, list(wrong), source)
            except TooFast as refusal:
                return "told" if refusal.tell else "silent"
            return "admitted"

        seen.append(await table.store.transact(submit))
    return seen


async def test_a_flood_is_told_once_and_costs_no_guesses(table):
    assert await _flood(table, 6) == ["admitted"] * 3 + ["told"] + ["silent"] * 2
    assert len(await table.guesses()) == 3


async def test_a_pace_is_kept_by_the_messages_own_times(store):
    """Eight guesses a second apart, handled in one moment after an outage, are no flood."""
    table = await seat(store, limits=Limits())
    for seconds in range(8):
        await table.guess(WRONG[seconds], seconds=seconds)
    assert len(await table.guesses()) == 8


async def test_one_players_flood_is_not_anothers(store):
    table = await group(store, limits=Limits())
    for wrong in WRONG[:3]:
        await table.guess(wrong, ADA)
    with pytest.raises(TooFast):
        await table.guess(NEAR, ADA)
    assert not (await table.guess(NEAR, BO)).duplicate


async def test_an_id_that_exists_already_is_minted_again(table, monkeypatch):
    # given
    first = await table.guess(NEAR)
    ids = iter([first.id, first.id])
    monkeypatch.setattr(makers, "mint", lambda namespace: next(ids, None) or mint(namespace))

    # when
    second = await table.guess(FAR)

    # then
    assert second.id != first.id
    assert [row.id for row in await table.guesses()] == [first.id, second.id]


async def test_guesses_at_once_are_admitted_one_after_another(store):
    """Ordinals have no gaps or twins, and ids and numbers follow them."""
    # given
    table = await group(store)

    # when
    await asyncio.gather(*(table.guess(wrong, who) for wrong in WRONG[:7] for who in (ADA, BO, CY)))

    # then
    found = await table.guesses()
    assert [row.ordinal for row in found] == list(range(1, 22))
    assert [row.id for row in found] == sorted(row.id for row in found)
    for person in (ADA, BO, CY):
        numbers = [row.number for row in found if row.player_id == person.id]
        assert numbers == list(range(1, 8))


async def test_a_guess_that_races_the_end_is_scored_or_refused(store):
    """Whichever comes first, no guess is left in a closed game without a score."""
    for round_ in range(12):
        # given
        table = await seat(store, [makers.Person(6_000_000_000 + round_, "Di")])
        person = makers.Person(6_000_000_000 + round_, "Di")

        # when
        outcome, _ = await asyncio.gather(
            table.guess(NEAR, person), table.settle(Cause.CLOCK), return_exceptions=True
        )

        # then
        found = await table.guesses()
        assert isinstance(outcome, GameOver) or len(found) == 1
        assert all(row.scored_at is not None for row in found)
        row = await table.row()
        assert all(guess.admitted_at <= row.closed_at for guess in found)


async def test_a_guess_costs_four_statements_and_one_of_a_puzzle_one_more(store, statements):
    """The game's lock, what stands there, the pace, the guess; and whether the player has cracked it already."""
    for n, (make, cost) in enumerate([(seat, 4), (group, 4), (circle, 4), (puzzle, 5)], 1):
        table = await make(store, [ADA], limits=Limits())
        with statements(store) as sent:
            await table.guess(NEAR, ADA, message_id=n, seconds=9 * n)
        assert len(sent) == cost
        await table.settle(Cause.CLOCK)


async def test_a_time_without_a_zone_is_refused_before_it_is_stored(table):
    naive = (T0 + timedelta(seconds=1)).replace(tzinfo=None)

    async def submit(tx):
        source = Source(ADA.id, 1, T0)
        await Guesses(tx, naive, mint, Limits()).submit(table.game, table.ada, list(NEAR), source)

    with pytest.raises(Exception, match="naive time"):
        await table.store.transact(submit)
    assert await rows(table.store, schema.guesses) == []
