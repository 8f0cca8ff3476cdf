"""What the system itself says of a swarm's guesses: its database, its queue, its audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

import emq
from codemojex.auditing import examine
from codemojex.play.audit import AuditReport
from codemojex.play.rest import unfinished
from codemojex.settings import Settings
from codemojex.store.columns import AnyRow, AnySelect
from codemojex.store.engine import Store
from codemojex.store.schema import guesses, updates
from codemojex.swarm.tables import Guess

_PAGE = 5_000

Sent = Mapping[tuple[int, int], Guess]


@dataclass(frozen=True, slots=True)
class Counts:
    """How far the guesses are since the swarm began, and how old the oldest is that has no score."""

    admitted: int
    scored: int
    told: int
    depth: int
    oldest_s: float | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One guess of the swarm as the database has it; seconds of the machine's clock."""

    sent_at: float
    admitted_at: float
    queued_at: float | None
    scored_at: float | None
    told_at: float | None


class Books:
    """Reads; writes nothing."""

    def __init__(self, store: Store, queue: emq.Connector, settings: Settings) -> None:
        self._store = store
        self._admin = emq.Admin(queue, settings.guess_queue)
        self._settings = settings
        self._from = ""

    async def begin(self) -> None:
        """Count from here on."""
        query = select(func.coalesce(func.max(guesses.c.id), ""))
        [[self._from]] = await self._store.read(partial(_rows, query=query))

    async def counts(self) -> Counts:
        """As of now."""
        rows = guesses.c
        query = select(func.count(), func.count(rows.scored_at), func.count(rows.told_at)).where(
            rows.id > self._from
        )
        oldest = select(func.min(rows.admitted_at)).where(rows.scored_at.is_(None))

        async def ask(tx: AsyncConnection) -> tuple[AnyRow, datetime | None]:
            return (await tx.execute(query)).one(), (await tx.execute(oldest)).scalar_one()

        (admitted, scored, told), since = await self._store.read(ask)
        found = await self._admin.counts()
        age = None if since is None else (datetime.now(UTC) - since).total_seconds()
        return Counts(admitted, scored, told, found.waiting + found.active + found.scheduled, age)

    async def at_rest(self) -> bool:
        """Nothing is left to score or to tell."""
        return not await self._store.read(unfinished)

    async def entries(self, sent: Sent) -> list[Entry]:
        """Those of ``sent`` that were admitted, in the order of their admission."""
        rows, after = guesses.c, self._from
        stages = (rows.admitted_at, rows.enqueued_at, rows.scored_at, rows.told_at)
        found: list[Entry] = []
        while True:
            query = (
                select(rows.id, rows.chat_id, rows.message_id, *stages)
                .where(rows.id > after)
                .order_by(rows.id)
                .limit(_PAGE)
            )
            page = await self._store.read(partial(_rows, query=query))
            if not page:
                return found
            found += [_entry(row, sent) for row in page if (row.chat_id, row.message_id) in sent]
            after = page[-1].id

    async def refused(self, sent: Sent) -> int:
        """How many of ``sent`` were answered with a refusal."""
        query = select(updates.c.chat_id, updates.c.message_id).where(updates.c.outcome == "refused")
        found = await self._store.read(partial(_rows, query=query))
        return sum((row.chat_id, row.message_id) in sent for row in found)

    async def audit(self) -> AuditReport:
        """What `codemojex audit` would say."""
        return await examine(self._store, self._settings, datetime.now(UTC))


def _entry(row: AnyRow, sent: Sent) -> Entry:
    queued, scored, told = (None if at is None else at.timestamp() for at in row[4:])
    sent_at = sent[row.chat_id, row.message_id].sent_at
    return Entry(sent_at, row.admitted_at.timestamp(), queued, scored, told)


async def _rows(tx: AsyncConnection, query: AnySelect) -> Sequence[AnyRow]:
    return (await tx.execute(query)).all()
