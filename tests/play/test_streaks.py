"""Streaks: days in a row, each counted once, in whatever order their scores come."""

from __future__ import annotations

import asyncio
import itertools
import random
from datetime import timedelta

import pytest

from codemojex.play import daily, streaks
from codemojex.play.guesses import Guesses, Source
from codemojex.play.players import seen
from codemojex.play.scores import score
from codemojex.play.streaks import Streak
from codemojex.store import schema
from tests.play.makers import ADA, BO, EASY_GOING, NONCE, T0, mint, rows

_message_ids = itertools.count(1)


@pytest.fixture
async def ada(store):
    return await store.transact(lambda tx: seen(tx, ADA, T0))


async def _finished(store, *days):
    streak = None
    for day in days:
        streak = await store.transact(lambda tx, day=day: streaks.finished(tx, ADA.id, day))
    return streak


async def test_days_in_a_row_add_up_over_the_ends_of_months_and_years(store, ada):
    assert await _finished(store, "2026-12-30", "2026-12-31", "2027-01-01") == Streak(3, 3)
    assert await _finished(store, "2028-02-28", "2028-02-29", "2028-03-01") == Streak(3, 3)


async def test_the_same_day_counts_once(store, ada):
    assert await _finished(store, "2026-12-01", "2026-12-01", "2026-12-02", "2026-12-02") == Streak(2, 2)


async def test_a_day_left_out_begins_a_new_run_and_the_best_is_kept(store, ada):
    assert await _finished(store, "2026-12-01", "2026-12-02", "2026-12-04") == Streak(1, 2)
    assert await _finished(store, "2026-12-05", "2026-12-06") == Streak(3, 3)


async def test_a_day_that_is_finished_by_many_at_once_counts_once(store, ada):
    await asyncio.gather(*(_finished(store, "2026-12-01") for _ in range(6)))
    assert await _finished(store, "2026-12-01") == Streak(1, 1)


async def test_a_streak_goes_on_through_a_day_that_is_not_over_and_is_broken_after_it(store, ada):
    await _finished(store, "2026-12-01", "2026-12-02")
    for today, days in (("2026-12-02", 2), ("2026-12-03", 2), ("2026-12-04", 0)):
        assert await store.read(lambda tx, d=today: streaks.of(tx, ADA.id, d)) == Streak(days, 2)


async def test_who_never_finished_a_day_has_no_streak(store, ada):
    assert await store.read(lambda tx: streaks.of(tx, ADA.id, "2026-12-01")) == Streak(0, 0)
    assert await store.read(lambda tx: streaks.of(tx, BO.id, "2026-12-01")) == Streak(0, 0)


async def _crack(store, day):
    """Ada's crack of a day's puzzle, ``day`` days after the first; scored by the caller."""
    at = T0 + timedelta(days=day)

    async def admit(tx):
        player = await seen(tx, ADA, at)
        return player, await daily.today(tx, at, "UTC", at, random.Random(1), NONCE, player)

    player, game = await store.transact(admit)
    [row] = await rows(store, schema.games, id=game.id)
    source = Source(ADA.id, next(_message_ids), at)
    receipt = await store.transact(
        lambda tx: Guesses(tx, at, mint, EASY_GOING).submit(game, player, list(row.secret), source)
    )
    return receipt.id


async def _score(store, id):
    await store.transact(lambda tx: score(tx, [id], T0 + timedelta(days=9), mint))


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
async def test_three_days_whose_scores_come_in_any_order_are_a_streak_of_three(store, order):
    # given
    ids = [await _crack(store, day) for day in range(3)]

    # when
    for n in order:
        await _score(store, ids[n])

    # then
    [row] = await rows(store, schema.players)
    assert (row.streak, row.best_streak, row.streak_day) == (3, 3, "2026-12-03")


async def test_a_late_score_that_completes_an_older_run_raises_the_best_alone(store):
    # given: days 0, 1, 2 and 4, of which day 1 is scored last
    ids = {day: await _crack(store, day) for day in (0, 1, 2, 4)}
    for day in (0, 2, 4):
        await _score(store, ids[day])

    # when
    await _score(store, ids[1])

    # then
    [row] = await rows(store, schema.players)
    assert (row.streak, row.best_streak, row.streak_day) == (1, 3, "2026-12-05")
