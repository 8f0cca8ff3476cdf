"""Scoring in batches: once each, told by the mode, in a handful of statements."""

from __future__ import annotations

import asyncio
import json

import pytest
from sqlalchemy import update

from codemojex.game.keyboards import Mode
from codemojex.play import cards
from codemojex.play.guesses import Limits
from codemojex.store import schema
from tests.play.makers import ADA, BO, CY, FAR, GROUP, MISS, NEAR, SECRET, WRONG, group, rows, seat
from tests.statements import sent_by


async def _notices(table, **where):
    found = await rows(table.store, schema.notices, **where)
    return [(row, json.loads(row.data)) for row in found]


async def test_a_scored_guess_has_its_points_and_its_notice(table):
    # given
    receipt = await table.guess(NEAR, message_id=42)

    # when
    batch = await table.score(receipt)

    # then
    row = (await table.guesses())[0]
    assert (row.points, row.exact, row.misplaced, row.scored_at) == (560, 4, 2, table.at(5))
    assert (batch.scored, batch.already, batch.missing, batch.to_settle) == ([receipt.id], [], [], set())
    [(notice, data)] = await _notices(table)
    assert [(ref.id, ref.chat_id) for ref in batch.notices] == [(notice.id, ADA.id)]
    assert (notice.kind, notice.guess_id, notice.game_id, notice.player_id) == (
        "result", receipt.id, table.game.id, ADA.id,
    )  # fmt: skip
    assert notice.reply_to == 42
    assert data == {
        "name": "Ada Lovelace", "player_id": ADA.id, "hints": 0, "symbols": list(NEAR),
        "total": 560, "percent": 93, "exact": None, "misplaced": None, "best": 560,
        "new_best": True, "rank": 1, "of": 1, "number": 1, "limit": 12, "mode": "classic", "late": False,
    }  # fmt: skip


async def test_scoring_the_same_guesses_again_changes_nothing(table):
    # given
    receipts = [await table.guess(NEAR), await table.guess(FAR)]
    await table.score(*receipts)
    before = await table.guesses(), await _notices(table)

    # when
    batch = await table.score(*receipts, seconds=99)

    # then
    assert (batch.scored, batch.notices) == ([], [])
    assert batch.already == sorted(receipt.id for receipt in receipts)
    assert (await table.guesses(), await _notices(table)) == before


async def test_an_id_without_a_guess_is_missing_and_its_neighbours_are_scored(table):
    receipt = await table.guess(NEAR)
    batch = await table.score("JOB0KHTOWnGLuA", receipt, receipt)
    assert (batch.missing, batch.scored) == (["JOB0KHTOWnGLuA"], [receipt.id])


async def test_an_empty_batch_is_fine(table):
    batch = await table.score()
    assert (batch.scored, batch.already, batch.missing, batch.notices) == ([], [], [], [])


async def test_many_workers_that_score_the_same_guesses_score_each_once(store):
    # given
    table = await group(store)
    receipts = [await table.guess(wrong, who) for wrong in WRONG[:4] for who in (ADA, BO, CY)]

    # when
    batches = await asyncio.gather(*(table.score(*receipts, seconds=5 + n) for n in range(5)))

    # then
    scored = [id for batch in batches for id in batch.scored]
    assert sorted(scored) == sorted(receipt.id for receipt in receipts)
    assert len(await _notices(table)) == len(receipts)


async def test_a_pegs_notice_tells_pegs_and_nothing_else(store):
    table = await seat(store, mode=Mode.PEGS)
    await table.score(await table.guess("🍎🍒🍇🥝🍌🍑"))
    [(_, data)] = await _notices(table)
    assert (data["exact"], data["misplaced"]) == (2, 2)
    assert {data[name] for name in ("total", "percent", "best", "new_best", "rank", "of")} == {None}


async def test_a_blind_notice_tells_nothing_about_points(store):
    table = await seat(store, mode=Mode.BLIND)
    await table.score(await table.guess(NEAR))
    [(_, data)] = await _notices(table)
    hidden = ("total", "percent", "exact", "misplaced", "best", "new_best", "hints", "rank", "of")
    assert {data[name] for name in hidden} == {None}
    assert (data["number"], data["mode"]) == (1, "blind")


async def test_a_result_is_told_in_the_rooms_chat_under_its_present_id(store):
    """A group that became a supergroup has another id than when the guess was admitted."""
    # given
    table = await group(store)
    receipt = await table.guess(NEAR, message_id=7)
    moved = update(schema.rooms).where(schema.rooms.c.id == table.room.id).values(chat_id=GROUP - 1)
    await store.transact(lambda tx: tx.execute(moved))

    # when
    await table.score(receipt)

    # then: the message it would answer is not in the new chat
    [(notice, _)] = await _notices(table)
    assert (notice.chat_id, notice.reply_to) == (GROUP - 1, None)


async def test_a_composed_guess_has_no_message_to_answer(table):
    await table.score(await table.guess(NEAR, message_id=-10_001))
    [(notice, _)] = await _notices(table)
    assert (notice.chat_id, notice.reply_to) == (ADA.id, None)


async def test_the_buttons_come_again_below_the_result_of_a_composed_guess(table):
    # given
    await table.store.transact(lambda tx: cards.composer_card(tx, table.game.id, ADA.id))

    # when
    batch = await table.score(await table.guess(NEAR, message_id=-10_001), await table.guess(FAR))

    # then
    assert [notice.kind for notice, _ in await _notices(table)] == ["result", "result", "card"]
    assert len(batch.notices) == 3


@pytest.mark.parametrize("code", [SECRET, NEAR])
async def test_the_buttons_do_not_come_again_after_the_last_guess(store, code):
    table = await seat(store, limits=Limits(alone=1, per_second=0))
    await store.transact(lambda tx: cards.composer_card(tx, table.game.id, ADA.id))
    await table.score(await table.guess(code, message_id=-10_001))
    assert not [notice for notice, _ in await _notices(table) if notice.kind == "card"]


async def test_best_and_rank_are_as_of_the_batch(store):
    # given
    table = await group(store)
    await table.score(await table.guess(FAR, ADA), await table.guess(NEAR, BO))

    # when
    await table.score(await table.guess(MISS, ADA))

    # then
    _, data = (await _notices(table))[-1]
    assert (data["total"], data["best"], data["rank"], data["of"]) == (0, 240, 2, 2)


async def test_a_crack_is_told_by_the_settlement_not_by_the_score(table):
    # given
    crack = await table.guess(SECRET)

    # when
    batch = await table.score(crack)

    # then
    assert (batch.notices, batch.to_settle) == ([], {table.game.id})
    assert (await table.guesses())[0].points == 600
    assert await _notices(table) == []


async def test_a_guess_admitted_after_a_crack_waits_for_the_settlement_too(store):
    table = await group(store)
    before, crack, after = [
        await table.guess(symbols, person) for symbols, person in ((NEAR, ADA), (SECRET, BO), (FAR, CY))
    ]
    batch = await table.score(after, crack, before)
    notices = await _notices(table)
    assert [notice.guess_id for notice, _ in notices] == [before.id]
    assert len(batch.notices) == 1


async def test_the_last_guess_alone_asks_for_settlement_in_whatever_order_scores_come(store):
    # given
    table = await seat(store, limits=Limits(alone=3, per_second=0))
    first, second, third = [await table.guess(wrong) for wrong in WRONG[:3]]

    # when
    batch = await table.score(third)

    # then
    assert batch.to_settle == {table.game.id}
    assert (await table.score(first, second)).to_settle == {table.game.id}


async def test_the_last_guess_of_one_player_does_not_end_a_groups_game(store):
    table = await group(store, limits=Limits(group=1, per_second=0))
    assert (await table.score(await table.guess(NEAR, ADA))).to_settle == set()


@pytest.mark.parametrize("size", [1, 60])
async def test_a_batch_takes_the_same_few_statements_whatever_its_size(store, size):
    # given
    tables = [await seat(store, [person], limits=Limits(alone=99, per_second=0)) for person in (ADA, BO, CY)]
    receipts = [await tables[n % 3].guess(WRONG[n], (ADA, BO, CY)[n % 3]) for n in range(size)]

    # when
    with sent_by(store) as sent:
        batch = await tables[0].score(*receipts)

    # then
    assert len(batch.scored) == size
    assert len([text for text, _ in sent if not text.startswith("BEGIN")]) <= 6
