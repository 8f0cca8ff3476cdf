"""SQLite as this program uses it: write-ahead log, explicit transactions, foreign keys.

The drivers would begin transactions by themselves, in the deferred kind and only before some statements;
then two writers meet at their first write, where waiting no longer helps, and savepoints are unreliable. So
the driver is told to begin nothing, and SQLAlchemy's own "begin" says which kind it is.

synchronous=NORMAL: a commit survives the death of any process, since the write has reached the operating
system; only a power cut can take the last commits back, and never leaves the file damaged.
"""

from __future__ import annotations

import asyncio
from typing import Any

import aiosqlite
from sqlalchemy import Connection

from codemojex.store.hops import OneHopConnection

_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
)


async def dial(*address: Any, **options: Any) -> aiosqlite.Connection:
    """Open a connection as the driver does; one that fails leaves no thread behind.

    The driver's thread reports back to the event loop once more after a failure. When that was the last thing the
    program waited for, the loop is closed by then, and the thread dies with a traceback on stderr.
    """
    connection = OneHopConnection(*address, **options)
    connection._thread.daemon = True
    try:
        return await connection
    except BaseException:
        await asyncio.to_thread(connection._thread.join)
        raise


def prepare(connection: Any, _record: object, *, busy_ms: int = 0) -> None:
    """Set a new connection up; a listener for SQLAlchemy's "connect".

    Args:
        busy_ms: how long SQLite itself waits for a lock; 0 where `hops` does.
    """
    connection.isolation_level = None
    cursor = connection.cursor()
    try:
        for pragma in (f"PRAGMA busy_timeout = {busy_ms}", *_PRAGMAS):
            cursor.execute(pragma)
    except BaseException:
        # Nobody else closes a connection that could not be set up, and its thread would outlive the loop.
        connection.close()
        raise
    cursor.close()


def begin(connection: Connection) -> None:
    """Begin a transaction; a listener for SQLAlchemy's "begin". Writers take the file's lock at once."""
    options = connection.get_execution_options()
    driver = connection.connection.driver_connection
    ours = driver if isinstance(driver, OneHopConnection) else None
    if ours is not None:
        ours.swift = False  # the file may be locked
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("codemojex_writes", True) else "BEGIN")
    if ours is not None:
        ours.swift = options.get("codemojex_swift", False)
