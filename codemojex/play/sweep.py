"""The sweep: what a crash, or a server that forgot, left behind. Everything found here may be done twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, delete, exists, func, literal, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import daily, outbox
from codemojex.play.literals import A_CRACK, IS_OPEN
from codemojex.play.locks import lock_guess_ids
from codemojex.play.minting import Mint
from codemojex.play.outbox import NoticeRef
from codemojex.play.payloads import GuessJob, guess_job
from codemojex.play.results import RESULTS, result_drafts, stored_result
from codemojex.play.rooms import RoomKind
from codemojex.play.standings import standings
from codemojex.store.chunks import chunks
from codemojex.store.columns import AnySelect
from codemojex.store.lists import listed
from codemojex.store.schema import OF_OTHERS, games, guesses, notices, players, rooms, told_once, updates


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What came of a look for strangers.

    Attributes:
        people: how many were forgotten.
        upto: the last id that was looked at; None when there was nobody behind.
    """

    people: int
    upto: int | None


async def unqueued(tx: AsyncConnection, limit: int, after_id: str = "") -> list[GuessJob]:
    """Guesses that are not known to be in the queue, in the order of their ids from above ``after_id`` on."""
    return await _jobs(tx, _guesses(limit).where(guesses.c.enqueued_at.is_(None), guesses.c.id > after_id))


async def stuck(
    tx: AsyncConnection,
    older_than: datetime,
    limit: int,
    paused: Collection[int] = (),
    after_id: str = "",
) -> list[GuessJob]:
    """Guesses without a score, last sent to the queue (or, never sent, admitted) before ``older_than``.

    Those of ``paused`` players wait on purpose once they are in the queue, and are left out.

    Args:
        limit: at most so many, in the order of their ids.
        after_id: those above it only: ask on with the last id, or guesses that the queue refuses again and
            again would hide the ones behind them.
    """
    since = func.coalesce(guesses.c.enqueued_at, guesses.c.admitted_at)
    waiting = guesses.c.scored_at.is_(None), guesses.c.id > after_id
    lost = _guesses(limit).where(*waiting, since < older_than)
    if paused:
        lost = lost.where(or_(guesses.c.enqueued_at.is_(None), guesses.c.player_id.not_in(paused)))
    return await _jobs(tx, lost)


async def jobs_of(tx: AsyncConnection, ids: Sequence[str]) -> list[GuessJob]:
    """The jobs of these guesses, in the order of their ids; an id that is no guess's is passed over."""
    query = select(guesses.c.id, guesses.c.player_id, guesses.c.game_id).order_by(guesses.c.id)
    return [
        job for part in chunks(sorted(ids)) for job in await _jobs(tx, query.where(guesses.c.id.in_(part)))
    ]


async def scored_of(tx: AsyncConnection, ids: Sequence[str]) -> dict[str, bool]:
    """Whether each of these guesses has its score; an id that is no guess's is missing."""
    query = select(guesses.c.id, guesses.c.scored_at.is_not(None).label("scored"))
    found = {}
    for part in chunks(ids):
        rows = await tx.execute(query.where(guesses.c.id.in_(part)))
        found.update({row.id: bool(row.scored) for row in rows})
    return found


async def mark_enqueued(tx: AsyncConnection, ids: Sequence[str], now: datetime) -> None:
    """Note that the queue has these guesses, as of ``now``; an earlier note gives way to it."""
    for part in chunks(ids):
        await lock_guess_ids(tx, part)
        await tx.execute(_ENQUEUED, {"ids": part, "now": now})


_ENQUEUED = update(guesses).where(listed(guesses.c.id, "ids")).values(enqueued_at=bindparam("now"))


async def due_games(tx: AsyncConnection, now: datetime) -> list[int]:
    """Open games whose clock has run out."""
    return await _ids(tx, games.c.closes_at <= now)


async def cracks_unsettled(tx: AsyncConnection) -> list[int]:
    """Open games that somebody has cracked; the puzzle of a day goes on for the others."""
    return await _ids(tx, ~_in_room(RoomKind.DAILY) & _guessed(guesses.c.points == A_CRACK))


async def exhausted_games(tx: AsyncConnection) -> list[int]:
    """Open games of one player who has used every guess."""
    used = _guessed(guesses.c.number >= games.c.guess_limit)
    return await _ids(tx, _in_room(RoomKind.PRIVATE) & used)


async def unsettled(tx: AsyncConnection, now: datetime, tz: str = "UTC") -> list[int]:
    """Open games that have a reason to end; `settlement.settle` ends each.

    Args:
        tz: DAILY_TZ, by which the puzzle of a day is over.
    """
    found = [*await due_games(tx, now), *await daily.close_due(tx, now, tz)]
    found += [*await cracks_unsettled(tx), *await exhausted_games(tx)]
    return sorted(set(found))


async def left_untold(tx: AsyncConnection) -> bool:
    """Whether a scored guess has no notice. A crack that awaits its settlement has none either."""
    return (await tx.execute(select(guesses.c.id).where(*_WITHOUT_NOTICE).limit(1))).first() is not None


async def untold(tx: AsyncConnection, limit: int, now: datetime, mint: Mint) -> list[NoticeRef]:
    """Give a notice to scored guesses that have none, at most ``limit``; the notices.

    Guesses from the first crack on in an open game are left to the settlement.
    """
    other = guesses.alias("other")
    ends_by_a_crack = (games.c.state == IS_OPEN) & (rooms.c.kind != RoomKind.DAILY)
    awaits_settlement = ends_by_a_crack & exists().where(
        other.c.game_id == guesses.c.game_id,
        other.c.points == A_CRACK,
        other.c.ordinal <= guesses.c.ordinal,
    )
    query = RESULTS.where(*_WITHOUT_NOTICE, ~awaits_settlement).order_by(guesses.c.id).limit(limit)
    results = [stored_result(row) for row in await tx.execute(query)]
    if not results:
        return []
    ids = [result.id for result in results]
    tables = await standings(tx, {result.game_id for result in results}, ids)
    return await outbox.write_many(tx, mint, now, result_drafts(results, tables))


# Those of a dropped notice are left out by the index: whoever blocks the bot adds to them for ever.
_WITHOUT_NOTICE = (
    guesses.c.scored_at.is_not(None),
    guesses.c.told_at.is_(None),
    guesses.c.dropped_at.is_(None),
    ~exists().where(notices.c.guess_id == guesses.c.id),
)


async def forget_updates(tx: AsyncConnection, older_than: datetime) -> int:
    """Drop marks of updates seen before ``older_than``; how many. Telegram repeats an update for 24 hours."""
    return (await tx.execute(delete(updates).where(updates.c.seen_at < older_than))).rowcount


async def forget_strangers(tx: AsyncConnection, limit: int, after: int = 0) -> Forgotten:
    """Erase what was told to people who are not known here, and who it was that wrote.

    They have asked to be forgotten, or have only asked for help. Whoever is still to be told something is
    left for later.

    Args:
        limit: look at so many people at most, in the order of their ids.
        after: at those above it only: ask on with `Forgotten.upto`.
    """
    looked = list(await tx.execute(_WRITERS, {"after": after, "limit": limit}))
    strangers = [row.id for row in looked if row.stranger]
    for part in chunks(strangers):
        over = or_(notices.c.sent_at.is_not(None), notices.c.failure.is_not(None))
        await tx.execute(delete(notices).where(notices.c.chat_id.in_(part), OF_OTHERS, over))
        await tx.execute(delete(told_once).where(told_once.c.chat_id.in_(part)))
        unmarked = {"chat_id": None, "message_id": None}
        await tx.execute(update(updates).where(updates.c.chat_id.in_(part)).values(**unmarked))
    return Forgotten(len(strangers), looked[-1].id if len(looked) == limit else None)


def _writers() -> AnySelect:
    """Who has written lately, by id, and whether nobody knows them and nothing waits for them.

    One look into an index for each person, however many marks of theirs there are.
    """
    first = select(func.min(updates.c.chat_id).label("id"), literal(1).label("nth"))
    chat = first.where(updates.c.chat_id > bindparam("after")).cte("chat", recursive=True)
    behind = select(func.min(updates.c.chat_id)).where(updates.c.chat_id > chat.c.id).scalar_subquery()
    further = select(behind, chat.c.nth + 1).where(chat.c.id.is_not(None), chat.c.nth < bindparam("limit"))
    chat = chat.union_all(further)
    known = exists().where(players.c.id == chat.c.id)
    waits = exists().where(notices.c.chat_id == chat.c.id, outbox.WAITS)
    found = select(chat.c.id, (~known & ~waits).label("stranger")).where(chat.c.id.is_not(None))
    return found.order_by(chat.c.nth)


_WRITERS = _writers()


def _guesses(limit: int) -> AnySelect:
    return select(guesses.c.id, guesses.c.player_id, guesses.c.game_id).order_by(guesses.c.id).limit(limit)


async def _jobs(tx: AsyncConnection, query: AnySelect) -> list[GuessJob]:
    return [guess_job(row.id, row.player_id, row.game_id) for row in await tx.execute(query)]


def _in_room(kind: RoomKind) -> ColumnElement[bool]:
    return exists().where(rooms.c.id == games.c.room_id, rooms.c.kind == kind)


def _guessed(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(guesses.c.game_id == games.c.id, condition)


async def _ids(tx: AsyncConnection, condition: ColumnElement[bool]) -> list[int]:
    # Sorted here: asked for an order, SQLite would rather walk all games by id than the few open ones.
    query = select(games.c.id).where(games.c.state == IS_OPEN, condition)
    return sorted((await tx.execute(query)).scalars())
