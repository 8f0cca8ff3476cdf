"""The marks of updates that were dealt with: written with their effects, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.store.engine import TryAgain
from codemojex.store.lists import listed, pair_listed
from codemojex.store.rows import given
from codemojex.store.schema import poison, updates
from codemojex.store.upsert import upsert

_RAW_CODE_POINTS = 100_000
_ERROR_CODE_POINTS = 2_000


@dataclass(frozen=True, slots=True)
class Mark:
    """What makes an update the same as another: its id, or for a message its chat and message id.

    Attributes:
        kind: the name of what it carries, like ``message``.
        chat_id, message_id: of messages only; Telegram has reported one message under two update ids.
    """

    update_id: int
    kind: str
    chat_id: int | None = None
    message_id: int | None = None

    @property
    def message(self) -> tuple[int, int] | None:
        """Chat and message id, where both are known."""
        if self.chat_id is None or self.message_id is None:
            return None
        return self.chat_id, self.message_id


@dataclass(slots=True)
class Known:
    """Which updates have been dealt with, as far as a batch needs to know."""

    update_ids: set[int] = field(default_factory=set)
    messages: set[tuple[int, int]] = field(default_factory=set)

    def has(self, mark: Mark) -> bool:
        """True when this update, or its message under another update id, was dealt with."""
        return mark.update_id in self.update_ids or mark.message in self.messages

    def add(self, mark: Mark) -> None:
        """Note an update that is being dealt with."""
        self.update_ids.add(mark.update_id)
        if mark.message is not None:
            self.messages.add(mark.message)


async def seen(tx: AsyncConnection, marks: Sequence[Mark]) -> Known:
    """Which of ``marks`` have been dealt with."""
    known = Known()
    found = await tx.execute(_BY_ID, {"ids": [mark.update_id for mark in marks]})
    known.update_ids.update(found.scalars())
    messages = [mark.message for mark in marks if mark.message is not None]
    if messages:
        same = await tx.execute(_BY_MESSAGE, {"messages": messages})
        known.messages.update((chat_id, message_id) for chat_id, message_id in same)
    return known


async def record(tx: AsyncConnection, mark: Mark, outcome: str, now: datetime) -> None:
    """Write the mark of an update together with its effects.

    Raises:
        TryAgain: another transaction dealt with this update meanwhile; `Store.transact` starts over,
            and `seen` will know it.
    """
    values = _values(mark, outcome, now)
    if (await tx.execute(_record(tx.dialect.name), values)).scalar_one_or_none() is None:
        raise TryAgain(f"update {mark.update_id} was dealt with by another transaction")


async def record_all(tx: AsyncConnection, marks: Sequence[Mark], outcome: str, now: datetime) -> None:
    """Write the marks of many updates that came to the same.

    Raises:
        IntegrityError: one of them was dealt with by another transaction meanwhile.
    """
    if marks:
        values = [_values(mark, outcome, now) for mark in marks]
        await tx.execute(_record_all(tx.dialect.name), {"marks": values})


async def poisoned(tx: AsyncConnection, update_id: int, error: str, raw: str, now: datetime) -> None:
    """Keep an update that could not be handled, for somebody to look at. Long ones are cut."""
    query = poison.insert().values(
        update_id=update_id,
        error=_storable(error, _ERROR_CODE_POINTS),
        raw=_storable(raw, _RAW_CODE_POINTS),
        at=now,
    )
    await tx.execute(query)


_BY_ID = select(updates.c.update_id).where(listed(updates.c.update_id, "ids"))
_BY_MESSAGE = select(updates.c.chat_id, updates.c.message_id).where(
    pair_listed(updates.c.chat_id, updates.c.message_id, "messages")
)


def _values(mark: Mark, outcome: str, now: datetime) -> dict[str, Any]:
    return {
        "update_id": mark.update_id,
        "kind": mark.kind,
        "chat_id": mark.chat_id,
        "message_id": mark.message_id,
        "outcome": str(outcome),
        "seen_at": now,
    }


@cache
def _record_all(dialect: str) -> Any:
    row = given(dialect, "marks", **{column.name: column.type for column in updates.c})
    return updates.insert().from_select(list(row), select(*row.values()))


@cache
def _record(dialect: str) -> Any:
    return upsert(dialect, updates).on_conflict_do_nothing().returning(updates.c.update_id)


def _storable(text: str, limit: int) -> str:
    """``text`` cut, and without what PostgreSQL cannot keep: NUL, and surrogates from broken escapes."""
    return text[:limit].replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
