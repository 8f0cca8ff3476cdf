"""Views: what the mode shows, in the right order, and never the secret of an open game."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import update

from codemojex.game.keyboards import Mode
from codemojex.play import games, outbox, sweep, views
from codemojex.play.games import Cause
from codemojex.store import schema
from tests.play.makers import ADA, BO, CY, FAR, GROUP, MISS, NEAR, NONCE, SECRET, group, rows, seat
from tests.statements import sent_by

OTHER = "🥝🍑🍋🍉🍈🍐"


async def _board(table, viewer=None):
    return await table.store.read(lambda tx: views.board(tx, table.game.id, viewer))


async def _standing(table, person):
    return await table.store.read(lambda tx: views.standing(tx, table.game.id, person.id))


async def _played(store, mode=Mode.CLASSIC):
    """A group in which Ada has 240 and 560, Bo 560 (earlier), Cy nothing but a miss."""
    table = await group(store, mode=mode)
    receipts = await table.admit((FAR, ADA), (NEAR, BO), (NEAR, ADA), (MISS, CY))
    await table.score(*receipts)
    return table


async def test_rank_is_best_then_the_earlier_guess_that_reached_it(store):
    # given
    table = await _played(store)

    # when
    board = await _board(table, ADA.id)

    # then
    assert [(row.rank, row.name, row.best, row.guesses) for row in board.rows] == [
        (1, "Bo", 560, 1), (2, "Ada Lovelace", 560, 2), (None, "Cy", 0, 1),
    ]  # fmt: skip
    assert board.game == table.game
    assert board.mine == await _standing(table, ADA) == views.Standing(best=560, rank=2, of=2, guesses=2)


async def test_a_player_without_points_is_not_placed(store):
    table = await _played(store)
    assert await _standing(table, CY) == views.Standing(best=0, rank=None, of=2, guesses=1)


async def test_a_player_who_has_not_guessed_stands_nowhere(table):
    assert await _standing(table, BO) == views.Standing(best=None, rank=None, of=0, guesses=0)
    assert (await _board(table)).rows == ()
    assert (await _board(table)).mine is None


async def test_a_guess_without_a_score_counts_as_a_guess_only(table):
    await table.guess(NEAR)
    assert await _standing(table, ADA) == views.Standing(best=None, rank=None, of=0, guesses=1)


async def test_late_guesses_never_count(store):
    # given
    table = await group(store)
    await table.admit((FAR, ADA), (SECRET, BO), (NEAR, ADA), (NEAR, CY))
    await table.settle(Cause.CLOCK)

    # when
    board = await _board(table)

    # then
    assert [(row.rank, row.name, row.best) for row in board.rows] == [
        (1, "Bo", 600),
        (2, "Ada Lovelace", 240),
    ]


async def test_an_open_blind_game_shows_who_guessed_how_often_and_no_order(store):
    table = await _played(store, Mode.BLIND)
    board = await _board(table, BO.id)
    assert [(row.player_id, row.guesses) for row in board.rows] == [(ADA.id, 2), (BO.id, 1), (CY.id, 1)]
    assert {(row.rank, row.best, row.exact, row.misplaced) for row in board.rows} == {(None,) * 4}
    assert board.mine == views.Standing(best=None, rank=None, of=0, guesses=1)


async def test_an_open_pegs_game_shows_pegs_and_no_totals(store):
    table = await _played(store, Mode.PEGS)
    board = await _board(table, BO.id)
    assert [(row.rank, row.best, row.exact, row.misplaced) for row in board.rows] == [
        (1, None, 4, 2), (2, None, 4, 2), (None, None, 0, 0),
    ]  # fmt: skip
    assert board.mine.best is None


@pytest.mark.parametrize("mode", [Mode.BLIND, Mode.PEGS])
async def test_a_closed_game_shows_everything(store, mode):
    table = await _played(store, mode)
    await table.settle(Cause.CLOCK)
    board = await _board(table)
    assert [(row.rank, row.best) for row in board.rows] == [(1, 560), (2, 560), (None, 0)]
    assert (board.game.secret, board.game.nonce) == (tuple(SECRET), NONCE)


async def test_an_unknown_game_is_an_error(store):
    with pytest.raises(LookupError):
        await store.read(lambda tx: views.board(tx, 99))


@pytest.mark.parametrize("mode", list(Mode))
async def test_nothing_a_player_can_see_of_an_open_game_holds_its_secret_or_nonce(store, mode):
    """The secret shares no symbol with any guess here, so any trace of it is a leak."""
    # given
    table = await group(store, mode=mode, secret=OTHER)
    await table.score(*await table.admit((SECRET, ADA), (NEAR, BO), (FAR, CY)))

    # when
    async def look(tx):
        return [
            await games.running(tx, table.room),
            await games.latest(tx, table.room),
            await games.game(tx, table.game.id),
            await views.board(tx, table.game.id, ADA.id),
            await views.standing(tx, table.game.id, ADA.id),
            await outbox.waiting(tx, GROUP, 100),
            await sweep.unqueued(tx, 100),
        ]

    seen = [table.game, *await table.store.read(look)]

    # then
    assert all(
        view.secret is None and view.nonce is None for view in (seen[0], seen[1], seen[3], seen[4].game)
    )
    hidden = "".join(map(repr, seen)).replace(repr(table.game.keyboard), "")
    assert NONCE not in hidden
    assert not set(OTHER) & set(hidden)


async def test_no_statement_behind_a_view_reads_a_secret_without_asking_whether_the_game_is_closed(store):
    """Read from the SQL that is really sent."""
    # given
    table = await _played(store)

    # when
    with sent_by(store) as sent:
        await _board(table, ADA.id)
        await _standing(table, ADA)
        await table.store.read(lambda tx: games.running(tx, table.room))
        await table.store.read(lambda tx: games.latest(tx, table.room))
        await table.guess(MISS)

    # then
    statements = [" ".join(statement.split()) for statement, _ in sent]
    reading = [text for text in statements if "secret" in text or "nonce" in text]
    assert len(reading) >= 4
    for text in reading:
        assert text.count("games.secret") == text.count("THEN games.secret END AS secret") == 1
        assert text.count("games.nonce") == text.count("THEN games.nonce END AS nonce") == 1
        assert "CASE WHEN (games.state = " in text


async def test_a_notice_of_an_open_game_never_tells_more_than_its_guess_earned(store):
    table = await seat(store)
    await table.score(*await table.admit((NEAR, ADA), (SECRET, ADA)))
    told = [json.loads(row.data) for row in await rows(store, schema.notices)]
    assert [data["symbols"] for data in told] == [list(NEAR)]


async def test_a_name_that_changes_is_shown_as_it_is_now(store):
    table = await _played(store)
    renamed = (
        update(schema.players).where(schema.players.c.id == BO.id).values(first_name="<3</a>", last_name="&")
    )
    await store.transact(lambda tx: tx.execute(renamed))
    assert (await _board(table)).rows[0].name == "<3</a> &"
