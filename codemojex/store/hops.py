"""A SQLite statement as one trip to the driver's thread: executed, fetched and closed there.

aiosqlite goes there for each of these steps, and a trip costs more than most statements do; under load, when both
threads want the interpreter, many times more.

SQLite itself waits for a locked file by sleeping ever longer, up to a tenth of a second: the process that comes back
soonest gets it again and again, and another starves. Here whoever waits looks every millisecond.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self

import aiosqlite

BUSY_MS = (
    1_000  # short, because the thread can be neither cancelled nor joined meanwhile; `Store` tries again
)

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_RECOVERY})
_LOOK_S = 0.001
_ITERATED = 64  # rows a trip, of cursors that nobody here uses


class OneHopConnection(aiosqlite.Connection):
    """A connection whose cursors bring the rows along; everything else is aiosqlite's.

    Args:
        address, options: as `sqlite3.connect` takes them.

    Attributes:
        swift: no trip at all: statements run at once, in the event loop's thread. For a transaction that has the file
            already, so that nothing has to be waited for, and looks at few rows by their index.
    """

    def __init__(self, *address: Any, **options: Any) -> None:
        self.swift = False
        # Two threads use it, and never at the same time: the one that waits for the file, and the loop's.
        options["check_same_thread"] = False
        super().__init__(partial(sqlite3.connect, *address, **options), _ITERATED)

    async def rollback(self) -> None:
        """End the transaction, if one is open; the pool asks for it whenever a connection comes back."""
        if self._conn.in_transaction:
            await super().rollback()

    def cursor(self) -> OneHopCursor:  # type: ignore[override]
        """A cursor; nothing happens yet."""
        return OneHopCursor(self)


class OneHopCursor:
    """The part of a DB-API cursor that SQLAlchemy uses, after the fact: whatever it tells is here already."""

    def __init__(self, connection: OneHopConnection) -> None:
        self.description: Any = None
        self.rowcount = -1
        self.lastrowid: int | None = None
        self.arraysize = 1
        self._connection = connection
        self._rows: list[Any] = []

    async def __aenter__(self) -> Self:
        return self

    async def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Self:
        """Run one statement to its last row."""
        return await self._run(lambda: self._connection._conn.execute(sql, parameters))

    async def executemany(self, sql: str, parameters: Sequence[Sequence[Any]]) -> Self:
        """Run one statement with each of many sets of parameters."""
        return await self._run(lambda: self._connection._conn.executemany(sql, parameters))

    async def fetchall(self) -> list[Any]:
        """The rows not fetched before."""
        rows, self._rows = self._rows, []
        return rows

    async def close(self) -> None:
        """Nothing is open."""

    async def _run(self, statement: Callable[[], sqlite3.Cursor]) -> Self:
        if self._connection.swift:
            self._finish(statement)
        else:
            await self._connection._execute(self._finish, partial(_patiently, statement))  # type: ignore[no-untyped-call]
        return self

    def _finish(self, statement: Callable[[], sqlite3.Cursor]) -> None:
        cursor = statement()
        try:
            self.description = cursor.description
            self._rows = [] if cursor.description is None else cursor.fetchall()
            self.rowcount, self.lastrowid = cursor.rowcount, cursor.lastrowid
        finally:
            cursor.close()


def _patiently(statement: Callable[[], sqlite3.Cursor]) -> sqlite3.Cursor:
    """Run a statement, for a while again and again when the file is locked."""
    until = time.monotonic() + BUSY_MS / 1_000
    while True:
        try:
            return statement()
        except sqlite3.OperationalError as error:
            # SQLITE_BUSY_SNAPSHOT would be busy for ever.
            if error.sqlite_errorcode not in _BUSY or time.monotonic() > until:
                raise
        time.sleep(_LOOK_S)
