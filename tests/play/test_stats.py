"""Stats: what one person has done in the games that are over."""

from __future__ import annotations

import itertools

from codemojex.play import stats, streaks
from codemojex.play.games import Cause
from codemojex.play.players import seen
from codemojex.play.stats import StatsView
from tests.play.makers import ADA, BO, FAR, MISS, NEAR, SECRET, T0, group, seat

_message_ids = itertools.count(1)


async def _stats(store, person=ADA, today="2026-12-01"):
    return await store.read(lambda tx: stats.stats(tx, person.id, today))


async def _play(table, *guesses, cause=Cause.CLOCK):
    table.messages = _message_ids
    await table.score(*await table.admit(*guesses))
    await table.settle(cause)


async def test_who_has_not_played_has_no_numbers(store):
    nothing = StatsView(0, 0, None, 0, 0, None, 0, 0)
    assert await _stats(store) == nothing
    table = await group(store)
    await table.score(*await table.admit((NEAR, ADA)))
    assert await _stats(store) == nothing


async def test_games_that_are_over_add_up(store):
    # given: lost to the clock alone, won in a group, and one in which Bo was first
    await _play(await seat(store, [ADA]), (NEAR, ADA), (FAR, ADA))
    await _play(await group(store), (MISS, ADA), (SECRET, ADA), (FAR, BO), cause=None)
    await _play(await group(store), (FAR, ADA), (SECRET, BO), (SECRET, ADA), cause=None)

    # when
    ada, bo = await _stats(store), await _stats(store, BO)

    # then
    assert (ada.games, ada.wins, ada.best, ada.guesses, ada.cracks) == (3, 1, 600, 5, 1)
    assert ada.average == round((560 + 600 + 240) / 3)
    assert (bo.games, bo.wins, bo.best, bo.guesses, bo.cracks, bo.average) == (1, 1, 600, 1, 1, 600)


async def test_a_streak_is_shown_while_it_goes_on(store):
    async def finish(tx):
        await seen(tx, ADA, T0)
        await streaks.finished(tx, ADA.id, "2026-12-01")

    await store.transact(finish)
    for today, streak in (("2026-12-01", 1), ("2026-12-02", 1), ("2026-12-03", 0)):
        shown = await _stats(store, today=today)
        assert (shown.streak, shown.best_streak) == (streak, 1)
