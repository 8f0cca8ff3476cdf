"""Settlement: a game ends once, won by the earliest admitted crack, and everybody is told."""

from __future__ import annotations

import json

import pytest

from codemojex.game.keyboards import Mode
from codemojex.game.refusals import NothingToGiveUp
from codemojex.game.secret import commitment
from codemojex.play import handover, outbox, settlement
from codemojex.play.games import Cause
from codemojex.play.guesses import Limits
from codemojex.store import schema
from tests.play.makers import ADA, BO, CY, FAR, GROUP, NEAR, NONCE, SECRET, T0, group, mint, rows, seat


async def _told(table):
    return [(row.kind, row.chat_id, json.loads(row.data)) for row in await rows(table.store, schema.notices)]


async def test_a_crack_wins_and_the_game_is_closed(table):
    # given
    crack = await table.guess(SECRET)
    await table.score(crack)

    # when
    settled = await table.settle()

    # then
    row = await table.row()
    assert (row.state, row.closed_reason, row.closed_at) == ("closed", "cracked", table.at(6))
    assert (row.winner_id, row.winning_guess_id) == (ADA.id, crack.id)
    assert (settled.cause, settled.winner_id) == (Cause.CRACKED, ADA.id)


async def test_the_winner_is_told_the_score_then_the_ending(table):
    # given
    await table.score(await table.guess(NEAR), await table.guess(SECRET))

    # when
    settled = await table.settle()

    # then
    told = await _told(table)
    assert [(kind, data.get("total")) for kind, _, data in told] == [
        ("result", 560), ("result", 600), ("ended", None),
    ]  # fmt: skip
    assert len(settled.notices) == 2
    assert told[-1][2] == {
        "reason": "cracked", "winner": "Ada Lovelace", "winner_id": ADA.id, "you_won": True, "guesses": 2,
        "best": 600, "exact": 6, "misplaced": 0, "mode": "classic", "secret": list(SECRET), "nonce": NONCE,
        "commitment": commitment(tuple(SECRET), NONCE), "revealed": None, "hints": 0, "rank": 1, "of": 1,
        "room": "private", "day": None,
    }  # fmt: skip


async def test_settling_again_changes_nothing(table):
    await table.score(await table.guess(SECRET))
    await table.settle()
    before = await table.row(), await _told(table), await table.guesses()
    assert await table.settle(seconds=99) is None
    assert await table.settle(Cause.GAVE_UP, seconds=99) is None
    assert (await table.row(), await _told(table), await table.guesses()) == before


async def test_a_game_without_a_reason_to_end_goes_on(table):
    await table.score(await table.guess(NEAR))
    await table.guess(FAR)
    assert await table.settle() is None
    assert (await table.row()).state == "open"
    assert [row.points for row in await table.guesses()] == [560, None]


async def test_an_unknown_game_is_nothing_to_settle(store):
    assert await store.transact(lambda tx: settlement.settle(tx, 99, T0, mint)) is None


async def test_an_earlier_crack_that_is_scored_later_wins(store):
    # given
    table = await group(store)
    first = await table.guess(SECRET, BO)
    second = await table.guess(SECRET, ADA)
    await table.score(second)

    # when
    settled = await table.settle()

    # then
    assert settled.winner_id == BO.id
    assert [(row.id, row.points, row.late) for row in await table.guesses()] == [
        (first.id, 600, False), (second.id, 600, True),
    ]  # fmt: skip


async def test_guesses_after_the_winner_are_late_and_do_not_count(store):
    # given
    table = await group(store)
    await table.guess(NEAR, ADA)
    await table.guess(SECRET, BO)
    await table.guess(NEAR, CY)
    await table.score(*[row.id for row in await table.guesses()])

    # when
    await table.settle()

    # then
    told = await _told(table)
    assert [(kind, data.get("late")) for kind, _, data in told] == [
        ("result", False), ("result", False), ("late", True), ("ended", None),
    ]  # fmt: skip
    late = told[2][2]
    assert (late["total"], late["best"], late["rank"]) == (560, None, None)


async def test_a_late_guess_whose_result_waits_to_be_sent_is_told_to_be_late(store):
    # given: Cy's guess was scored before anybody knew of Bo's earlier crack
    table = await group(store)
    crack = await table.guess(SECRET, BO)
    sent = await table.guess(NEAR, CY)
    waits = await table.guess(FAR, CY)
    await table.score(sent, waits)
    await store.transact(lambda tx: _send(tx, table, sent))

    # when
    await table.score(crack)
    await table.settle()

    # then
    by_guess = {row.guess_id: row for row in await rows(store, schema.notices) if row.guess_id}
    assert by_guess[waits.id].kind == "late"
    assert json.loads(by_guess[waits.id].data)["late"] is True
    assert by_guess[sent.id].kind == "result"


async def _send(tx, table, receipt):
    waiting = await outbox.waiting(tx, table.room.chat_id, 10)
    mine = [notice for notice in waiting if notice.guess_id == receipt.id]
    await handover.sending(tx, mine, table.at(5))


async def test_a_give_up_ends_the_game_without_a_winner(table):
    # given
    await table.score(await table.guess(NEAR))

    # when
    settled = await table.give_up()

    # then
    row = await table.row()
    assert (row.closed_reason, row.winner_id, row.winning_guess_id) == ("gave_up", None, None)
    assert settled.cause is Cause.GAVE_UP
    kind, chat_id, data = (await _told(table))[-1]
    assert (kind, chat_id, data["reason"], data["winner"], data["you_won"]) == (
        "ended", ADA.id, "gave_up", None, False,
    )  # fmt: skip
    assert (data["best"], data["guesses"], data["secret"]) == (560, 1, list(SECRET))


async def test_a_crack_that_was_admitted_before_the_give_up_still_wins(table):
    await table.guess(SECRET)
    settled = await table.give_up()
    assert (settled.cause, settled.winner_id) == (Cause.CRACKED, ADA.id)


async def test_guesses_without_a_score_get_it_and_their_notice_when_the_game_ends(table):
    first, second = await table.guess(NEAR), await table.guess(FAR)
    await table.give_up()
    assert [row.points for row in await table.guesses()] == [560, 240]
    assert [data.get("total") for _, _, data in await _told(table)] == [560, 240, None]
    assert (await table.score(first, second)).already == [first.id, second.id]


async def test_nothing_to_give_up_when_no_game_runs(table):
    await table.give_up()
    with pytest.raises(NothingToGiveUp):
        await table.give_up()


async def test_the_clock_ends_a_game_when_its_time_is_up_and_not_before(store):
    # given
    table = await seat(store, minutes=1)
    await table.score(await table.guess(NEAR))

    # when
    early, due = await table.settle(seconds=59), await table.settle(seconds=60)

    # then
    assert early is None
    assert (due.cause, due.winner_id) == (Cause.CLOCK, None)


async def test_a_crack_that_waits_when_the_clock_runs_out_wins(store):
    table = await seat(store, minutes=1)
    await table.guess(SECRET)
    settled = await table.settle(seconds=61)
    assert (settled.cause, settled.winner_id) == (Cause.CRACKED, ADA.id)


async def test_the_last_guess_alone_ends_the_game_by_itself(store):
    table = await seat(store, limits=Limits(alone=2, per_second=0))
    await table.score(await table.guess(NEAR), await table.guess(FAR))
    settled = await table.settle()
    assert (settled.cause, (await table.row()).closed_reason) == (Cause.OUT_OF_GUESSES, "out_of_guesses")


async def test_a_last_guess_that_cracks_wins(store):
    table = await seat(store, limits=Limits(alone=2, per_second=0))
    await table.score(await table.guess(NEAR), await table.guess(SECRET))
    assert (await table.settle()).cause is Cause.CRACKED


async def test_a_group_is_told_the_ending_once_with_the_winners_name(store):
    table = await group(store)
    await table.score(await table.guess(NEAR, ADA), await table.guess(SECRET, BO))
    await table.settle()
    ended = [(chat_id, data) for kind, chat_id, data in await _told(table) if kind == "ended"]
    assert [chat_id for chat_id, _ in ended] == [GROUP]
    assert (ended[0][1]["winner"], ended[0][1]["you_won"], ended[0][1]["winner_id"]) == ("Bo", False, BO.id)


async def test_a_blind_game_tells_points_only_with_its_ending(store):
    table = await seat(store, mode=Mode.BLIND)
    await table.score(await table.guess(NEAR))
    await table.give_up()
    told = await _told(table)
    assert [(kind, data.get("total"), data["best"]) for kind, _, data in told] == [
        ("result", None, None), ("ended", None, 560),
    ]  # fmt: skip


async def test_a_game_never_closes_before_its_last_guess(table):
    """The time of the end may have been read before the last guess came in under the lock."""
    await table.guess(NEAR, seconds=50)
    await table.settle(Cause.GAVE_UP, seconds=49)
    assert (await table.row()).closed_at == table.at(50)
