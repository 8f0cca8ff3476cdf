"""Who is to blame for a driver's error: the database, another transaction, an option, or the statement."""

from __future__ import annotations

import sqlite3
from enum import Enum, auto

from sqlalchemy.exc import DBAPIError

# A statement is to blame only for what it is or carries; whatever else a database says, the same statement may
# succeed later, so nothing is set aside for it. SQLSTATE classes and codes of PostgreSQL:
_MEETINGS = {
    "40001",  # serialization failure
    "40P01",  # deadlock
    "55P03",  # lock not available
    "57014",  # cancelled: a statement_timeout, or an operator
    "0A000",  # a prepared plan that a migration made useless
    "26000",  # a prepared statement that a connection pooler lost
    "42P05",  # or one that it has already
}
_STATEMENTS = ("22", "23", "42")  # data exception, integrity violation, syntax or access
_MISSING = {
    "42501",
    "42P01",
    "42703",
}  # privilege, table, column: the deployment's trouble, not one statement's

_LOCKED = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_SCHEMA,
}
_WRONG = {
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_MISUSE,
    sqlite3.SQLITE_RANGE,
    sqlite3.SQLITE_TOOBIG,
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
    return _of_postgres(cause)


def reason_of(error: DBAPIError) -> str:
    """The driver's own words in one short line. They never hold the password."""
    lines = str(error.orig).strip().splitlines() or [type(error.orig).__name__]
    return lines[0][:200].rstrip(".")


def _of_sqlite(cause: sqlite3.Error) -> Fault:
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF  # the primary part of an extended code
    if code in _LOCKED:
        return Fault.MEETING
    # The driver raises some errors itself, without a code: for values it cannot bind.
    if code in _WRONG or not code:
        return Fault.OUTAGE if str(cause).startswith(("no such table", "no such column")) else Fault.STATEMENT
    return Fault.OUTAGE


def _of_postgres(cause: BaseException | None) -> Fault:
    import psycopg  # loaded already where there is such an error

    if not isinstance(cause, psycopg.Error):
        return Fault.STATEMENT
    state = cause.sqlstate
    if state in _MEETINGS:
        return Fault.MEETING
    if state is not None:
        return Fault.STATEMENT if state.startswith(_STATEMENTS) and state not in _MISSING else Fault.OUTAGE
    if isinstance(cause, psycopg.ProgrammingError):
        return Fault.OPTION if "connection option" in str(cause) else Fault.STATEMENT
    # Without a SQLSTATE the server has not spoken: the connection failed, or failed to come about.
    return Fault.OUTAGE if isinstance(cause, psycopg.OperationalError) else Fault.STATEMENT
