"""Connections and transactions. Drivers' errors are sorted once, here, into outages and everything else.

A transaction is a function that can be run again: it meets deadlocks, locked files and other transactions'
marks, and then it starts over. On SQLite it begins with BEGIN IMMEDIATE, so a writer waits for its turn at
the door instead of failing half-way; on PostgreSQL it is READ COMMITTED, and code that needs an order takes
row locks.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import URL, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from codemojex.store import postgres
from codemojex.store.errors import MalformedDatabaseUrl, StoreDown, StoreError, TryAgain
from codemojex.store.faults import Fault, fault_of, reason_of
from codemojex.store.sqlite import begin, dial, prepare
from codemojex.store.urls import database_url, shown

__all__ = ["MalformedDatabaseUrl", "Store", "StoreDown", "TryAgain", "is_outage", "open_store"]

T = TypeVar("T")
Use = Callable[[AsyncConnection], Awaitable[T]]

_FIRST_WAIT_S = 0.01
_LONGEST_WAIT_S = 0.5

# The driver gives no SQLSTATE for a connection that never came about.
_NO_SUCH_DATABASE = re.compile(r'database "[^"]*" does not exist')


def open_store(url: str, *, connections: int = 8) -> Store:
    """A store on ``url``. Nothing is connected yet, no file is created.

    Args:
        url: DATABASE_URL.
        connections: at most this many at once.

    Raises:
        MalformedDatabaseUrl: the URL cannot work.
    """
    return Store(database_url(url), connections)


def is_outage(error: BaseException) -> bool:
    """True when the database or another transaction is to blame, not the statement.

    Inside a transaction such an error must be let through: `Store.transact` starts over, or reports
    `StoreDown`.
    """
    if isinstance(error, StoreDown | TryAgain | PoolTimeout):
        return True
    return isinstance(error, DBAPIError) and fault_of(error) is not Fault.STATEMENT


@dataclass(slots=True)
class StoreCounts:
    """What a store has done since it was opened; every number only grows.

    Attributes:
        begun: transactions and reads that got their turn; waited_s: the seconds they waited for it in all, for a
            connection and, to write on SQLite, for the writers before them.
        repeated: that met another transaction and started over.
        down: that were given up because the database did not answer.
    """

    begun: int = 0
    waited_s: float = 0.0
    repeated: int = 0
    down: int = 0


class Store:
    """The database, as transactions."""

    def __init__(self, url: URL, connections: int = 8) -> None:
        self.url = url
        self.counts = StoreCounts()
        self._sqlite = url.get_backend_name() == "sqlite"
        # In one process the writers of a SQLite file queue here, in order; the file's own lock is
        # for other processes, and there who comes first is left to chance.
        self._turn: asyncio.Lock | None = asyncio.Lock() if self._sqlite else None
        self._engine = _engine(url, connections)

    @property
    def name(self) -> str:
        """The database for a sentence, without its password."""
        return shown(self.url)

    @property
    def kind(self) -> str:
        """SQLite or PostgreSQL."""
        return "SQLite" if self._sqlite else "PostgreSQL"

    async def transact(self, fn: Use[T], *, attempts: int = 8, long: bool = False, durable: bool = True) -> T:
        """Run ``await fn(tx)`` in one transaction and commit it; an exception rolls everything back.

        Args:
            fn: run again from its start when the transaction met another one (deadlock, serialization,
                a locked file, `TryAgain`), so it must leave nothing behind outside the database.
            attempts: how often at most.
            long: it looks at many rows, and is waited for much longer; on SQLite it keeps to a thread of its own, so
                that nothing else waits.
            durable: False where all that it writes can be worked out again from what is on the disk: the commit does
                not wait for the disk then, and a crash of the database may take it back, with nothing that is older.
                On SQLite no commit waits for the disk.

        Raises:
            StoreDown: the database does not answer, or was locked through every attempt.
        """
        options = self._options(writes=True, swift=not long)
        with postgres.patience(long=long):
            return await self._until_alone(
                fn if durable or self._sqlite else postgres.hasty(fn), attempts, options
            )

    async def read(self, fn: Use[T], *, attempts: int = 8, long: bool = False) -> T:
        """Run ``await fn(tx)`` on one snapshot of the database; writing is an error.

        Args:
            attempts, long: as for `transact`.

        Raises:
            StoreDown: the database does not answer, or was locked through every attempt.
        """
        with postgres.patience(long=long):
            return await self._until_alone(fn, attempts, self._options(writes=False, swift=False))

    async def aclose(self) -> None:
        """Close every connection. The store can be used again; it then opens new ones."""
        await self._engine.dispose()

    async def _until_alone(self, fn: Use[T], attempts: int, options: dict[str, Any]) -> T:
        wait_s = _FIRST_WAIT_S
        for left in reversed(range(attempts)):
            asked = time.monotonic()
            try:
                async with (self._turn if options.get("codemojex_writes") else None) or nullcontext():
                    return await self._once(fn, options, asked)
            except StoreDown:
                self.counts.down += 1
                raise
            except TryAgain as meeting:
                self.counts.repeated += 1
                if not left:
                    self.counts.down += 1
                    raise StoreDown(f"The database at {self.name} is too busy: {meeting}.") from meeting
            await asyncio.sleep(wait_s * random.uniform(0.5, 1.0))  # jitter
            wait_s = min(wait_s * 2, _LONGEST_WAIT_S)
        raise AssertionError("unreachable")

    async def _once(self, fn: Use[T], options: dict[str, Any], asked: float) -> T:
        try:
            async with self._engine.connect() as conn:
                tx = await conn.execution_options(**options)
                async with tx.begin():
                    self.counts.begun += 1
                    self.counts.waited_s += time.monotonic() - asked
                    return await fn(tx)
        except DBAPIError as error:
            known = outage(error, self.url)
            if known is None:
                raise
            raise known from error
        except PoolTimeout as error:
            raise TryAgain("every connection is in use") from error
        except OSError as error:
            raise StoreDown(f"{_down(self.url)} ({error}).") from error

    def _options(self, *, writes: bool, swift: bool) -> dict[str, Any]:
        if self._sqlite:
            return {"codemojex_writes": writes, "codemojex_swift": swift}
        if writes:
            return {}
        return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def outage(error: DBAPIError, url: URL) -> StoreError | TryAgain | None:
    """What a driver's error means for whoever uses the database; None when the statement is to blame."""
    fault, reason = fault_of(error), reason_of(error)
    if fault is Fault.MEETING:
        return TryAgain(reason)
    if fault is Fault.OUTAGE:
        if _NO_SUCH_DATABASE.search(reason):
            return StoreDown(
                f"There is no database at {shown(url)}. Create it (`createdb {url.database}`), or set DATABASE_URL "
                f"to one that exists ({reason})."
            )
        return StoreDown(f"{_down(url)} ({reason}).")
    if fault is Fault.OPTION:
        return MalformedDatabaseUrl(f"DATABASE_URL has an option the driver does not know: {reason}.")
    return None


def _down(url: URL) -> str:
    cure = (
        "Check that its folder exists, can be written and has room, or set DATABASE_URL to another file"
        if url.get_backend_name() == "sqlite"
        else "Start it, or set DATABASE_URL to one that runs"
    )
    return f"The database at {shown(url)} does not answer. {cure}"


def _engine(url: URL, connections: int) -> AsyncEngine:
    if url.get_backend_name() == "sqlite":
        dialling = {"async_creator_fn": dial}
        engine = create_async_engine(
            url, pool_size=connections, max_overflow=0, connect_args=dialling, hide_parameters=True
        )
        event.listen(engine.sync_engine, "connect", prepare)
        event.listen(engine.sync_engine, "begin", begin)
        return engine
    # Brings the driver, which nobody needs who has SQLite.
    from codemojex.store.bounded import BoundedConnection

    options = {name: value for name, value in postgres.OPTIONS.items() if name not in url.query}
    engine = create_async_engine(
        url,
        pool_size=connections,
        max_overflow=0,
        pool_pre_ping=True,  # a server that was restarted costs nobody a transaction
        hide_parameters=True,  # an error's text ends in logs, and a settlement's parameters hold the secret
        connect_args={**options, "async_creator_fn": BoundedConnection.connect},
    )
    event.listen(engine.sync_engine, "connect", postgres.let_go_when_asleep)
    return engine
