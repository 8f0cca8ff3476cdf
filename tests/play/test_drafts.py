"""Drafts: a guess put together with buttons, submitted once however often they are tapped."""

from __future__ import annotations

import asyncio

import pytest

from codemojex.game.refusals import Empty, GameOver, NotFilling, NotOnKeyboard, NotSix, StaleDraft
from codemojex.play import drafts, pins
from codemojex.play.guesses import Guesses, Source
from codemojex.store import schema
from tests.play.makers import ADA, BO, SECRET, group, mint, rows, seat


async def _tap(table, *keys, version=0, person=ADA, seconds=1):
    for key in keys:
        draft = await table.store.transact(
            lambda tx, key=key: drafts.tap(
                tx, table.game, table.people[person.id], key, version, table.at(seconds)
            )
        )
    return draft


async def _submit(table, version=0, person=ADA):
    """What the button does: one transaction."""

    async def submit(tx):
        player = table.people[person.id]
        symbols, draft = await drafts.ready(tx, table.game, player, version, table.at(2))
        source = Source(table.chat_of(person), draft.message_id, table.at(2))
        receipt = await Guesses(tx, table.at(2), mint, table.limits).submit(
            table.game, player, symbols, source
        )
        return receipt, await drafts.bump(tx, draft)

    return await table.store.transact(submit)


async def test_taps_gather_symbols_in_order(table):
    draft = await _tap(table, 2, 0, 1)
    assert draft.symbols == tuple("🍇🍎🍌")
    assert draft == await table.store.read(lambda tx: drafts.draft_of(tx, table.game.id, ADA.id))
    assert draft.version == 0


async def test_the_last_symbol_or_all_are_taken_away(table):
    await _tap(table, 2, 0, 1)
    assert (await _tap(table, "del")).symbols == tuple("🍇🍎")
    assert (await _tap(table, "clear")).symbols == ()
    assert (await _tap(table, "del")).symbols == ()


async def test_a_symbol_twice_or_a_seventh_changes_nothing(table):
    assert (await _tap(table, 0, 0, 0)).symbols == ("🍎",)
    full = await _tap(table, 1, 2, 3, 4, 5)
    assert len(full.symbols) == 6
    assert await _tap(table, 6, 0) == full


@pytest.mark.parametrize("key", [12, 99, -1])
async def test_a_key_that_is_not_there_is_refused(table, key):
    with pytest.raises(NotOnKeyboard):
        await _tap(table, key)


async def test_with_pins_only_the_other_positions_are_gathered(table):
    # given
    for position in (1, 2):
        await table.store.transact(
            lambda tx, position=position: pins.pin(
                tx, table.game, table.ada, position, SECRET[position - 1], table.at(1)
            )
        )

    # when
    draft = await _tap(table, 0, 1, 2, 3, 4, 5, 6)

    # then
    assert draft.symbols == tuple(SECRET[2:])
    receipt, _ = await _submit(table)
    assert [(row.id, row.symbols) for row in await table.guesses()] == [(receipt.id, SECRET)]


async def test_a_submitted_draft_is_a_guess_and_begins_anew_in_the_next_version(table):
    # given
    draft = await _tap(table, 0, 1, 2, 3, 4, 5)

    # when
    receipt, next_ = await _submit(table)

    # then
    [row] = await table.guesses()
    assert (row.id, row.symbols, row.message_id) == (receipt.id, SECRET, -(draft.id * 10_000))
    assert (next_.symbols, next_.version) == ((), 1)
    assert next_.message_id != draft.message_id
    assert (await _tap(table, 3, version=1)).symbols == ("🍓",)


@pytest.mark.parametrize("tap", [0, "del", "clear"])
async def test_a_button_of_an_earlier_version_changes_nothing(table, tap):
    # given
    await _tap(table, 0, 1, 2, 3, 4, 5)
    await _submit(table)
    await _tap(table, 0, version=1)

    # when
    for version in (0, 2):
        with pytest.raises(StaleDraft):
            await _tap(table, tap, version=version)

    # then
    [draft] = await rows(table.store, schema.drafts)
    assert (draft.symbols, draft.version) == ("🍎", 1)


async def test_a_submit_that_is_tapped_many_times_at_once_is_one_guess(table):
    await _tap(table, 0, 1, 2, 3, 4, 5)
    outcomes = await asyncio.gather(*(_submit(table) for _ in range(6)), return_exceptions=True)
    assert sum(isinstance(outcome, StaleDraft) for outcome in outcomes) == 5
    assert len(await table.guesses()) == 1


async def test_shared_buttons_submit_each_players_own_draft_once(store):
    # given
    table = await group(store)
    await _tap(table, 0, 1, 2, 3, 4, 5, version=None, person=ADA)
    await _tap(table, 5, 4, 3, version=None, person=BO)

    # when
    outcomes = await asyncio.gather(*(_submit(table, None) for _ in range(4)), return_exceptions=True)

    # then
    assert sum(isinstance(outcome, Empty) for outcome in outcomes) == 3
    assert [(row.player_id, row.symbols) for row in await table.guesses()] == [(ADA.id, SECRET)]
    assert (await _tap(table, 2, version=None, person=BO)).symbols == tuple("🍍🍒🍓🍇")


async def test_with_every_position_pinned_a_second_tap_on_shared_buttons_is_no_second_guess(store):
    # given: nothing is left to choose, so the draft is empty before it is sent as well as after
    table = await group(store)
    for position, symbol in enumerate(SECRET[::-1], 1):
        await table.store.transact(
            lambda tx, at=position, s=symbol: pins.pin(tx, table.game, table.ada, at, s, table.at(1))
        )

    # when
    outcomes = [await _submit(table, None)]
    with pytest.raises(StaleDraft):
        await _submit(table, None)

    # then
    assert [row.id for row in await table.guesses()] == [outcomes[0][0].id]

    # and other pins make another guess
    await table.store.transact(lambda tx: pins.unpin(tx, table.game, table.ada, 1))
    await table.store.transact(lambda tx: pins.pin(tx, table.game, table.ada, 1, "🍋", table.at(3)))
    await _submit(table, None)
    assert len(await table.guesses()) == 2


async def test_taps_at_once_are_all_kept(table):
    await asyncio.gather(*(_tap(table, key) for key in range(6)))
    [draft] = await rows(table.store, schema.drafts)
    assert sorted(draft.symbols) == sorted(SECRET)


async def test_what_is_no_guess_yet_is_refused_and_kept(table):
    with pytest.raises(Empty):
        await _submit(table)
    await _tap(table, 0, 1)
    with pytest.raises(NotSix) as refusal:
        await _submit(table)
    assert (refusal.value.count, len(await table.guesses())) == (2, 0)
    assert (await _tap(table, 2)).symbols == tuple(SECRET[:3])


async def test_what_does_not_fill_the_positions_without_a_pin_is_refused(table):
    await table.store.transact(lambda tx: pins.pin(tx, table.game, table.ada, 1, "🍎", table.at(1)))
    await _tap(table, 1, 2)
    with pytest.raises(NotFilling) as refusal:
        await _submit(table)
    assert (refusal.value.count, refusal.value.free) == (2, 5)


async def test_a_game_whose_time_is_up_takes_no_taps(store):
    table = await seat(store, minutes=1)
    with pytest.raises(GameOver):
        await _tap(table, 0, seconds=60)
    assert await rows(store, schema.drafts) == []
