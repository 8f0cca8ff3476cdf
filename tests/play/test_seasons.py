"""Season boards: each game that ends is added once to the day, week, month and all time of its players."""

from __future__ import annotations

import asyncio
import itertools
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import insert

from codemojex.play import seasons
from codemojex.play.games import Cause
from codemojex.play.players import Person, seen
from codemojex.play.rooms import ChatRef
from codemojex.play.seasons import EVERYBODY, Period, period_key
from codemojex.store import schema
from tests.play.makers import ADA, BO, CY, FAR, GROUP, MISS, NEAR, SECRET, T0, group, rows, seat

OTHER = -1_009_000_000_009
_message_ids = itertools.count(1)  # of several games in one chat


@pytest.mark.parametrize(
    ("period", "day", "key"),
    [
        (Period.TODAY, "2026-11-30", "2026-11-30"),
        (Period.WEEK, "2026-11-30", "2026-W49"),
        (Period.WEEK, "2027-01-01", "2026-W53"),
        (Period.WEEK, "2025-12-29", "2026-W01"),
        (Period.MONTH, "2026-11-30", "2026-11"),
        (Period.ALL, "2026-11-30", "all"),
    ],
)
def test_a_period_is_that_of_the_local_date_and_weeks_are_iso_weeks(period, day, key):
    assert period_key(period, day) == key


async def _play(store, *guesses, chat=GROUP, cause=Cause.CLOCK, seconds=6):
    table = await seat(store, (ADA, BO, CY), chat=ChatRef(chat, "supergroup", "Fruit"))
    table.messages = _message_ids
    receipts = await table.admit(*guesses)
    await table.score(*receipts)
    await table.settle(cause, seconds)
    return table


async def _top(store, scope=EVERYBODY, period=Period.ALL, at=T0, tz="UTC", viewer=None):
    return await store.read(lambda tx: seasons.top(tx, scope, period, at, tz, viewer))


def _told(view):
    return [(row.rank, row.name, row.points, row.wins, row.games) for row in view.rows]


async def test_a_game_that_ends_is_a_finish_for_everybody_who_guessed(store):
    # given, when
    table = await _play(store, (NEAR, ADA), (MISS, BO), (FAR, ADA))

    # then
    found = {row.player_id: row for row in await rows(store, schema.finishes)}
    assert set(found) == {ADA.id, BO.id}
    ada, bo = found[ADA.id], found[BO.id]
    assert (ada.points, ada.rank, ada.guesses, ada.hints, ada.won) == (560, 1, 2, 0, False)
    assert (bo.points, bo.rank, bo.guesses, bo.won) == (0, None, 1, False)
    assert ada.closed_at == (await table.row()).closed_at


async def test_hints_are_paid_and_the_winner_is_noted(store):
    # given
    table = await group(store)
    for number, symbol in ((1, "🍎"), (2, "🍌")):
        hint = {"game_id": table.game.id, "player_id": ADA.id, "number": number, "symbol": symbol}
        await store.transact(
            lambda tx, hint=hint: tx.execute(insert(schema.hints).values(**hint, asked_at=T0))
        )

    # when
    await table.score(*await table.admit((SECRET, ADA)))
    await table.settle()

    # then
    [row] = await rows(store, schema.finishes)
    assert (row.points, row.hints, row.won) == (480, 2, True)
    assert _told(await _top(store)) == [(1, "Ada Lovelace", 480, 1, 1)]


async def test_points_add_up_in_every_period_for_everybody_and_for_the_group(store):
    # when
    await _play(store, (NEAR, ADA), (FAR, BO))
    await _play(store, (FAR, ADA), (SECRET, BO))
    await _play(store, (FAR, ADA), chat=OTHER)

    # then
    everywhere = [(1, "Ada Lovelace", 1_040, 0, 3), (2, "Bo", 840, 1, 2)]
    for period in Period:
        assert _told(await _top(store, period=period)) == everywhere
        assert _told(await _top(store, GROUP, period)) == [
            (1, "Bo", 840, 1, 2),
            (2, "Ada Lovelace", 800, 0, 2),
        ]
        assert _told(await _top(store, OTHER, period)) == [(1, "Ada Lovelace", 240, 0, 1)]


async def test_a_game_that_is_settled_twice_counts_once(store):
    table = await _play(store, (NEAR, ADA))
    assert await table.settle(Cause.CLOCK) is None
    assert _told(await _top(store)) == [(1, "Ada Lovelace", 560, 0, 1)]


async def test_a_game_that_was_given_up_brings_nobody_points(store):
    # given
    await _play(store, (NEAR, ADA), (FAR, BO), cause=Cause.CLOCK)

    # when
    await _play(store, (NEAR, ADA), (FAR, BO), cause=Cause.GAVE_UP)

    # then: it counts as a game all the same
    last = max(row.game_id for row in await rows(store, schema.finishes))
    given_up = [row for row in await rows(store, schema.finishes) if row.game_id == last]
    assert [(row.points, row.rank, row.guesses) for row in given_up] == [(0, None, 1), (0, None, 1)]
    for scope in (EVERYBODY, GROUP):
        assert _told(await _top(store, scope)) == [(1, "Ada Lovelace", 560, 0, 2), (2, "Bo", 240, 0, 2)]


async def test_a_private_game_counts_for_everybodys_board_alone(store):
    table = await seat(store, [ADA])
    await table.score(*await table.admit((NEAR, ADA)))
    await table.settle(Cause.CLOCK)
    assert {row.scope for row in await rows(store, schema.seasons)} == {EVERYBODY}


async def test_guesses_that_came_too_late_bring_nothing(store):
    await _play(store, (SECRET, ADA), (SECRET, BO), cause=None)
    assert [row.player_id for row in await rows(store, schema.finishes)] == [ADA.id]
    assert _told(await _top(store)) == [(1, "Ada Lovelace", 600, 1, 1)]


async def test_the_period_is_that_of_the_moment_the_game_closed(store):
    # given: closed on 1 December, 23:30 in UTC
    await _play(store, (NEAR, ADA), seconds=11.5 * 3_600)

    # then
    for at, found in ((T0, 1), (T0 + timedelta(days=1), 0), (T0 - timedelta(days=1), 0)):
        assert len((await _top(store, period=Period.TODAY, at=at)).rows) == found
    assert len((await _top(store, period=Period.WEEK, at=T0 + timedelta(days=5))).rows) == 1
    assert len((await _top(store, period=Period.WEEK, at=T0 + timedelta(days=6))).rows) == 0
    assert len((await _top(store, period=Period.MONTH, at=T0 - timedelta(days=1))).rows) == 0


async def test_what_today_is_depends_on_the_zone(store):
    at = datetime(2026, 12, 1, 23, 30, tzinfo=UTC)
    await _play(store, (NEAR, ADA))
    assert len((await _top(store, period=Period.TODAY, at=at)).rows) == 1
    assert len((await _top(store, period=Period.TODAY, at=at, tz="Europe/Berlin")).rows) == 0


async def _season(store, *points):
    """Players 1, 2, 3 … with these points of all time."""

    async def write(tx):
        for id, worth in enumerate(points, 1):
            await seen(tx, Person(id, f"P{id}"), T0)
            values = {"scope": EVERYBODY, "period": "all", "player_id": id, "wins": 0, "games": 1}
            await tx.execute(insert(schema.seasons).values(**values, points=worth))

    await store.transact(write)


async def test_the_first_ten_and_the_own_place_behind_them_are_shown(store):
    # given
    await _season(store, *(20 * n for n in range(1, 16)))

    # when
    view = await _top(store, viewer=3)

    # then
    assert [row.player_id for row in view.rows] == list(range(15, 5, -1))
    assert [row.rank for row in view.rows] == list(range(1, 11))
    assert (view.mine.rank, view.mine.player_id, view.mine.points) == (13, 3, 60)


async def test_who_is_among_the_first_ten_is_not_named_twice(store):
    await _season(store, *range(100, 220, 10))
    assert (await _top(store, viewer=12)).mine is None
    assert (await _top(store, viewer=99)).mine is None
    assert (await _top(store)).mine is None


async def test_equal_points_are_in_the_order_of_player_ids_also_below_the_ten(store):
    await _season(store, *[100] * 13)
    assert [row.player_id for row in (await _top(store)).rows] == list(range(1, 11))
    assert (await _top(store, viewer=12)).mine.rank == 12


async def test_nobody_counts_further_than_ranks_are_told(store, monkeypatch):
    """Whoever comes after them all is behind the last rank that is told, by points or by their id."""
    monkeypatch.setattr(seasons, "RANKED", 12)
    await _season(store, *range(300, 100, -10), *[100] * 5)
    ranks = [(await _top(store, viewer=id)).mine.rank for id in (11, 12, 13, 14, 20, 21, 25)]
    assert ranks == [11, 12, 13, 13, 13, 13, 13]


async def test_who_has_no_points_is_not_placed(store):
    await _season(store, *[100] * 11, 0)
    assert (await _top(store, viewer=12)).mine is None


async def test_games_of_the_same_players_that_end_at_once_are_all_counted(store):
    # given: six groups with the same three players
    tables = []
    for n in range(6):
        table = await seat(store, (ADA, BO, CY), chat=ChatRef(OTHER - n, "supergroup", "Fruit"))
        await table.score(*await table.admit((NEAR, ADA), (FAR, BO), (FAR, CY)))
        tables.append(table)

    # when
    await asyncio.gather(*(table.settle(Cause.CLOCK) for table in tables))

    # then
    assert [row.points for row in (await _top(store)).rows] == [6 * 560, 6 * 240, 6 * 240]
