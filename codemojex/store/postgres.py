"""PostgreSQL as this program uses it: dead lines are noticed, on both sides, and so are servers that only seem alive.

A link that broke is found by the kernel, since keepalives go unanswered. A server, or a pooler or proxy in front of it,
that takes every byte and never answers is not: so each answer is waited for so long and no longer.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator
from contextvars import ContextVar
from typing import Any, TypeVar

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

T = TypeVar("T")

# No transaction here waits for anything but the database; the shortest lease worth its name is longer.
_ASLEEP_MS = 5_000

# Row locks of a process that stands still are waited for this long, several times over.
ANSWER_S = 30.0
# Where a statement looks at many rows.
LONG_ANSWER_S = 900.0

# A connection that never comes about, or whose other end is gone, is noticed within seconds.
OPTIONS: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
    "application_name": "codemojex",
}

_patience: ContextVar[float | None] = ContextVar("patience", default=None)


def answer_s() -> float:
    """How long an answer is waited for now, seconds."""
    return _patience.get() or ANSWER_S


@contextlib.contextmanager
def patience(*, long: bool) -> Iterator[None]:
    """How long the answers to statements inside are waited for."""
    before = _patience.set(LONG_ANSWER_S if long else None)
    try:
        yield
    finally:
        _patience.reset(before)


def hasty(fn: Callable[[AsyncConnection], Awaitable[T]]) -> Callable[[AsyncConnection], Awaitable[T]]:
    """``fn`` in a transaction whose commit does not wait for the disk.

    Said in the transaction itself: said once for a connection it would hold for others, too, behind a pooler.
    """

    async def hastily(tx: AsyncConnection) -> T:
        await tx.execute(_HASTY)
        return await fn(tx)

    return hastily


_HASTY = text("SET LOCAL synchronous_commit = off")


def let_go_when_asleep(connection: Any, _record: object) -> None:
    """Have the server end a transaction whose process has stopped talking, and free its row locks.

    A process that is paused, or on the far side of a dead link, would otherwise keep every other worker
    waiting for the rows it locked. A listener for SQLAlchemy's "connect"; not a start-up option, because
    connection poolers refuse those.
    """
    cursor = connection.cursor()
    try:
        cursor.execute(f"SET idle_in_transaction_session_timeout = {_ASLEEP_MS}")
        connection.commit()
    except BaseException:
        connection.close()  # nobody else closes a connection that could not be set up
        raise
    cursor.close()
