"""Who is to blame for a driver's error: the database, another transaction, an option, or the statement."""

from __future__ import annotations

import sqlite3
from enum import Enum, auto

import psycopg
from sqlalchemy.exc import DBAPIError

# SQLSTATE classes and codes of PostgreSQL.
_MEETINGS = {"40001", "40P01", "55P03"}  # serialization failure, deadlock, lock not available
_OUTAGES = ("08", "53", "57P", "58", "3D000", "28", "XX")

_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_BROKEN = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}


class Fault(Enum):
    """Who is to blame."""

    OUTAGE = auto()
    MEETING = auto()
    OPTION = auto()
    STATEMENT = auto()


def fault_of(error: DBAPIError) -> Fault:
    """Who is to blame for ``error``."""
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        return _of_sqlite(cause)
    if error.connection_invalidated:
        return Fault.OUTAGE
    if isinstance(cause, psycopg.Error):
        return _of_postgres(cause)
    return Fault.STATEMENT


def reason_of(error: DBAPIError) -> str:
    """The driver's own words in one short line. They never hold the password."""
    lines = str(error.orig).strip().splitlines() or [type(error.orig).__name__]
    return lines[0][:200].rstrip(".")


def _of_sqlite(cause: sqlite3.Error) -> Fault:
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF  # the primary part of an extended code
    if code in _LOCKED:
        return Fault.MEETING
    return Fault.OUTAGE if code in _BROKEN else Fault.STATEMENT


def _of_postgres(cause: psycopg.Error) -> Fault:
    state = cause.sqlstate
    if state in _MEETINGS:
        return Fault.MEETING
    if state is not None:
        return Fault.OUTAGE if state.startswith(_OUTAGES) else Fault.STATEMENT
    if isinstance(cause, psycopg.ProgrammingError):
        return Fault.OPTION if "connection option" in str(cause) else Fault.STATEMENT
    # Without a SQLSTATE the server has not spoken: the connection failed, or failed to come about.
    return Fault.OUTAGE if isinstance(cause, psycopg.OperationalError) else Fault.STATEMENT
