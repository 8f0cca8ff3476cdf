"""SQLite: a statement is one trip to the driver's thread, or none; who waits for the file gets it soon."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from types import SimpleNamespace

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from codemojex.store import hops
from codemojex.store.engine import open_store
from tests.system.deployment import until


@pytest.fixture
async def file(sqlite_url):
    """A store on a SQLite file."""
    store = open_store(sqlite_url)
    yield store
    await store.aclose()


@pytest.fixture
def threads(monkeypatch):
    """Where each statement runs: True for the event loop's own thread."""
    found = []
    finish = hops.OneHopCursor._finish

    def noted(self, statement):
        found.append(threading.current_thread() is threading.main_thread())
        finish(self, statement)

    monkeypatch.setattr(hops.OneHopCursor, "_finish", noted)
    return found


async def _three(tx):
    for _ in range(3):
        assert (await tx.execute(text("SELECT 7 AS n"))).scalar_one() == 7


async def test_only_what_may_have_to_wait_leaves_the_loops_thread(file, threads):
    # given: a connection is there
    await file.transact(_three)

    for run, where in (
        (lambda: file.transact(_three), [False, True, True, True]),  # the first is BEGIN
        (lambda: file.transact(_three, long=True), [False] * 4),
        (lambda: file.read(_three), [False] * 4),
    ):
        # when
        threads.clear()
        await run()

        # then
        assert threads == where


async def test_rows_counts_and_errors_are_those_of_the_driver(file):
    async def use(tx):
        # when
        await tx.execute(text("CREATE TEMP TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE)"))
        many = await tx.execute(text("INSERT INTO t (b) VALUES (:b)"), [{"b": "x"}, {"b": "y"}, {"b": "z"}])
        changed = await tx.execute(text("UPDATE t SET b = b || '!' WHERE a > 1"))
        back = await tx.execute(text("INSERT INTO t (b) VALUES ('w') RETURNING a, b"))
        rows = await tx.execute(text("SELECT a, b FROM t ORDER BY a"))

        # then
        assert (many.rowcount, changed.rowcount, back.all()) == (3, 2, [(4, "w")])
        assert rows.keys() == ["a", "b"]
        assert rows.all() == [(1, "x"), (2, "y!"), (3, "z!"), (4, "w")]
        with pytest.raises(OperationalError, match="no such column"):
            await tx.execute(text("SELECT c FROM t"))
        await tx.execute(text("DROP TABLE t"))

    await file.transact(use)
    await file.transact(use, long=True)


async def test_whoever_waits_for_a_locked_file_has_it_moments_after_it_is_free(file, sqlite_url, monkeypatch):
    # given: SQLite by itself would sleep for a tenth of a second between two looks by now
    await file.transact(_three)
    other = sqlite3.connect(sqlite_url.partition(":///")[2], isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    pauses = []
    pause = time.sleep

    def paused(seconds: float) -> None:
        pauses.append(seconds)
        pause(seconds)

    monkeypatch.setattr("codemojex.store.hops.time", SimpleNamespace(monotonic=time.monotonic, sleep=paused))
    waiting = asyncio.create_task(file.transact(_three))
    await until(lambda: _true(len(pauses) >= 200), "it has looked again and again")

    # when
    other.execute("COMMIT")
    await waiting
    other.close()

    # then: well below it
    assert max(pauses) < 0.01


async def _true(value):
    return value
