"""Migrations of a database that is in use: what players have stays, and still belongs together."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import text

from alembic import command
from codemojex.store import revision
from codemojex.store.engine import open_store

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
COUNTED = (
    "SELECT count(*) FROM notices JOIN guesses ON guesses.id = notices.guess_id"
    " JOIN games ON games.id = guesses.game_id JOIN rooms ON rooms.id = games.room_id"
    " JOIN players ON players.id = guesses.player_id WHERE rooms.chat_id = 1"
)


async def test_a_database_of_the_first_version_keeps_its_games(empty_database_url, monkeypatch):
    # given
    to_head = command.upgrade
    monkeypatch.setattr(command, "upgrade", lambda config, _: to_head(config, "0001"))
    await asyncio.to_thread(revision.upgrade, empty_database_url)
    monkeypatch.undo()
    store = open_store(empty_database_url)
    for line in OF_0001:
        statement = text(line.format(t="2026-11-30 00:00:00+00:00"))
        await store.transact(lambda tx, statement=statement: tx.execute(statement))

    # when
    said = await asyncio.to_thread(revision.upgrade, empty_database_url)

    # then
    assert said.endswith(f"from 0001 to revision {revision.head()}.")
    await revision.check(store)
    assert (await store.read(lambda tx: tx.execute(text(COUNTED)))).scalar_one() == 1
    await store.aclose()


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
