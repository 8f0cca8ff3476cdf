"""Transactions: whole or not at all, in turn, started over when they meet, and honest about outages."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import insert, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import players
from codemojex.play.players import Person
from codemojex.store import schema
from codemojex.store.engine import MalformedDatabaseUrl, StoreDown, TryAgain, is_outage, open_store
from tests.play.makers import ADA, T0, rows


async def _names(store):
    return sorted(row.first_name for row in await rows(store, schema.players))


async def _see(tx: AsyncConnection, *people: Person):
    for person in people:
        await players.seen(tx, person, T0)


def _person(n):
    return Person(n, f"P{n:03}")


async def test_what_a_transaction_returns_is_returned(store):
    async def one(tx):
        return (await tx.execute(text("SELECT 1"))).scalar_one()

    assert await store.transact(one) == await store.read(one) == 1


async def test_a_commit_waits_for_the_disk_unless_it_need_not(store):
    """The databases of tests wait for no disk, so what counts is who said so: the database, or the transaction."""
    if store.kind == "SQLite":
        return

    async def said(tx):
        found = "SELECT setting, source FROM pg_settings WHERE name = 'synchronous_commit'"
        return tuple((await tx.execute(text(found))).one())

    # when: hasty ones before and after one that is not
    found = [await store.transact(said, durable=durable) for durable in (False, True, False, True)]

    # then
    assert found == [("off", "session"), ("off", "database")] * 2


async def test_an_exception_takes_everything_back_and_is_passed_on(store):
    async def fail(tx):
        await _see(tx, ADA)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await store.transact(fail)
    assert await _names(store) == []


async def test_a_savepoint_takes_back_its_own_part_only(store):
    """A poison update between two good ones."""

    async def three(tx):
        for n in (1, 2, 3):
            try:
                async with tx.begin_nested():
                    await _see(tx, _person(n))
                    if n == 2:
                        raise ValueError("poison")
            except ValueError:
                pass

    await store.transact(three)
    assert await _names(store) == ["P001", "P003"]


async def test_a_statement_that_fails_inside_a_savepoint_spoils_nothing_around_it(store):
    async def twin(tx):
        async with tx.begin_nested():
            await _see(tx, _person(2))
            again = {"id": 1, "first_name": "twin", "created_at": T0, "seen_at": T0}
            await tx.execute(insert(schema.players).values(**again))

    async def around(tx):
        await _see(tx, _person(1))
        with pytest.raises(IntegrityError):
            await twin(tx)
        await _see(tx, _person(3))

    await store.transact(around)
    assert await _names(store) == ["P001", "P003"]


async def test_foreign_keys_are_enforced(store):
    game = {"room_id": 9, "mode": "", "level": "", "theme": "", "keyboard": "", "secret": "", "nonce": ""}
    game |= {"commitment": "", "guess_limit": 1, "state": "open", "opened_by": 9, "opened_at": T0}
    with pytest.raises(IntegrityError):
        await store.transact(lambda tx: tx.execute(insert(schema.games).values(**game)))


async def test_a_broken_statement_is_no_outage(store):
    with pytest.raises(DBAPIError) as error:
        await store.transact(lambda tx: tx.execute(text("SELEKT 1")))
    assert not isinstance(error.value, StoreDown)
    assert not is_outage(error.value)


async def test_many_writers_wait_for_each_other_and_all_get_their_turn(store):
    await asyncio.gather(*(store.transact(lambda tx, n=n: _see(tx, _person(n))) for n in range(60)))
    assert len(await _names(store)) == 60


async def test_writers_of_two_processes_wait_for_each_other_too(database_url):
    """Two stores share no lock but the database's own."""
    first, second = open_store(database_url), open_store(database_url)
    try:
        await asyncio.gather(
            *((first, second)[n % 2].transact(lambda tx, n=n: _see(tx, _person(n))) for n in range(40))
        )
        assert len(await _names(first)) == 40
    finally:
        await first.aclose()
        await second.aclose()


async def test_no_update_is_lost_between_reading_and_writing_a_locked_row(store):
    # given
    await store.transact(lambda tx: _see(tx, _person(1)))
    mine = schema.players.c.id == 1

    async def add_one(tx):
        query = select(schema.players.c.pace_tokens).where(mine).with_for_update()
        tokens = (await tx.execute(query)).scalar_one() or 0
        await asyncio.sleep(0)
        await tx.execute(update(schema.players).where(mine).values(pace_tokens=tokens + 1))

    # when
    await asyncio.gather(*(store.transact(add_one) for _ in range(25)))

    # then
    assert (await rows(store, schema.players))[0].pace_tokens == 25


async def test_a_reader_sees_one_moment_while_others_write(store):
    await store.transact(lambda tx: _see(tx, _person(1)))
    query = select(schema.players.c.id)

    async def twice(tx):
        before = (await tx.execute(query)).scalars().all()
        await store.transact(lambda other: _see(other, _person(2)))
        return before, (await tx.execute(query)).scalars().all()

    before, after = await store.read(twice)
    assert before == after == [1]
    assert await _names(store) == ["P001", "P002"]


async def test_a_reader_does_not_wait_for_a_writer(store):
    async def write(tx):
        await _see(tx, _person(1))
        return await asyncio.wait_for(_names(store), 60)

    assert await store.transact(write) == []


async def test_a_transaction_that_met_another_starts_over(store):
    tries = []

    async def meet(tx):
        await _see(tx, _person(len(tries)))
        tries.append(1)
        if len(tries) < 3:
            raise TryAgain("met another")
        return "done"

    assert await store.transact(meet) == "done"
    assert await _names(store) == ["P002"]


async def test_a_transaction_that_always_meets_another_gives_up_with_a_sentence(store):
    async def meet(tx):
        raise TryAgain("met another")

    with pytest.raises(StoreDown, match="too busy: met another"):
        await store.transact(meet, attempts=3)


async def test_two_that_lock_each_others_rows_both_finish(postgres_url):
    """A real deadlock: PostgreSQL ends one of them, and it starts over."""
    store = open_store(postgres_url)
    await store.transact(lambda tx: _see(tx, _person(1), _person(2)))
    met = asyncio.Barrier(2)
    tries = []

    async def cross(tx, first, second):
        tries.append(first)
        rename = update(schema.players).values(first_name=f"by {first}")
        await tx.execute(rename.where(schema.players.c.id == first))
        if len(tries) <= 2:
            await met.wait()
        await tx.execute(rename.where(schema.players.c.id == second))

    await asyncio.gather(
        store.transact(lambda tx: cross(tx, 1, 2)), store.transact(lambda tx: cross(tx, 2, 1))
    )
    # The one that starts over may have a row before the other is awake, and then they meet once more.
    assert len(tries) >= 3
    assert {name.removeprefix("by ") for name in await _names(store)} <= {"1", "2"}
    await store.aclose()


async def test_a_sqlite_file_that_another_process_keeps_locked_is_an_outage_after_every_attempt(
    sqlite_url, monkeypatch
):
    # given
    monkeypatch.setattr("codemojex.store.hops.BUSY_MS", 20)
    store = open_store(sqlite_url)
    other = sqlite3.connect(sqlite_url.partition(":///")[2], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    # when
    with pytest.raises(StoreDown, match="locked"):
        await store.transact(lambda tx: _see(tx, ADA), attempts=2)
    other.execute("ROLLBACK")
    other.close()

    # then
    await store.transact(lambda tx: _see(tx, ADA))
    assert await _names(store) == ["Ada"]
    await store.aclose()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://u:s3cret@127.0.0.1:9/game", "Start it, or set DATABASE_URL"),
        ("postgresql://u:s3cret@no-such-host.invalid/game", "resolve"),
        ("sqlite:////no/such/folder/game.sqlite3", "folder exists"),
    ],
)
async def test_a_database_that_does_not_answer_is_an_outage_with_a_cure_and_no_password(url, said):
    store = open_store(url)
    with pytest.raises(StoreDown) as down:
        await store.read(lambda tx: tx.execute(text("SELECT 1")))
    assert said in str(down.value)
    assert "does not answer" in str(down.value)
    assert "s3cret" not in str(down.value) + store.name
    assert is_outage(down.value)
    await store.aclose()


async def test_a_file_that_is_no_database_is_an_outage_with_a_cure(tmp_path: Path):
    path = tmp_path / "notes.txt"
    path.write_text("no database at all, only words " * 100)
    store = open_store(f"sqlite:///{path}")
    with pytest.raises(StoreDown, match="not a database"):
        await store.read(lambda tx: tx.execute(text("SELECT 1 FROM sqlite_master")))
    await store.aclose()


async def test_an_option_the_driver_does_not_know_is_a_malformed_url(postgres_url):
    store = open_store(postgres_url + "?colour=blue")
    with pytest.raises(MalformedDatabaseUrl, match="colour"):
        await store.read(lambda tx: tx.execute(text("SELECT 1")))
    await store.aclose()


def _disconnect_all(postgres_url):
    with psycopg.connect(postgres_url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


async def test_a_connection_that_was_cut_while_idle_costs_nobody_a_transaction(postgres_url):
    store = open_store(postgres_url)
    await store.transact(lambda tx: _see(tx, _person(1)))
    await asyncio.to_thread(_disconnect_all, postgres_url)
    await store.transact(lambda tx: _see(tx, _person(2)))
    assert await _names(store) == ["P001", "P002"]
    await store.aclose()


async def test_a_connection_that_is_cut_inside_a_transaction_is_an_outage_and_nothing_is_kept(postgres_url):
    store = open_store(postgres_url)

    async def cut(tx):
        await _see(tx, _person(1))
        await asyncio.to_thread(_disconnect_all, postgres_url)
        async with tx.begin_nested():
            await _see(tx, _person(2))

    with pytest.raises(StoreDown) as down:
        await store.transact(cut)
    assert is_outage(down.value.__cause__)
    assert await _names(store) == []
    await store.aclose()


async def test_a_cancelled_transaction_keeps_nothing_and_blocks_nobody(store):
    inside = asyncio.Event()

    async def hang(tx):
        await _see(tx, _person(1))
        inside.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(store.transact(hang))
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(store.transact(lambda tx: _see(tx, _person(2))), 60)
    assert await _names(store) == ["P002"]


async def test_a_store_can_be_closed_twice_and_used_again(store):
    await store.transact(lambda tx: _see(tx, _person(1)))
    await store.aclose()
    await store.aclose()
    assert await _names(store) == ["P001"]


async def test_a_store_says_what_it_is(store):
    assert store.kind in {"SQLite", "PostgreSQL"}
    assert store.name.startswith(("sqlite+aiosqlite:///", "postgresql+psycopg://"))


def test_opening_a_store_connects_to_nothing(tmp_path):
    open_store(f"sqlite:///{tmp_path / 'game.sqlite3'}")
    open_store("postgresql://127.0.0.1:9/game")
    assert list(tmp_path.iterdir()) == []


def test_it_works_on_uvloop_as_well(sqlite_url, postgres_url):
    uvloop = pytest.importorskip("uvloop")

    async def use(url):
        store = open_store(url)
        await store.transact(lambda tx: _see(tx, ADA))
        names = await _names(store)
        await store.aclose()
        return names

    async def both():
        return [await use(url) for url in (sqlite_url, postgres_url)]

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(both()) == [["Ada"], ["Ada"]]


async def test_a_commit_survives_the_death_of_the_process(database_url, tmp_path):
    import os
    import sys

    program = tmp_path / "writer.py"
    program.write_text(
        "import asyncio, os, signal, sys\n"
        "from codemojex.store.engine import open_store\n"
        "from tests.store.test_engine import _see, _person\n"
        "async def main():\n"
        "    await open_store(sys.argv[1]).transact(lambda tx: _see(tx, _person(1)))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    root = Path(__file__).parents[2]
    process = await asyncio.create_subprocess_exec(
        sys.executable, program, database_url, env={**os.environ, "PYTHONPATH": str(root)}
    )
    assert await process.wait() == -9
    store = open_store(database_url)
    assert await _names(store) == ["P001"]
    await store.aclose()
