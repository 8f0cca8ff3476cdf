"""The order in which rows are locked, so that no two transactions wait for each other.

First a game, then guesses in the order of their ids. Whoever writes guesses locks all it will write here, in
one statement: an UPDATE alone would lock them in whatever order the database happens to find them.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.store.schema import guesses


async def lock_guesses(tx: AsyncConnection, condition: ColumnElement[bool]) -> None:
    """Lock the guesses that ``condition`` finds. A SQLite transaction holds the whole file anyway."""
    if tx.dialect.name == "postgresql":
        query = select(guesses.c.id).where(condition).order_by(guesses.c.id)
        await tx.execute(query.with_for_update(key_share=True))
