"""Pins of players: kept until the game ends, each one's own."""

from __future__ import annotations

import asyncio

import pytest

from codemojex.game.pins import NO_PINS, merge
from codemojex.game.refusals import BadPosition, GameOver, NotOnKeyboard, PinTaken
from codemojex.play import games, pins
from tests.play.makers import ADA, BO, SECRET, circle, group, seat

A, B, C, D, E, F = SECRET


async def _pin(table, position, symbol, person=ADA, seconds=1):
    player = table.people[person.id]
    return await table.store.transact(
        lambda tx: pins.pin(tx, table.game, player, position, symbol, table.at(seconds))
    )


async def _unpin(table, position=None, person=ADA):
    return await table.store.transact(
        lambda tx: pins.unpin(tx, table.game, table.people[person.id], position)
    )


async def _pinned(table, person=ADA):
    return await table.store.read(lambda tx: pins.pinned(tx, table.game.id, person.id))


async def test_a_pin_is_kept_and_can_be_replaced(table):
    assert await _pin(table, 3, C) == (None, None, C, None, None, None)
    assert await _pin(table, 1, A) == (A, None, C, None, None, None)
    assert await _pin(table, 1, B) == (B, None, C, None, None, None)
    assert await _pinned(table) == (B, None, C, None, None, None)


async def test_the_same_pin_again_changes_nothing(table):
    await _pin(table, 3, C)
    assert await _pin(table, 3, C) == await _pinned(table) == (None, None, C, None, None, None)


async def test_a_refused_pin_leaves_the_others(table):
    await _pin(table, 3, C)
    for position, symbol, refusal in ((7, A, BadPosition), (1, "🚀", NotOnKeyboard), (1, C, PinTaken)):
        with pytest.raises(refusal):
            await _pin(table, position, symbol)
    assert await _pinned(table) == (None, None, C, None, None, None)


async def test_a_pin_that_is_let_go_may_go_elsewhere(table):
    await _pin(table, 3, C)
    assert await _unpin(table, 3) == NO_PINS
    assert await _pin(table, 1, C) == (C, None, None, None, None, None)


async def test_all_pins_are_let_go_at_once_and_none_is_fine(table):
    await _pin(table, 3, C)
    await _pin(table, 1, A)
    assert await _unpin(table) == await _unpin(table) == await _unpin(table, 2) == NO_PINS
    with pytest.raises(BadPosition):
        await _unpin(table, 0)


async def test_each_player_of_a_game_has_their_own(store):
    table = await group(store)
    await _pin(table, 3, C, ADA)
    assert await _pin(table, 1, C, BO) == (C, None, None, None, None, None)
    await _unpin(table, person=BO)
    assert await _pinned(table, ADA) == (None, None, C, None, None, None)


async def test_pins_end_with_the_game(store):
    # given
    table = await seat(store, minutes=1)
    await _pin(table, 3, C)

    # when
    with pytest.raises(GameOver):
        await _pin(table, 1, A, seconds=60)
    await table.settle(seconds=60)
    table.game = await store.read(lambda tx: games.game(tx, table.game.id))

    # then
    with pytest.raises(GameOver):
        await _pin(table, 1, A, seconds=1)
    again = await seat(store)
    assert await _pinned(again) == NO_PINS


async def test_pins_set_at_once_are_all_kept_and_one_symbol_is_pinned_once(store):
    table = await circle(store)
    outcomes = await asyncio.gather(
        *(_pin(table, position, symbol) for position, symbol in enumerate(SECRET, 1)),
        *(_pin(table, 7 - position, symbol) for position, symbol in enumerate(SECRET, 1)),
        return_exceptions=True,
    )
    assert all(isinstance(outcome, tuple | PinTaken) for outcome in outcomes)
    kept = [symbol for symbol in await _pinned(table) if symbol]
    assert len(kept) == len(set(kept))


async def test_a_guess_with_pins_is_admitted_as_the_six_it_makes(table):
    slots = await _pin(table, 3, C)
    await table.guess("".join(merge([A, B, D, E, F], slots, table.game.keyboard)))
    assert [row.symbols for row in await table.guesses()] == [SECRET]
