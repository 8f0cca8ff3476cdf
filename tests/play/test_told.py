"""What a notice knows of the guesses before it: a new best, and what a blind game kept back."""

from __future__ import annotations

import json

import pytest

from codemojex.game.keyboards import Mode
from codemojex.play import scores, sweep
from codemojex.play.games import Cause
from codemojex.store import schema
from tests.play.makers import (
    ADA,
    BO,
    FAR,
    FAR_TOO,
    GROUP,
    MISS,
    NEAR,
    NEAR_TOO,
    SECRET,
    WRONG,
    circle,
    group,
    mint,
    rows,
    seat,
)


async def _notices(table, **where):
    found = await rows(table.store, schema.notices, **where)
    return [(row, json.loads(row.data)) for row in found]


async def _told(table):
    return [(row.kind, row.chat_id, data) for row, data in await _notices(table)]


async def test_only_a_guess_above_everything_before_it_is_a_new_best(store):
    # given: all in one batch, in a group where another does better
    table = await group(store)
    receipts = [
        await table.guess(symbols, ADA)
        for symbols in (MISS, FAR, FAR_TOO, WRONG[1], NEAR, WRONG[2], NEAR_TOO)
    ]
    other = await table.guess(NEAR, BO)

    # when
    await table.score(other, *receipts)

    # then
    told = {notice.guess_id: data["new_best"] for notice, data in await _notices(table)}
    assert [told[receipt.id] for receipt in receipts] == [False, True, False, False, True, False, False]
    assert told[other.id] is True


async def test_a_tie_in_a_later_batch_is_no_new_best(table):
    for symbols in (FAR, FAR_TOO, NEAR):
        await table.score(await table.guess(symbols))
    assert [data["new_best"] for _, data in await _notices(table)] == [True, False, True]


async def test_scores_out_of_order_never_claim_a_best_that_the_player_saw_beaten(table):
    # given
    first, second, third = [await table.guess(symbols) for symbols in (MISS, FAR, NEAR)]

    # when
    await table.score(third)
    await table.score(first, second)

    # then: nobody knew yet whether the third was better, and then it had been told
    assert [(data["total"], data["new_best"]) for _, data in await _notices(table)] == [
        (560, False), (0, False), (240, False),
    ]  # fmt: skip


async def test_the_end_of_a_blind_game_reveals_to_each_player_their_own_guesses(store):
    # given: two who play from chats of their own, one guess without a score, one after the crack
    table = await circle(store, (ADA, BO), mode=Mode.BLIND)
    await table.score(await table.guess(NEAR, ADA))
    await table.guess(MISS, ADA)
    await table.guess(FAR, BO)
    await table.guess(SECRET, BO)
    await table.guess(FAR, ADA)

    # when
    await table.settle(Cause.CLOCK)

    # then
    ended = {chat_id: data["revealed"] for kind, chat_id, data in await _told(table) if kind == "ended"}
    assert ended == {ADA.id: [[NEAR, 560], [MISS, 0]], BO.id: [[FAR, 240], [SECRET, 600]]}


async def test_the_end_of_a_groups_blind_game_reveals_nobodys_guesses_to_all(store):
    table = await group(store, mode=Mode.BLIND)
    await table.score(await table.guess(NEAR, ADA))
    await table.settle(Cause.CLOCK)
    ended = [(chat_id, data["revealed"]) for kind, chat_id, data in await _told(table) if kind == "ended"]
    assert ended == [(GROUP, None)]


@pytest.mark.parametrize("mode", [Mode.CLASSIC, Mode.PEGS])
async def test_the_end_of_a_game_that_told_as_it_went_reveals_nothing_more(store, mode):
    table = await seat(store, mode=mode)
    await table.score(await table.guess(NEAR))
    await table.give_up()
    assert (await _told(table))[-1][2]["revealed"] is None


async def test_results_told_with_the_ending_know_what_came_before_them(table):
    await table.score(await table.guess(NEAR))
    for symbols in (FAR, MISS):
        await table.guess(symbols)
    await table.give_up()
    said = [data["new_best"] for kind, _, data in await _told(table) if kind == "result"]
    assert said == [True, False, False]


async def test_a_result_the_sweep_tells_knows_what_came_before_it(table):
    # given: two guesses whose scores were committed without their notices
    await table.score(await table.guess(NEAR))
    await table.guess(MISS)
    await table.guess(FAR)
    await table.store.transact(lambda tx: scores.score_rest(tx, [table.game.id], table.at(5)))

    # when
    await table.store.transact(lambda tx: sweep.untold(tx, 10, table.at(60), mint))

    # then
    told = [data["new_best"] for _, data in await _notices(table)]
    assert told == [True, False, False]
