"""Players whose guesses the queue does not take are told once that they are safe."""

from __future__ import annotations

import json

import pytest

from codemojex.play import reassurance, sweep
from codemojex.store import schema
from codemojex.texts import catalogs
from tests.play.makers import ADA, BO, GROUP, NEAR, mint, rows, seat


@pytest.fixture
async def table(store):
    """Ada's game, in which Bo may guess, too."""
    return await seat(store, (ADA, BO))


async def reassure(table, seconds: float, limit: int = 10) -> list[int]:
    """The chats told at this moment; a guess may take three seconds."""
    now, late = table.at(seconds), table.at(seconds - 3)
    refs = await table.store.transact(lambda tx: reassurance.reassure(tx, mint, now, late, limit))
    return [ref.chat_id for ref in refs]


async def test_a_guess_that_waits_is_told_of_once_however_often_somebody_looks(table):
    # given
    await table.guess(seconds=1)

    # when
    told = [await reassure(table, seconds) for seconds in (2, 5, 6, 60)]

    # then
    assert told == [[], [ADA.id], [], []]


async def test_guesses_that_come_later_in_the_same_outage_are_not_told_of_again(table):
    # given
    await table.guess(seconds=1)
    await reassure(table, 5)

    # when
    await table.guess(NEAR[::-1], BO, seconds=6)

    # then
    assert await reassure(table, 20) == []


async def test_the_next_outage_is_told_of_again(table):
    # given: the first is over
    first = await table.guess(seconds=1)
    await reassure(table, 5)
    await table.store.transact(lambda tx: sweep.mark_enqueued(tx, [first.id], table.at(7)))
    assert await reassure(table, 20) == []

    # when
    await table.guess(NEAR[::-1], seconds=30)

    # then
    assert await reassure(table, 40) == [ADA.id]


async def test_guesses_that_were_scored_meanwhile_are_not_told_of(table):
    # given
    await table.score(await table.guess(seconds=1), seconds=2)

    # then
    assert await reassure(table, 10) == []


async def test_more_chats_than_fit_come_with_the_next_look(table):
    # given: in three chats
    for n in range(3):
        await table.guess(f"{NEAR[n:]}{NEAR[:n]}", seconds=1, chat_id=GROUP + n)

    # when
    told = [await reassure(table, 5, limit=2) for _ in range(3)]

    # then
    assert [len(chats) for chats in told] == [2, 1, 0]
    assert sorted(told[0] + told[1]) == sorted(GROUP + n for n in range(3))


@pytest.mark.parametrize(
    ("language", "one", "more"),
    [
        ("en", "Your guess is safe, the score follows", "Your guesses are safe, the scores follow"),
        ("ru", "Твоя попытка сохранена", "Твои попытки сохранены"),
    ],
)
async def test_what_they_are_told_counts_their_guesses(table, language, one, more):
    # given
    texts = catalogs.of(language)
    await table.guess(seconds=1)
    await table.guess(NEAR[::-1], seconds=1)

    # when
    await reassure(table, 5)

    # then
    [notice] = [row for row in await rows(table.store, schema.notices) if row.kind == "safe"]
    assert more in texts.notice("safe", json.loads(notice.data))
    assert one in texts.notice("safe", {"guesses": 1})
