"""Settlement: a game ends, once, with the earliest admitted crack as its winner.

Everything happens under the lock of the game's row, which admission takes too: after it, no guess can be
admitted. Whatever has no score yet is scored here, so a crack that waits in the queue still wins a game
that is given up, and an earlier crack wins over a later one that was scored first.

The puzzle of a day is settled when its day is over: a crack ends it only for its player, so nothing is late.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import cards, finishing, outbox, seasons
from codemojex.play.daily import GRACE
from codemojex.play.days import day_end
from codemojex.play.endings import endings
from codemojex.play.games import Cause, GameState
from codemojex.play.literals import A_CRACK, IS_OPEN
from codemojex.play.locks import lock_guesses
from codemojex.play.minting import Mint
from codemojex.play.outbox import Draft, NoticeRef
from codemojex.play.results import RESULTS, Result, result_data, result_drafts, stored_result
from codemojex.play.rooms import RoomKind
from codemojex.play.scores import score_rest
from codemojex.play.standings import Standings, standings
from codemojex.store.columns import AnyRow
from codemojex.store.schema import games, guesses, notices, rooms


@dataclass(frozen=True, slots=True)
class Settled:
    """A game that has just ended."""

    game_id: int
    cause: Cause
    winner_id: int | None
    notices: list[NoticeRef]


async def settle(
    tx: AsyncConnection,
    game_id: int,
    now: datetime,
    mint: Mint,
    cause: Cause | None = None,
    tz: str = "UTC",
) -> Settled | None:
    """End a game that has a reason to end: a crack, its clock or day, its last guess, or ``cause``.

    Args:
        tz: DAILY_TZ, by which days end and seasons count.

    Returns:
        None when it has none, or has ended before; then nothing was changed.
    """
    game = await _lock(tx, game_id)
    if game is None:
        return None
    reason = cause or await _reason(tx, game, now, tz)
    if reason is None:
        return None
    last, crack = await _last_scores(tx, game, now)
    if crack is not None:
        reason = Cause.CRACKED
    await _close(tx, game_id, now, reason, crack)
    untold = await _untold(tx, game_id)
    table = (await standings(tx, [game_id], [result.id for result in untold]))[game_id]
    drafts = await _tidings(tx, game, last, untold, table)
    winner = None if crack is None else table.of(crack.player_id)
    drafts += await endings(tx, game, reason, winner, table)
    refs = await outbox.write_many(tx, mint, now, drafts)
    refs += await cards.retire(tx, mint, now, game_id)
    await seasons.record(tx, game_id, table, tz)
    return Settled(game_id, reason, None if winner is None else winner.player_id, refs)


async def _lock(tx: AsyncConnection, game_id: int) -> AnyRow | None:
    """The open game, its row locked until the transaction ends. This reads the secret: it ends here."""
    query = (
        select(games, rooms.c.kind, rooms.c.chat_id, rooms.c.thread_id, rooms.c.day)
        .join(rooms, rooms.c.id == games.c.room_id)
        .where(games.c.id == game_id, games.c.state == IS_OPEN)
        .with_for_update(of=games, key_share=True)
    )
    return (await tx.execute(query)).one_or_none()


async def _reason(tx: AsyncConnection, game: AnyRow, now: datetime, tz: str) -> Cause | None:
    """Why a game ends by itself, None while it goes on."""
    if game.kind == RoomKind.DAILY:
        return Cause.DAY_OVER if day_end(game.day, tz) + GRACE <= now else None
    if await _crack(tx, game.id) is not None:
        return Cause.CRACKED
    if game.closes_at is not None and game.closes_at <= now:
        return Cause.CLOCK
    if game.kind == RoomKind.PRIVATE and await _admitted(tx, game.id) >= game.guess_limit:
        return Cause.OUT_OF_GUESSES
    return None


async def _admitted(tx: AsyncConnection, game_id: int) -> int:
    query = select(func.count()).select_from(guesses).where(guesses.c.game_id == game_id)
    return (await tx.execute(query)).scalar_one()


async def _crack(tx: AsyncConnection, game_id: int) -> AnyRow | None:
    """The earliest admitted crack that has its score."""
    query = (
        select(guesses.c.id, guesses.c.player_id, guesses.c.ordinal)
        .where(guesses.c.game_id == game_id, guesses.c.points == A_CRACK)
        .order_by(guesses.c.ordinal)
        .limit(1)
    )
    return (await tx.execute(query)).one_or_none()


async def _last_scores(
    tx: AsyncConnection, game: AnyRow, now: datetime
) -> tuple[list[Result], AnyRow | None]:
    """Score whatever has no score, and mark what came too late; what was scored, and the winning guess."""
    if game.kind == RoomKind.DAILY:
        return await score_rest(tx, game.id, now), await _crack(tx, game.id)
    await lock_guesses(tx, guesses.c.game_id == game.id)
    scored = await score_rest(tx, game.id, now)
    crack = await _crack(tx, game.id)
    if crack is not None:
        late = (guesses.c.game_id == game.id) & (guesses.c.ordinal > crack.ordinal)
        await tx.execute(update(guesses).where(late).values(late=True))
    return scored, crack


async def _close(
    tx: AsyncConnection, game_id: int, now: datetime, reason: Cause, crack: AnyRow | None
) -> None:
    last = select(func.max(guesses.c.admitted_at)).where(guesses.c.game_id == game_id)
    latest = (await tx.execute(last)).scalar_one()
    # The clock may have been read before a guess that was admitted under the lock first.
    closed_at = now if latest is None else max(now, latest)
    await tx.execute(
        update(games)
        .where(games.c.id == game_id)
        .values(
            state=GameState.CLOSED,
            closed_at=closed_at,
            closed_reason=reason,
            winner_id=None if crack is None else crack.player_id,
            winning_guess_id=None if crack is None else crack.id,
        )
    )


async def _untold(tx: AsyncConnection, game_id: int) -> list[Result]:
    """Results that have no notice, in the order of admission."""
    query = (
        RESULTS.outerjoin(notices, notices.c.guess_id == guesses.c.id)
        .where(guesses.c.game_id == game_id, notices.c.id.is_(None))
        .order_by(guesses.c.ordinal)
    )
    return [stored_result(row) for row in await tx.execute(query)]


async def _tidings(
    tx: AsyncConnection, game: AnyRow, scored: list[Result], untold: list[Result], table: Standings
) -> list[Draft]:
    """What is told of guesses before the end is: the results that nobody knows of yet."""
    tables = {game.id: table}
    drafts = result_drafts(untold, tables)
    if game.kind == RoomKind.DAILY:
        return drafts + await finishing.finish(tx, scored, tables)
    await _reword_late(tx, game.id, table)
    return drafts


async def _reword_late(tx: AsyncConnection, game_id: int, table: Standings) -> None:
    """Notices of guesses that turned out late say so, unless they were handed to Telegram already."""
    query = (
        RESULTS.add_columns(notices.c.id.label("notice_id"))
        .join(notices, notices.c.guess_id == guesses.c.id)
        .where(guesses.c.game_id == game_id, guesses.c.late, notices.c.sends == 0)
    )
    reworded = [
        {"notice": row.notice_id, "said": outbox.dumped(result_data(stored_result(row), table))}
        for row in await tx.execute(query)
    ]
    if reworded:
        unsent = (notices.c.id == bindparam("notice")) & (notices.c.sends == 0)
        await tx.execute(update(notices).where(unsent).values(kind="late", data=bindparam("said")), reworded)
