"""Migrations of a database that is in use: what players have stays, and still belongs together."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from alembic import command
from codemojex.play import seasons, sweep
from codemojex.play.audit import audit
from codemojex.store import revision, schema
from codemojex.store.engine import open_store
from tests.play.makers import rows

MONDAY = datetime(2026, 11, 30, 12, tzinfo=UTC)
OF_0001 = (
    "INSERT INTO players (id, first_name, created_at, seen_at) VALUES (1, 'Ada', '{t}', '{t}')",
    "INSERT INTO rooms (id, kind, chat_id, title, created_at) VALUES (7, 'private', 1, '', '{t}')",
    "INSERT INTO games (id, room_id, mode, level, theme, keyboard, secret, nonce, commitment, guess_limit,"
    " state, opened_by, opened_at) VALUES"
    " (3, 7, 'classic', 'normal', 'fruit', 'k', 's', 'n', 'c', 12, 'open', 1, '{t}')",
    "INSERT INTO guesses (id, game_id, player_id, chat_id, message_id, ordinal, number, symbols, admitted_at)"
    " VALUES ('JOB00000000001', 3, 1, 1, 11, 1, 1, 's', '{t}')",
    "INSERT INTO notices (id, chat_id, kind, game_id, guess_id, data, created_at)"
    " VALUES ('JOB00000000002', 1, 'result', 3, 'JOB00000000001', '{{}}', '{t}')",
)
# Two games that were over: one won with the second guess, one given up.
OVER = (
    "INSERT INTO games (id, room_id, mode, level, theme, keyboard, secret, nonce, commitment, guess_limit, state,"
    " opened_by, opened_at, closed_at, closed_reason, winner_id, winning_guess_id) VALUES"
    " (4, 7, 'classic', 'normal', 'fruit', 'k', 's', 'n', 'c', 12, 'closed', 1, '{t}', '{t}', 'cracked', 1,"
    " 'JOB00000000004'),"
    " (5, 7, 'classic', 'normal', 'fruit', 'k', 's', 'n', 'c', 12, 'closed', 1, '{t}', '{t}', 'gave_up', NULL,"
    " NULL)",
    "INSERT INTO guesses (id, game_id, player_id, chat_id, message_id, ordinal, number, symbols, points, exact,"
    " misplaced, admitted_at, enqueued_at, scored_at, told_at) VALUES"
    " ('JOB00000000003', 4, 1, 1, 12, 1, 1, 's', 480, 2, 4, '{t}', '{t}', '{t}', '{t}'),"
    " ('JOB00000000004', 4, 1, 1, 13, 2, 2, 's', 600, 6, 0, '{t}', '{t}', '{t}', '{t}'),"
    " ('JOB00000000005', 5, 1, 1, 14, 1, 1, 's', 0, 0, 0, '{t}', '{t}', '{t}', '{t}')",
)
COUNTED = (
    "SELECT count(*) FROM notices JOIN guesses ON guesses.id = notices.guess_id"
    " JOIN games ON games.id = guesses.game_id JOIN rooms ON rooms.id = games.room_id"
    " JOIN players ON players.id = guesses.player_id WHERE rooms.chat_id = 1"
)


@pytest.fixture
async def of_0001(empty_database_url, monkeypatch):
    """A database of the first version, on which statements can be run."""
    to_head = command.upgrade
    monkeypatch.setattr(command, "upgrade", lambda config, _: to_head(config, "0001"))
    await asyncio.to_thread(revision.upgrade, empty_database_url)
    monkeypatch.undo()
    store = open_store(empty_database_url)

    async def run(lines):
        for line in lines:
            # SQLite keeps times as the program writes them, without a zone.
            statement = text(line.format(t="2026-11-30 00:00:00.000000"))
            await store.transact(lambda tx, statement=statement: tx.execute(statement))

    yield store, run
    await store.aclose()


async def test_a_database_of_the_first_version_keeps_its_games(of_0001, empty_database_url):
    # given
    store, run = of_0001
    await run(OF_0001)

    # when
    said = await asyncio.to_thread(revision.upgrade, empty_database_url)

    # then
    assert said.endswith(f"from 0001 to revision {revision.head()}.")
    await revision.check(store)
    assert (await store.read(lambda tx: tx.execute(text(COUNTED)))).scalar_one() == 1


async def test_games_of_the_first_version_count_in_statistics_and_on_the_boards(of_0001, empty_database_url):
    # given
    store, run = of_0001
    await run([*OF_0001, *OVER])

    # when
    await asyncio.to_thread(revision.upgrade, empty_database_url)

    # then
    week = await store.read(lambda tx: seasons.top(tx, seasons.EVERYBODY, seasons.Period.WEEK, MONDAY, "UTC"))
    assert [(row.name, row.points, row.wins, row.games) for row in week.rows] == [("Ada", 600, 1, 2)]
    report = await store.read(lambda tx: audit(tx, MONDAY))
    assert not [found.name for found in report.violations if found.name.startswith(("finish", "season"))]


async def test_notices_that_ended_before_are_what_the_program_would_have_made_of_them(
    of_0001, empty_database_url
):
    # given: a result that was dropped, a reply that was told, and one that waits
    store, run = of_0001
    await run(OF_0001)
    await run(
        [
            "UPDATE guesses SET points = 0, exact = 0, misplaced = 0, scored_at = '{t}'",
            "UPDATE notices SET failure = 'blocked', failed_at = '{t}'",
            "INSERT INTO notices (id, chat_id, kind, data, created_at, sent_at) VALUES"
            " ('JOB00000000006', 1, 'text', '\"Ada\"', '{t}', '{t}'),"
            " ('JOB00000000007', 1, 'text', '\"Ada\"', '{t}', NULL)",
        ]
    )

    # when
    await asyncio.to_thread(revision.upgrade, empty_database_url)

    # then
    [guess] = await rows(store, schema.guesses)
    assert guess.dropped_at == MONDAY.replace(hour=0)
    assert not await store.read(sweep.left_untold)
    assert [row.data for row in await rows(store, schema.notices)] == ["{}", "{}", '"Ada"']


async def test_a_migration_that_orphans_rows_is_undone(tmp_path, monkeypatch):
    # given
    url = f"sqlite:///{tmp_path / 'game.sqlite3'}"
    await asyncio.to_thread(revision.upgrade, url)

    def orphan(config, _):
        config.attributes["connection"].exec_driver_sql(
            "INSERT INTO votes (game_id, player_id, voted_at) VALUES (99, 99, '2026-11-30')"
        )

    monkeypatch.setattr(command, "upgrade", orphan)

    # when
    with pytest.raises(RuntimeError, match="pointing nowhere"):
        await asyncio.to_thread(revision.upgrade, url)

    # then
    store = open_store(url)
    assert (await store.read(lambda tx: tx.execute(text("SELECT count(*) FROM votes")))).scalar_one() == 0
    await store.aclose()
