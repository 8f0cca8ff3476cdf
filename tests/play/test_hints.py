"""Hints: a symbol of the secret, two each, paid with sixty points of the player's best."""

from __future__ import annotations

import asyncio
import random

import pytest

from codemojex.game.keyboards import Mode
from codemojex.game.refusals import AlreadySolved, DayOver, GameOver, NoHintsLeft, OutOfGuesses
from codemojex.play import hints, views
from codemojex.play.games import Cause
from codemojex.play.guesses import Limits
from codemojex.store import schema
from tests.play.makers import ADA, BO, CY, FAR, MISS, NEAR, SECRET, Person, group, puzzle, rows, seat


async def _ask(table, person=ADA, seconds=1, seed=1):
    player = table.people[person.id]
    return await table.store.transact(
        lambda tx: hints.ask(tx, table.game, player, table.at(seconds), random.Random(seed))
    )


async def _board(table, viewer=None):
    return await table.store.read(lambda tx: views.board(tx, table.game.id, viewer))


@pytest.mark.parametrize("mode", Mode)
async def test_two_hints_name_two_symbols_of_the_secret(store, mode):
    table = await seat(store, mode=mode)
    first, second = await _ask(table), await _ask(table)
    assert {first.symbol, second.symbol} < set(SECRET)
    assert first.symbol != second.symbol
    assert [(hint.number, hint.left) for hint in (first, second)] == [(1, 1), (2, 0)]


async def test_there_is_no_third_hint(table):
    await _ask(table)
    await _ask(table)
    with pytest.raises(NoHintsLeft) as refusal:
        await _ask(table)
    assert refusal.value.limit == 2
    assert len(await rows(table.store, schema.hints)) == 2


async def test_every_symbol_of_the_secret_can_be_the_first_hint_and_no_other(store):
    table = await group(store, [Person(8_000_000_000 + n, "Di") for n in range(40)])
    given = {(await _ask(table, Person(id, "Di"), seed=id)).symbol for id in table.people}
    assert given == set(SECRET)


async def test_a_hint_says_nothing_of_positions(store):
    """The same dice name the same symbol, however the secret is ordered."""
    named = set()
    for n, secret in enumerate((SECRET, SECRET[::-1], SECRET[3:] + SECRET[:3])):
        person = Person(8_100_000_000 + n, "Di")
        named.add((await _ask(await seat(store, [person], secret=secret), person)).symbol)
    assert len(named) == 1


async def test_each_player_has_hints_of_their_own(store):
    table = await group(store)
    for person in (ADA, BO):
        assert [(await _ask(table, person)).number for _ in range(2)] == [1, 2]


async def test_hints_asked_for_at_once_are_two_and_differ(table):
    outcomes = await asyncio.gather(*(_ask(table) for _ in range(5)), return_exceptions=True)
    given = [outcome for outcome in outcomes if isinstance(outcome, hints.Hint)]
    assert sorted(hint.number for hint in given) == [1, 2]
    assert len({hint.symbol for hint in given}) == 2
    assert sum(isinstance(outcome, NoHintsLeft) for outcome in outcomes) == 3


async def test_a_game_that_takes_no_guesses_gives_no_hints(store):
    table = await seat(store, minutes=1)
    with pytest.raises(GameOver):
        await _ask(table, seconds=60)
    await table.give_up()
    with pytest.raises(GameOver):
        await _ask(table)
    assert await rows(store, schema.hints) == []


async def test_who_has_no_guess_left_gets_no_hint(store):
    table = await group(store, limits=Limits(group=1, per_second=0))
    await table.guess(NEAR, ADA)
    with pytest.raises(OutOfGuesses):
        await _ask(table, ADA)
    assert (await _ask(table, BO)).number == 1


async def test_nobody_pays_for_a_hint_once_a_crack_is_admitted(store):
    """Whatever is guessed from then on comes too late, and so does a hint, before anybody has scored it."""
    table = await group(store)
    await table.guess(NEAR, BO)
    await table.guess(SECRET, ADA)
    for person in (ADA, BO):
        with pytest.raises(GameOver):
            await _ask(table, person)
    await table.settle()
    assert await rows(store, schema.hints) == []


async def test_who_has_cracked_the_puzzle_of_the_day_gets_no_hint(store):
    table = await puzzle(store)
    await table.guess(SECRET, ADA)
    with pytest.raises(AlreadySolved):
        await _ask(table, ADA)
    assert (await _ask(table, BO)).number == 1
    await table.settle(Cause.DAY_OVER)
    with pytest.raises(DayOver):
        await _ask(table, BO)


async def test_a_hint_costs_sixty_of_the_best_when_players_are_ranked(store):
    # given: 560 with one hint is worth more than an honest 480
    table = await group(store)
    await _ask(table, ADA)
    third = "🍎🍌🍇🍓🍍🥝"  # 480
    await table.score(*await table.admit((NEAR, ADA), (third, BO), (FAR, CY)))
    assert [(row.name, row.rank, row.best, row.hints) for row in (await _board(table)).rows] == [
        ("Ada Lovelace", 1, 560, 1), ("Bo", 2, 480, 0), ("Cy", 3, 240, 0),
    ]  # fmt: skip

    # when: and with two it is worth less
    await _ask(table, ADA)

    # then
    board = await _board(table, ADA.id)
    assert [(row.name, row.rank, row.best, row.hints) for row in board.rows] == [
        ("Bo", 1, 480, 0), ("Ada Lovelace", 2, 560, 2), ("Cy", 3, 240, 0),
    ]  # fmt: skip
    assert board.mine == views.Standing(best=560, rank=2, of=3, guesses=1, hints=2)


@pytest.mark.parametrize("first", [ADA, BO])
async def test_equal_after_hints_the_earlier_guess_stands_above(store, first):
    # given: 560 with a hint, and an honest 500
    table = await group(store)
    await _ask(table, ADA)
    entries = [(NEAR, ADA), ("🍎🍌🍇🍓🍒🥝", BO)]

    # when
    await table.score(*await table.admit(*sorted(entries, key=lambda entry: entry[1] != first)))

    # then
    board = await _board(table)
    assert sorted(row.best for row in board.rows) == [500, 560]
    assert board.rows[0].player_id == first.id


async def test_who_has_paid_all_points_for_hints_is_not_placed(store):
    # given
    table = await group(store)
    await _ask(table, ADA)
    await _ask(table, ADA)
    little = "🍓🥝🍋🍉🍈🍐"  # 40

    # when
    await table.score(*await table.admit((little, ADA), (MISS, CY), (little, BO)))

    # then
    board = await _board(table, ADA.id)
    assert [(row.player_id, row.rank, row.best) for row in board.rows] == [
        (BO.id, 1, 40), (ADA.id, None, 40), (CY.id, None, 0),
    ]  # fmt: skip
    assert (board.mine.rank, board.mine.of) == (None, 1)


async def test_hints_before_the_first_guess_are_shown_to_who_asked(table):
    await _ask(table)
    assert (await _board(table, ADA.id)).mine == views.Standing(None, None, 0, 0, hints=1)
    assert await table.store.read(lambda tx: views.standing(tx, table.game.id, BO.id)) == views.Standing(
        None, None, 0, 0, hints=0
    )


async def test_a_crack_wins_whatever_its_hints(store):
    # given: another's honest 560 ranks above 600 less two hints
    table = await group(store)
    await _ask(table, ADA)
    await _ask(table, ADA)
    await table.score(*await table.admit((NEAR, BO), (SECRET, ADA)))

    # when
    settled = await table.settle()

    # then
    assert settled.winner_id == ADA.id
    finishes = {row.player_id: row for row in await rows(store, schema.finishes)}
    assert [(finishes[p.id].points, finishes[p.id].rank, finishes[p.id].won) for p in (ADA, BO)] == [
        (480, 2, True), (560, 1, False),
    ]  # fmt: skip
