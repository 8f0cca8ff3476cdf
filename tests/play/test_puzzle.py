"""The puzzle of a day: everybody has their own eight guesses, and a crack ends it for its player only."""

from __future__ import annotations

import asyncio
import json
import random
from datetime import timedelta

import pytest

from codemojex.game.refusals import AlreadySolved, DayOver, OutOfGuesses
from codemojex.play import outbox
from codemojex.play.audit import audit
from codemojex.play.games import Cause
from codemojex.play.guesses import Guesses, Limits, Source
from codemojex.store import schema
from tests.play.makers import ADA, BO, CY, FAR, NEAR, SECRET, T0, WRONG, Person, mint, puzzle, rows

DAY = "2026-12-01"
TWO = Limits(daily=2, per_second=0)


async def _told(table, kind):
    found = await rows(table.store, schema.notices, kind=kind)
    return [(row.chat_id, json.loads(row.data)) for row in found]


async def _send(table, at, tz="UTC", now=None):
    """Submit a guess whose message was sent at ``at``."""

    async def submit(tx):
        admission = Guesses(tx, now or at, mint, table.limits, tz)
        source = Source(ADA.id, next(table.messages), at)
        return await admission.submit(table.game, table.ada, list(NEAR), source)

    return await table.store.transact(submit)


async def test_everybody_has_eight_guesses_and_no_clock(store):
    table = await puzzle(store)
    assert (table.game.guess_limit, table.game.closes_at) == (8, None)
    for number in range(1, 9):
        assert (await table.guess(WRONG[number], ADA)).number == number
    with pytest.raises(OutOfGuesses):
        await table.guess(FAR, ADA)
    assert (await table.guess(FAR, BO)).number == 1


async def test_a_clock_asked_for_is_not_given(store):
    table = await puzzle(store, minutes=5)
    assert table.game.closes_at is None


async def test_the_date_of_the_message_decides_however_late_it_arrives(store):
    # given
    table = await puzzle(store)
    midnight = T0.replace(hour=0) + timedelta(days=1)

    # when
    late = await _send(table, midnight - timedelta(seconds=1), now=midnight + timedelta(minutes=9))

    # then
    assert late.number == 1
    for sent in (midnight, T0.replace(hour=0) - timedelta(seconds=1)):
        with pytest.raises(DayOver) as refusal:
            await _send(table, sent)
        assert refusal.value.day == DAY


@pytest.mark.parametrize(
    ("tz", "last"),
    [("Pacific/Kiritimati", "2026-12-01T09:59:59+00:00"), ("America/New_York", "2026-12-02T04:59:59+00:00")],
)
async def test_a_day_is_the_local_date_of_its_zone(store, tz, last):
    table = await puzzle(store)
    last = T0.fromisoformat(last)
    assert (await _send(table, last, tz)).number == 1
    with pytest.raises(DayOver):
        await _send(table, last + timedelta(seconds=1), tz)


async def test_a_closed_puzzle_says_that_its_day_is_over(store):
    table = await puzzle(store)
    first = await table.guess(FAR, ADA, message_id=11)
    await table.settle(Cause.DAY_OVER)
    with pytest.raises(DayOver) as refusal:
        await table.guess(NEAR, ADA)
    assert refusal.value.day == DAY
    again = await table.guess(FAR, ADA, message_id=11)
    assert (again.id, again.duplicate) == (first.id, True)


async def test_who_has_cracked_it_cannot_guess_again_not_even_before_the_score(store):
    # given
    table = await puzzle(store)
    crack = await table.guess(SECRET, ADA)

    # when
    with pytest.raises(AlreadySolved):
        await table.guess(NEAR, ADA)
    await table.score(crack)
    with pytest.raises(AlreadySolved):
        await table.guess(NEAR, ADA)

    # then
    assert len(await table.guesses()) == 1
    assert (await table.guess(SECRET, BO)).number == 1


async def test_a_crack_is_told_at_once_and_ends_nothing_for_the_others(store):
    # given
    table = await puzzle(store)
    receipts = await table.admit((NEAR, BO), (SECRET, ADA), (FAR, BO), (SECRET, CY))

    # when
    batch = await table.score(*receipts)

    # then
    assert batch.to_settle == set()
    assert await table.settle() is None
    assert (await table.row()).state == "open"
    told = await _told(table, "result")
    assert [(chat_id, data["exact"], data["total"]) for chat_id, data in told] == [
        (BO.id, 4, None), (ADA.id, 6, None), (BO.id, 0, None), (CY.id, 6, None),
    ]  # fmt: skip
    assert not any(row.late for row in await table.guesses())


async def test_who_cracks_it_is_told_in_which_guess_and_their_streak(store):
    table = await puzzle(store)
    receipts = await table.admit((NEAR, ADA), (SECRET, ADA), (NEAR, BO))
    batch = await table.score(*receipts)
    done = {"day": DAY, "number": 2, "limit": 8, "streak": 1, "best_streak": 1}
    assert await _told(table, "daily_done") == [(ADA.id, done)]
    assert [row.kind for row in await rows(store, schema.notices, chat_id=ADA.id)] == [
        "result", "result", "daily_done",
    ]  # fmt: skip
    assert len(batch.notices) == 4


async def test_who_uses_every_guess_has_finished_the_day_too(store):
    table = await puzzle(store, limits=TWO)
    await table.score(await table.guess(NEAR, ADA))
    assert await _told(table, "daily_done") == []
    await table.score(await table.guess(FAR, ADA))
    assert [data["number"] for _, data in await _told(table, "daily_done")] == [None]
    [ada] = await rows(store, schema.players, id=ADA.id)
    assert (ada.streak, ada.best_streak, ada.streak_day) == (1, 1, DAY)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("last", [FAR, SECRET])
async def test_the_day_is_finished_once_in_whatever_order_scores_come(store, order, last):
    # given
    table = await puzzle(store, limits=TWO)
    receipts = await table.admit((NEAR, ADA), (last, ADA))

    # when
    for n in order:
        await table.score(receipts[n])
        await table.score(receipts[n])

    # then
    told = [data["number"] for _, data in await _told(table, "daily_done")]
    assert told == [2 if last == SECRET else None]


async def test_scores_at_the_same_time_never_miss_that_a_player_has_finished(crowd):
    """Each worker sees only what was committed: of two with one guess each, the later must see both."""
    table = await puzzle(crowd, limits=Limits(daily=4, per_second=0))
    for round_ in range(25):
        # given: three people with all their guesses, none of them scored
        people = [Person(8_200_000_000 + 10 * round_ + n, "Di") for n in range(3)]
        for person in people:
            await table.join(person)
        receipts = await table.admit(*[(wrong, person) for person in people for wrong in WRONG[:4]])
        random.Random(round_).shuffle(receipts)

        # when
        await asyncio.gather(*(table.score(*receipts[n::4]) for n in range(4)))

        # then
        done = [chat_id for chat_id, _ in await _told(table, "daily_done")]
        assert sorted(done[-3:]) == [person.id for person in people]
        assert len(done) == 3 * (round_ + 1)
    report = await crowd.read(lambda tx: audit(tx, table.at(30)))
    assert report.violations == []


async def test_when_the_day_is_over_the_earliest_crack_has_won_and_everybody_is_told(store):
    # given: one crack without a score, one later that has it
    table = await puzzle(store)
    first, *others = await table.admit((SECRET, BO), (SECRET, CY), (NEAR, ADA))
    await table.score(*others)

    # when
    settled = await table.settle(Cause.DAY_OVER)

    # then
    row = await table.row()
    assert (settled.winner_id, row.winner_id, row.winning_guess_id) == (BO.id, BO.id, first.id)
    ended = dict(await _told(table, "ended"))
    assert {id: (data["you_won"], data["best"]) for id, data in ended.items()} == {
        ADA.id: (False, 560), BO.id: (True, 600), CY.id: (False, 600),
    }  # fmt: skip
    assert {data["day"] for data in ended.values()} == {DAY}
    assert not any(guess.late for guess in await table.guesses())
    assert (await store.read(lambda tx: audit(tx, table.at(30)))).violations == []
    assert [chat_id for chat_id, _ in await _told(table, "daily_done")] == [CY.id, BO.id]


async def test_a_day_that_nobody_cracked_is_over_without_a_winner(store):
    table = await puzzle(store)
    await table.guess(NEAR, ADA)
    settled = await table.settle(Cause.DAY_OVER)
    assert (settled.cause, settled.winner_id) == (Cause.DAY_OVER, None)


async def test_by_itself_it_ends_ten_minutes_after_its_day(store):
    table = await puzzle(store)
    await table.score(await table.guess(SECRET, ADA))
    midnight = (T0.replace(hour=0) + timedelta(days=1) - T0).total_seconds()
    assert await table.settle(seconds=midnight + 599) is None
    assert (await table.settle(seconds=midnight + 600)).winner_id == ADA.id


async def test_who_was_forgotten_is_told_nothing(store):
    table = await puzzle(store, [ADA, Person(-77, "Nobody")])
    await table.guess(NEAR, ADA)
    await table.guess(NEAR, Person(-77, "Nobody"))
    await table.settle(Cause.DAY_OVER)
    assert [chat_id for chat_id, _ in await _told(table, "ended")] == [ADA.id]


async def test_nothing_of_an_open_puzzle_tells_its_secret_to_who_has_not_cracked_it(store):
    """The secret shares no symbol with any guess here, so any trace of it is a leak."""
    hidden = "🥝🍑🍋🍉🍈🍐"
    table = await puzzle(store, secret=hidden, limits=TWO)
    await table.score(*await table.admit((SECRET, ADA), (NEAR, ADA), (hidden, BO), (FAR, CY)))
    waiting = [await store.read(lambda tx, id=p.id: outbox.waiting(tx, id, 10)) for p in (ADA, CY)]
    said = "".join(repr(notice.data) for notices in waiting for notice in notices)
    assert said
    assert not set(hidden) & set(said)


@pytest.mark.parametrize("size", [1, 60])
async def test_a_batch_of_a_puzzle_takes_the_same_few_statements_whatever_its_size(store, size, statements):
    # given
    people = [Person(8_400_000_000 + n, "Di") for n in range(20)]
    table = await puzzle(store, people)
    receipts = await table.admit(*[(WRONG[n // 20], people[n % 20]) for n in range(size)])

    # when
    with statements(store) as sent:
        await table.score(*receipts)

    # then
    assert len(sent) <= 6


async def test_scores_of_a_puzzle_look_only_at_those_who_play_in_the_batch(store, statements):
    table = await puzzle(store)
    await table.score(*await table.admit((NEAR, BO), (FAR, CY)))
    with statements(store) as sent:
        await table.score(await table.guess(NEAR, ADA))
    tables = [text for text in sent if "group by guesses.game_id, guesses.player_id" in text.lower()]
    assert len(tables) == 1
    assert any(f"guesses.player_id {which}" in tables[0] for which in ("IN", "= ANY"))


async def test_workers_that_score_the_same_guesses_tell_the_end_once(store):
    table = await puzzle(store, limits=TWO)
    receipts = await table.admit((NEAR, ADA), (FAR, ADA))
    await asyncio.gather(*(table.score(*receipts) for _ in range(4)))
    assert len(await _told(table, "result")) == 2
    assert len(await _told(table, "daily_done")) == 1
