"""The sweep: what a crash, or a server that forgot, left behind. Everything found here may be done twice."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import outbox
from codemojex.play.literals import A_CRACK, IS_OPEN
from codemojex.play.locks import lock_guesses
from codemojex.play.minting import Mint
from codemojex.play.outbox import NoticeRef
from codemojex.play.payloads import guess_payload
from codemojex.play.results import result_drafts
from codemojex.play.rooms import RoomKind
from codemojex.play.scores import result_columns, stored_result
from codemojex.play.standings import standings
from codemojex.store.chunks import chunks
from codemojex.store.columns import AnySelect
from codemojex.store.schema import games, guesses, notices, rooms, updates


async def unqueued(tx: AsyncConnection, limit: int, after_id: str = "") -> list[tuple[str, bytes]]:
    """Guesses that are not known to be in the queue, in the order of their ids, at most ``limit``.

    Returns:
        (id, payload) pairs with ids above ``after_id``.
    """
    return await _jobs(tx, _guesses(limit).where(guesses.c.enqueued_at.is_(None), guesses.c.id > after_id))


async def stuck(tx: AsyncConnection, older_than: datetime, limit: int) -> list[tuple[str, bytes]]:
    """Guesses without a score, last sent to the queue (or, never sent, admitted) before ``older_than``."""
    since = func.coalesce(guesses.c.enqueued_at, guesses.c.admitted_at)
    return await _jobs(tx, _guesses(limit).where(guesses.c.scored_at.is_(None), since < older_than))


async def mark_enqueued(tx: AsyncConnection, ids: Sequence[str], now: datetime) -> None:
    """Note that the queue has these guesses, as of ``now``; an earlier note gives way to it."""
    for part in chunks(ids):
        await lock_guesses(tx, guesses.c.id.in_(part))
        await tx.execute(update(guesses).where(guesses.c.id.in_(part)).values(enqueued_at=now))


async def due_games(tx: AsyncConnection, now: datetime) -> list[int]:
    """Open games whose clock has run out."""
    return await _ids(tx, games.c.closes_at <= now)


async def cracks_unsettled(tx: AsyncConnection) -> list[int]:
    """Open games that somebody has cracked."""
    return await _ids(tx, _guessed(guesses.c.points == A_CRACK))


async def exhausted_games(tx: AsyncConnection) -> list[int]:
    """Open games of one player who has used every guess."""
    alone = exists().where(rooms.c.id == games.c.room_id, rooms.c.kind == RoomKind.PRIVATE)
    return await _ids(tx, alone & _guessed(guesses.c.number >= games.c.guess_limit))


async def unsettled(tx: AsyncConnection, now: datetime) -> list[int]:
    """Open games that have a reason to end; `settlement.settle` ends each."""
    found = [*await due_games(tx, now), *await cracks_unsettled(tx), *await exhausted_games(tx)]
    return sorted(set(found))


async def untold(tx: AsyncConnection, limit: int, now: datetime, mint: Mint) -> list[NoticeRef]:
    """Give a notice to scored guesses that have none, at most ``limit``; the notices.

    Guesses from the first crack on in an open game are left to the settlement.
    """
    other = guesses.alias("other")
    awaits_settlement = (games.c.state == IS_OPEN) & exists().where(
        other.c.game_id == guesses.c.game_id,
        other.c.points == A_CRACK,
        other.c.ordinal <= guesses.c.ordinal,
    )
    query = (
        select(*result_columns)
        .join(games, games.c.id == guesses.c.game_id)
        .where(guesses.c.scored_at.is_not(None), guesses.c.told_at.is_(None), ~awaits_settlement)
        .where(~exists().where(notices.c.guess_id == guesses.c.id))
        .order_by(guesses.c.id)
        .limit(limit)
    )
    results = [stored_result(row) for row in await tx.execute(query)]
    if not results:
        return []
    ids = [result.id for result in results]
    tables = await standings(tx, {result.game_id for result in results}, ids)
    return await outbox.write_many(tx, mint, now, result_drafts(results, tables))


async def forget_updates(tx: AsyncConnection, older_than: datetime) -> int:
    """Drop marks of updates seen before ``older_than``; how many. Telegram repeats an update for 24 hours."""
    return (await tx.execute(delete(updates).where(updates.c.seen_at < older_than))).rowcount


def _guesses(limit: int) -> AnySelect:
    return select(guesses.c.id, guesses.c.game_id).order_by(guesses.c.id).limit(limit)


async def _jobs(tx: AsyncConnection, query: AnySelect) -> list[tuple[str, bytes]]:
    return [(row.id, guess_payload(row.game_id)) for row in await tx.execute(query)]


def _guessed(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(guesses.c.game_id == games.c.id, condition)


async def _ids(tx: AsyncConnection, condition: ColumnElement[bool]) -> list[int]:
    # Sorted here: asked for an order, SQLite would rather walk all games by id than the few open ones.
    query = select(games.c.id).where(games.c.state == IS_OPEN, condition)
    return sorted((await tx.execute(query)).scalars())
