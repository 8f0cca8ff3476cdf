"""Opening a game, and looking at it."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta

import pytest

from codemojex.game.keyboards import Level, Mode
from codemojex.game.refusals import BadOption, GameRunning
from codemojex.game.secret import verify
from codemojex.play import games
from codemojex.play.games import Cause, GameOptions, GameState
from codemojex.play.guesses import Limits
from tests.play.makers import ADA, BO, NONCE, SECRET, T0, group, rows, schema, seat


async def _open(table, options=None, room=None):
    async def make(tx):
        return await games.open_game(
            tx,
            room or table.room,
            table.ada,
            options or GameOptions(),
            T0,
            random.SystemRandom(),
            NONCE,
            Limits(),
        )

    return await table.store.transact(make)


async def test_a_game_alone_has_twelve_symbols_twelve_guesses_and_no_clock(store):
    # when
    table = await seat(store, limits=Limits())

    # then
    view = table.game
    assert (view.level, view.mode, view.theme) == (Level.NORMAL, Mode.CLASSIC, "fruit")
    assert (len(view.keyboard.symbols), view.guess_limit, view.closes_at) == (12, 12, None)
    assert (view.state, view.open, view.opened_at, view.opened_by) == (GameState.OPEN, True, T0, ADA.id)


async def test_a_game_in_a_group_has_thirty_guesses_each_and_fifteen_minutes(store):
    table = await group(store, limits=Limits())
    assert (table.game.guess_limit, table.game.closes_at) == (30, T0 + timedelta(minutes=15))


async def test_minutes_may_be_chosen_between_one_and_a_day(table):
    await table.give_up()
    view = await _open(table, GameOptions(minutes=5))
    assert view.closes_at == T0 + timedelta(minutes=5)


@pytest.mark.parametrize("minutes", [0, -1, 1_441])
async def test_other_minutes_are_refused(table, minutes):
    await table.give_up()
    with pytest.raises(BadOption):
        await _open(table, GameOptions(minutes=minutes))


@pytest.mark.parametrize("secret", [SECRET[:5], "🍎🍎🍇🍓🍒🍍", "🍎🍌🍇🍓🍒🚀"])
async def test_a_fixed_secret_that_is_no_guess_is_refused(table, secret):
    await table.give_up()
    with pytest.raises(BadOption):
        await _open(table, GameOptions(fixed_secret=tuple(secret)))


async def test_a_drawn_secret_fits_its_commitment_and_its_keyboard(table):
    # given
    await table.give_up()

    # when
    view = await _open(table, GameOptions(level=Level.EASY, theme="animals"))

    # then
    row = (await rows(table.store, schema.games, id=view.id))[0]
    assert verify(row.secret, row.nonce, view.commitment)
    assert set(row.secret) <= set(view.keyboard.chars) == set(row.keyboard)


async def test_a_second_game_in_the_room_is_refused_and_the_first_goes_on(table):
    with pytest.raises(GameRunning) as refusal:
        await _open(table)
    assert refusal.value.opened_at == T0
    running = await table.store.read(lambda tx: games.running(tx, table.room))
    assert running == table.game


async def test_two_who_open_at_once_open_one_game(store):
    # given
    table = await group(store, [ADA, BO])
    await table.settle(Cause.CLOCK)

    # when
    outcomes = await asyncio.gather(*(_open(table) for _ in range(6)), return_exceptions=True)

    # then
    opened = [outcome for outcome in outcomes if isinstance(outcome, games.GameView)]
    assert len(opened) == 1
    assert sum(isinstance(outcome, GameRunning) for outcome in outcomes) == 5
    assert len(await rows(store, schema.games, state="open")) == 1


async def test_rooms_do_not_stand_in_each_others_way(store):
    first, second = await seat(store), await seat(store, [BO])
    assert first.game.id != second.game.id


async def test_the_latest_game_is_the_last_closed_one_with_secret_and_nonce(table):
    # given
    assert await table.store.read(lambda tx: games.latest(tx, table.room)) is None
    await table.give_up()

    # when
    latest = await table.store.read(lambda tx: games.latest(tx, table.room))

    # then
    assert await table.store.read(lambda tx: games.running(tx, table.room)) is None
    assert (latest.secret, latest.nonce, latest.closed_reason) == (tuple(SECRET), NONCE, Cause.GAVE_UP)
    assert verify(latest.secret, latest.nonce, latest.commitment)
