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

# Short, because the driver's thread can be neither cancelled nor joined meanwhile; `Store` tries again.
BUSY_MS = 1_000

_PRAGMAS = (
    f"PRAGMA busy_timeout = {BUSY_MS}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
)


async def dial(*address: Any, **options: Any) -> aiosqlite.Connection:
    """Open a connection as the driver does; one that fails leaves no thread behind.

    The driver's thread reports back to the event loop once more after a failure. When that was the last thing the
    program waited for, the loop is closed by then, and the thread dies with a traceback on stderr.
    """
    connection = aiosqlite.connect(*address, **options)
    connection._thread.daemon = True
    try:
        return await connection
    except BaseException:
        await asyncio.to_thread(connection._thread.join)
        raise


def prepare(connection: Any, _record: object) -> None:
    """Set a new connection up; a listener for SQLAlchemy's "connect"."""
    connection.isolation_level = None
    cursor = connection.cursor()
    try:
        for pragma in _PRAGMAS:
            cursor.execute(pragma)
    except BaseException:
        # Nobody else closes a connection that could not be set up, and its thread would outlive the loop.
        connection.close()
        raise
    cursor.close()


def begin(connection: Connection) -> None:
    """Begin a transaction; a listener for SQLAlchemy's "begin". Writers take the file's lock at once."""
    writes = connection.get_execution_options().get("codemojex_writes", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
