"""The puzzle of the day: one for everybody, by the local date of each message, over when the day is."""

from __future__ import annotations

import asyncio
import itertools
import random
from datetime import UTC, date, datetime, timedelta

import pytest

from codemojex.game.keyboards import THEMES, Level, Mode
from codemojex.game.refusals import DayOver
from codemojex.play import daily, games, members, rooms, scores, settlement, sweep
from codemojex.play.games import Cause
from codemojex.play.guesses import Guesses, Source
from codemojex.play.players import seen
from codemojex.play.rooms import ChatRef, RoomKind
from codemojex.store import schema
from tests.play.makers import ADA, BO, CY, EASY_GOING, NONCE, T0, mint, rows

BERLIN = "Europe/Berlin"
DAY = "2026-12-01"
MIDNIGHT = datetime(2026, 12, 2, tzinfo=UTC)


async def _today(store, person=ADA, at=T0, now=None, tz="UTC", secret=1):
    async def ask(tx):
        player = await seen(tx, person, T0)
        return await daily.today(tx, at, tz, now or at, random.Random(secret), NONCE, player)

    return await store.transact(ask)


async def _begin(store, person=ADA, day=DAY):
    async def begin(tx):
        await daily.begin(tx, await seen(tx, person, T0), day)

    await store.transact(begin)


_message_ids = itertools.count(1)


async def _guess(store, game, symbols, person=ADA, *, at=T0):
    """Admit and score one guess."""

    async def guess(tx):
        player = await seen(tx, person, T0)
        source = Source(person.id, next(_message_ids), at)
        receipt = await Guesses(tx, at, mint, EASY_GOING).submit(game, player, list(symbols), source)
        return await scores.score(tx, [receipt.id], at, mint)

    return await store.transact(guess)


async def _secret(store, game):
    return (await rows(store, schema.games, id=game.id))[0].secret


def _miss(secret):
    """Another order of its symbols: no crack."""
    return "".join(reversed(secret))


async def _finish(store, game, person=ADA, *, misses=0, crack=True, at=T0):
    secret = await _secret(store, game)
    for wrong in itertools.islice(itertools.permutations(_miss(secret)), misses):
        await _guess(store, game, "".join(wrong), person, at=at)
    if crack:
        await _guess(store, game, secret, person, at=at)


async def _where(store, person=ADA, at=T0, tz="UTC"):
    async def ask(tx):
        own = await rooms.enter(tx, ChatRef(person.id, "private", person.first_name), T0)
        return await daily.where(tx, (await seen(tx, person, T0)).id, own, at, tz)

    return await store.transact(ask)


async def test_everybody_gets_the_same_game_on_a_day(store):
    # when
    first = await _today(store, ADA)
    second = await _today(store, BO, T0 + timedelta(hours=3), secret=2)

    # then
    assert first.id == second.id
    assert (first.mode, first.level, first.guess_limit, first.closes_at) == (Mode.PEGS, Level.NORMAL, 8, None)
    assert (first.secret, first.theme) == (None, daily.theme_of(DAY))
    [room] = await rows(store, schema.rooms)
    assert (room.kind, room.chat_id, room.day) == ("daily", None, DAY)


async def test_another_day_has_another_game(store):
    first = await _today(store)
    second = await _today(store, at=T0 + timedelta(days=1))
    assert first.id != second.id


async def test_themes_take_turns(store):
    days = [(date(2026, 1, 1) + timedelta(days=n)).isoformat() for n in range(len(THEMES))]
    assert {daily.theme_of(day) for day in days} == set(THEMES)


async def test_many_who_ask_first_get_the_same_game(store):
    asked = await asyncio.gather(*(_today(store, who, secret=n) for n, who in enumerate((ADA, BO, CY) * 2)))
    assert len({game.id for game in asked}) == 1


async def test_a_message_of_yesterday_that_arrives_within_the_grace_still_plays_yesterday(store):
    game = await _today(store, at=MIDNIGHT - timedelta(seconds=1), now=MIDNIGHT + timedelta(minutes=9))
    [room] = await rows(store, schema.rooms, id=game.room_id)
    assert room.day == DAY


async def test_a_day_that_nobody_played_is_not_opened_after_its_grace(store):
    with pytest.raises(DayOver) as refused:
        await _today(store, at=MIDNIGHT - timedelta(seconds=1), now=MIDNIGHT + timedelta(minutes=10))
    assert refused.value.day == DAY
    assert await rows(store, schema.rooms) == []


# ---- closing


async def _due(store, now, tz="UTC"):
    return await store.read(lambda tx: daily.close_due(tx, now, tz))


async def test_a_day_is_due_to_be_closed_after_its_grace_and_only_once(store):
    # given
    game = await _today(store)
    await _today(store, at=MIDNIGHT)
    due = MIDNIGHT + daily.GRACE

    # then
    assert await _due(store, due - timedelta(seconds=1)) == []
    assert await _due(store, due) == [game.id]
    assert await store.read(lambda tx: sweep.unsettled(tx, due)) == [game.id]

    # and once it is settled
    settled = await store.transact(lambda tx: settlement.settle(tx, game.id, due, mint))
    assert settled.cause is Cause.DAY_OVER
    assert await _due(store, due) == []


@pytest.mark.parametrize(
    ("day", "ends"),
    [("2026-03-29", "2026-03-29T22:00:00+00:00"), ("2026-10-25", "2026-10-25T23:00:00+00:00")],
)
async def test_a_day_of_23_or_25_hours_is_closed_at_its_own_end(store, day, ends):
    ends = datetime.fromisoformat(ends)
    game = await _today(store, at=ends - timedelta(hours=22, minutes=59), tz=BERLIN)
    [room] = await rows(store, schema.rooms)
    assert room.day == day
    assert await _due(store, ends + timedelta(minutes=9, seconds=59), BERLIN) == []
    assert await _due(store, ends + timedelta(minutes=10), BERLIN) == [game.id]


async def test_a_crack_does_not_make_the_puzzle_due_for_the_others(store):
    game = await _today(store)
    await _finish(store, game)
    later = T0 + timedelta(hours=1)
    assert await store.read(lambda tx: sweep.unsettled(tx, later)) == []
    assert (await rows(store, schema.games))[0].state == "open"


async def test_the_earliest_crack_wins_when_the_day_is_over(store):
    # given: Bo cracks after Ada, both have points
    game = await _today(store)
    await _finish(store, game, ADA, misses=2)
    await _finish(store, game, BO)

    # when
    due = MIDNIGHT + daily.GRACE
    await store.transact(lambda tx: settlement.settle(tx, game.id, due, mint))

    # then
    [row] = await rows(store, schema.games)
    assert (row.winner_id, row.closed_reason) == (ADA.id, "cracked")
    assert {guess.late for guess in await rows(store, schema.guesses)} == {False}
    told = [notice for notice in await rows(store, schema.notices) if notice.kind == "ended"]
    assert {notice.chat_id for notice in told} == {ADA.id, BO.id}


# ---- where plain guesses go


async def test_plain_guesses_go_to_the_days_puzzle_only_after_it_was_begun(store):
    game = await _today(store)
    assert (await _where(store)).kind is RoomKind.PRIVATE
    await _begin(store)
    room = await _where(store)
    assert (room.kind, room.id, room.day) == (RoomKind.DAILY, game.room_id, DAY)


async def test_a_message_of_the_next_day_goes_where_it_went_before(store):
    await _today(store)
    await _begin(store)
    assert (await _where(store, at=MIDNIGHT - timedelta(seconds=1))).kind is RoomKind.DAILY
    assert (await _where(store, at=MIDNIGHT)).kind is RoomKind.PRIVATE


async def test_the_puzzle_may_be_left(store):
    await _today(store)
    await _begin(store)
    await store.transact(lambda tx: daily.end(tx, ADA.id))
    assert (await _where(store)).kind is RoomKind.PRIVATE


async def test_who_is_in_a_link_room_plays_there_and_in_the_puzzle_first(store):
    # given
    async def enter(tx):
        return await members.open_link(tx, await seen(tx, ADA, T0), T0, random.Random(1))

    link = await store.transact(enter)
    await _today(store)

    # then
    assert (await _where(store)).id == link.id
    await _begin(store)
    assert (await _where(store)).kind is RoomKind.DAILY
    assert (await _where(store, at=MIDNIGHT)).id == link.id


@pytest.mark.parametrize("how", ["cracked", "all used"])
async def test_who_has_finished_plays_elsewhere(store, how):
    game = await _today(store)
    await _begin(store)
    await _finish(store, game, misses=8 if how == "all used" else 3, crack=how == "cracked")
    assert (await _where(store)).kind is RoomKind.PRIVATE


async def test_a_guess_for_a_day_that_is_closed_is_told_so_and_goes_nowhere_else(store):
    # given
    game = await _today(store)
    await _begin(store)
    await store.transact(lambda tx: settlement.settle(tx, game.id, MIDNIGHT + daily.GRACE, mint))

    # then: a message of that day comes hours later
    with pytest.raises(DayOver):
        await _where(store, at=MIDNIGHT - timedelta(seconds=1))
    with pytest.raises(DayOver):
        await _today(store, at=MIDNIGHT - timedelta(seconds=1), now=MIDNIGHT + timedelta(hours=3))


# ---- sharing


async def _shared(store, person=ADA, day=DAY):
    return await store.read(lambda tx: daily.shared(tx, person.id, day))


async def test_a_finished_puzzle_is_shared_as_counts_without_symbols(store):
    # given
    game = await _today(store)
    await _finish(store, game, misses=2)

    # when
    shared = await _shared(store)

    # then
    assert (shared.day, shared.limit, shared.cracked) == (DAY, 8, True)
    assert shared.guesses == ((0, 6), (0, 6), (6, 0))
    assert (shared.streak, shared.best_streak) == (1, 1)
    assert not any(symbol in repr(shared) for symbol in game.keyboard.chars)


async def test_a_puzzle_with_every_guess_used_is_finished_too(store):
    game = await _today(store)
    await _finish(store, game, misses=8, crack=False)
    shared = await _shared(store)
    assert (shared.cracked, len(shared.guesses), shared.streak) == (False, 8, 1)


async def test_nothing_is_shared_before_the_puzzle_is_finished(store):
    assert await _shared(store) is None
    game = await _today(store)
    assert await _shared(store) is None
    await _finish(store, game, misses=7, crack=False)
    assert await _shared(store) is None


async def test_nothing_is_shared_while_a_guess_waits_for_its_score(store):
    # given: seven scored, the eighth admitted
    game = await _today(store)
    await _finish(store, game, misses=7, crack=False)
    secret = await _secret(store, game)

    async def admit(tx):
        source = Source(ADA.id, next(_message_ids), T0)
        admission = Guesses(tx, T0, mint, EASY_GOING)
        return await admission.submit(game, await seen(tx, ADA, T0), _miss(secret)[::-1], source)

    receipt = await store.transact(admit)

    # then
    assert await _shared(store) is None
    await store.transact(lambda tx: scores.score(tx, [receipt.id], T0, mint))
    assert (await _shared(store)).streak == 1


async def test_a_day_shared_later_tells_no_streak_of_other_days(store):
    # given: two days in a row
    for n in range(2):
        at = T0 + timedelta(days=n)
        await _finish(store, await _today(store, at=at), at=at)

    # then
    assert (await _shared(store, day="2026-12-02")).streak == 2
    assert (await _shared(store, day=DAY)).streak == 0


async def test_the_game_of_a_day_shows_its_secret_only_when_the_day_is_over(store):
    game = await _today(store)
    await _finish(store, game)
    assert (await store.read(lambda tx: games.game(tx, game.id))).secret is None
    await store.transact(lambda tx: settlement.settle(tx, game.id, MIDNIGHT + daily.GRACE, mint))
    assert (await store.read(lambda tx: games.game(tx, game.id))).secret is not None
