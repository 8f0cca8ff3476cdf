"""The tables: one migration makes exactly what the program describes, on both databases."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import UniqueConstraint, inspect, text, update

from codemojex.play import players
from codemojex.store import revision, schema
from codemojex.store.engine import StoreDown, open_store
from codemojex.store.errors import SchemaError
from codemojex.store.revision import SchemaAhead, SchemaBehind, SchemaMissing
from tests.play.makers import ADA, T0, rows

FIXED = {
    "guesses": "id game_id player_id chat_id message_id symbols points admitted_at enqueued_at scored_at told_at",
    "games": "id room_id mode secret nonce commitment state winner_id opened_at closes_at closed_at",
    "players": "id",
    "rooms": "id",
}


@pytest.fixture
async def empty(empty_database_url):
    opened = open_store(empty_database_url)
    yield opened
    await opened.aclose()


def _url(store):
    return store.url.render_as_string(hide_password=False)


async def _stamp(store, number):
    stamp = text("UPDATE alembic_version SET version_num = :number")
    await store.transact(lambda tx: tx.execute(stamp, {"number": number}))


async def test_the_migrations_make_what_the_program_describes(store):
    def differences(connection):
        options = {"compare_type": True, "compare_server_default": True}
        return compare_metadata(MigrationContext.configure(connection, opts=options), schema.metadata)

    assert await store.read(lambda tx: tx.run_sync(differences)) == []


async def test_partial_indexes_have_the_conditions_the_program_describes(store):
    """The comparison above does not look at them."""

    def conditions(connection):
        dialect = connection.dialect.name
        return {
            index["name"]: index["dialect_options"][f"{dialect}_where"]
            for table in inspect(connection).get_table_names()
            for index in inspect(connection).get_indexes(table)
            if f"{dialect}_where" in index.get("dialect_options", {})
        }

    found = await store.read(lambda tx: tx.run_sync(conditions))
    described = {
        index.name: str(index.dialect_options["sqlite"]["where"])
        for table in schema.metadata.tables.values()
        for index in table.indexes
        if index.dialect_options["sqlite"]["where"] is not None
    }

    def plain(condition):
        return str(condition).replace("(", "").replace(")", "").replace("::text", "").lower()

    assert {name: plain(where).replace("::character varying", "") for name, where in found.items()} == {
        name: plain(where) for name, where in described.items()
    }


def _first_columns(table):
    """Columns by which rows are found: the first of the primary key, of a unique constraint, of an index.

    An index of a part of the rows will do where that part is told by the column itself.
    """
    keys = [table.primary_key, *(each for each in table.constraints if isinstance(each, UniqueConstraint))]
    found = {key.columns[0].name for key in keys}
    for index in table.indexes:
        name, where = index.columns[0].name, index.dialect_options["sqlite"]["where"]
        if where is None or str(where) == f"{name} IS NOT NULL":
            found.add(name)
    return found


def test_what_belongs_to_a_person_or_shows_on_a_card_is_found_by_an_index():
    """A database looks for such rows by itself whenever a person or a card is deleted."""
    of_them = {
        (table, column.name)
        for table in schema.metadata.tables.values()
        for column in table.columns
        for key in column.foreign_keys
        if key.column.table in (schema.players, schema.cards)
    }
    assert len(of_them) > 10
    assert {(table.name, name) for table, name in of_them if name not in _first_columns(table)} == set()


@pytest.mark.parametrize("table", FIXED)
async def test_the_columns_that_operators_query_are_there(store, table):
    def columns(connection):
        return {column["name"] for column in inspect(connection).get_columns(table)}

    assert set(FIXED[table].split()) <= await store.read(lambda tx: tx.run_sync(columns))


async def test_ids_sort_by_bytes_as_they_were_minted(store):
    """A database with a locale would put `a` before `B`."""
    drafts = [f"JOB0000000000{last}" for last in ("a", "B", "z", "0", "Z", "9")]

    async def sort(tx):
        for id in drafts:
            values = {"id": id, "chat_id": 1, "kind": "text", "data": "{}", "created_at": T0}
            await tx.execute(schema.notices.insert().values(**values))
        found = await tx.execute(schema.notices.select().order_by(schema.notices.c.id))
        after = await tx.execute(schema.notices.select().where(schema.notices.c.id > "JOB0000000000Z"))
        return [row.id for row in found], {row.id[-1] for row in after}

    found, after = await store.transact(sort)
    assert found == sorted(drafts)
    assert after == {"a", "z"}


async def test_times_come_back_aware_and_in_utc_to_the_microsecond(store):
    # given
    east = timezone(timedelta(hours=5, minutes=30))
    moment = datetime(2026, 3, 29, 2, 30, 0, 123_456, tzinfo=east)

    # when
    await store.transact(lambda tx: players.seen(tx, ADA, moment))

    # then
    [row] = await rows(store, schema.players)
    assert row.created_at == moment
    assert row.created_at.tzinfo is UTC
    assert row.created_at.isoformat() == "2026-03-28T21:00:00.123456+00:00"


async def test_times_compare_as_times_whatever_their_fraction(store):
    await store.transact(lambda tx: players.seen(tx, ADA, T0))
    later = update(schema.players).where(schema.players.c.seen_at < T0 + timedelta(microseconds=1))
    changed = await store.transact(lambda tx: tx.execute(later.values(username="x")))
    assert changed.rowcount == 1


async def test_a_database_without_tables_is_missing_and_the_cure_is_named(empty):
    with pytest.raises(SchemaMissing, match=r"(no tables|not exist) yet.*codemojex db upgrade"):
        await revision.check(empty)
    assert await revision.current(empty) is None


async def test_an_upgrade_makes_the_tables_and_the_check_passes(empty):
    # when
    said = await asyncio.to_thread(revision.upgrade, _url(empty))

    # then
    assert f"from no tables to revision {revision.head()}" in said
    await revision.check(empty)
    assert await revision.current(empty) == revision.head()


async def test_an_upgrade_works_inside_a_running_event_loop_too(empty):
    revision.upgrade(_url(empty))
    await revision.check(empty)


async def test_a_second_upgrade_changes_nothing_and_says_so(store):
    await store.transact(lambda tx: players.seen(tx, ADA, T0))
    assert "already" in await asyncio.to_thread(revision.upgrade, _url(store))
    assert len(await rows(store, schema.players)) == 1


async def test_upgrades_at_once_wait_for_each_other(empty):
    said = await asyncio.gather(*(asyncio.to_thread(revision.upgrade, _url(empty)) for _ in range(4)))
    assert sum("from no tables" in sentence for sentence in said) == 1
    assert sum("already" in sentence for sentence in said) == 3
    await revision.check(empty)


async def test_an_upgrade_that_fails_leaves_nothing_behind(empty, monkeypatch):
    # given: the migration stumbles over a table of somebody else's
    await empty.transact(lambda tx: tx.execute(text("CREATE TABLE notices (id INTEGER)")))

    # when
    with pytest.raises(Exception, match="notices"):
        await asyncio.to_thread(revision.upgrade, _url(empty))

    # then
    tables = await empty.read(lambda tx: tx.run_sync(lambda c: set(inspect(c).get_table_names())))
    assert tables == {"notices"}


def test_the_revision_that_is_looked_for_is_the_newest_migration():
    assert revision.head() == revision._scripts().get_current_head()


async def test_a_database_behind_names_both_revisions_and_the_cure(own_database_url, monkeypatch):
    # given
    store = open_store(own_database_url)
    present = revision.head()
    monkeypatch.setattr(revision, "head", lambda: "0099")

    # when
    with pytest.raises(
        SchemaBehind, match=rf"revision {present}, this program needs 0099.*codemojex db upgrade"
    ):
        await revision.check(store)
    await store.aclose()


async def test_a_database_ahead_asks_for_newer_code_and_is_not_touched(own_database_url):
    # given
    store = open_store(own_database_url)
    await _stamp(store, "9999")

    # when
    with pytest.raises(SchemaAhead, match=r"9999.*newer"):
        await revision.check(store)
    with pytest.raises(SchemaAhead, match=r"9999.*newer"):
        await asyncio.to_thread(revision.upgrade, own_database_url)

    # then
    assert await revision.current(store) == "9999"
    await store.aclose()


def test_the_three_are_one_kind_of_error():
    assert {SchemaMissing.__base__, SchemaBehind.__base__, SchemaAhead.__base__} == {SchemaError}


@pytest.mark.parametrize(
    "url", ["postgresql://u:s3cret@127.0.0.1:9/game", "sqlite:////no/such/folder/game.db"]
)
def test_an_upgrade_of_a_database_that_does_not_answer_is_an_outage(url):
    with pytest.raises(StoreDown) as down:
        revision.upgrade(url)
    assert "does not answer" in str(down.value)
    assert "s3cret" not in str(down.value)


def test_an_upgrade_prints_nothing_and_leaves_logging_alone(tmp_path, capfd):
    import logging

    root = logging.getLogger()
    before = root.level, list(root.handlers), logging.getLogger("sqlalchemy.engine").level
    revision.upgrade(f"sqlite:///{tmp_path / 'game.sqlite3'}")
    assert (root.level, list(root.handlers), logging.getLogger("sqlalchemy.engine").level) == before
    assert capfd.readouterr() == ("", "")


def test_the_migrations_are_found_in_the_tree_and_in_an_installed_package(tmp_path, monkeypatch):
    # given
    tree = Path(__file__).parents[2] / "alembic"
    installed = tmp_path / "store" / "alembic"
    installed.mkdir(parents=True)
    assert revision._folder() == tree

    # when
    monkeypatch.setattr(revision, "__file__", str(tmp_path / "store" / "revision.py"))

    # then
    assert revision._folder() == installed
