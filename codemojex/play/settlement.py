"""Settlement: a game ends, once, with the earliest admitted crack as its winner.

Everything happens under the lock of the game's row, which admission takes too: after it, no guess can be
admitted. Whatever has no score yet is scored here, so a crack that waits in the queue still wins a game
that is given up, and an earlier crack wins over a later one that was scored first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import Mode
from codemojex.game.refusals import NothingToGiveUp, NotYoursToGiveUp
from codemojex.play import games as games_
from codemojex.play import outbox
from codemojex.play.games import Cause, GameState
from codemojex.play.literals import A_CRACK, IS_OPEN
from codemojex.play.locks import lock_guesses
from codemojex.play.minting import Mint
from codemojex.play.outbox import Draft, NoticeRef
from codemojex.play.players import Player
from codemojex.play.results import result_data, result_drafts
from codemojex.play.rooms import Room, RoomKind
from codemojex.play.scores import result_columns, score_rest, stored_result
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
    tx: AsyncConnection, game_id: int, now: datetime, mint: Mint, cause: Cause | None = None
) -> Settled | None:
    """End a game that has a reason to end: a crack, its clock, its last guess, or ``cause``.

    Returns:
        None when it has none, or has ended before; then nothing was changed.
    """
    game = await _lock(tx, game_id)
    if game is None:
        return None
    reason = cause or _reason(game, now, await _crack(tx, game_id), await _admitted(tx, game_id))
    if reason is None:
        return None
    await lock_guesses(tx, guesses.c.game_id == game_id)
    await score_rest(tx, game_id, now)
    crack = await _crack(tx, game_id)
    if crack is not None:
        reason = Cause.CRACKED
        late = (guesses.c.game_id == game_id) & (guesses.c.ordinal > crack.ordinal)
        await tx.execute(update(guesses).where(late).values(late=True))
    await _close(tx, game_id, now, reason, crack)
    untold = await _untold(tx, game_id)
    table = (await standings(tx, [game_id], [result.id for result in untold]))[game_id]
    await _reword_late(tx, game_id, table)
    drafts = result_drafts(untold, {game_id: table})
    drafts += await _endings(tx, game, reason, crack, table)
    winner_id = None if crack is None else crack.player_id
    return Settled(game_id, reason, winner_id, await outbox.write_many(tx, mint, now, drafts))


async def give_up(tx: AsyncConnection, room: Room, player: Player, now: datetime, mint: Mint) -> Settled:
    """End the open game of a private chat. A guess admitted before that cracks it still wins.

    Raises:
        NothingToGiveUp: no game is open there.
        NotYoursToGiveUp: others play it too.
    """
    game = await games_.running(tx, room)
    if game is None:
        raise NothingToGiveUp
    if not room.alone:
        raise NotYoursToGiveUp
    settled = await settle(tx, game.id, now, mint, Cause.GAVE_UP)
    if settled is None:
        raise NothingToGiveUp
    return settled


async def _lock(tx: AsyncConnection, game_id: int) -> AnyRow | None:
    """The open game, its row locked until the transaction ends. This reads the secret: it ends here."""
    query = (
        select(games, rooms.c.kind, rooms.c.chat_id, rooms.c.thread_id)
        .join(rooms, rooms.c.id == games.c.room_id)
        .where(games.c.id == game_id, games.c.state == IS_OPEN)
        .with_for_update(of=games, key_share=True)
    )
    return (await tx.execute(query)).one_or_none()


def _reason(game: AnyRow, now: datetime, crack: AnyRow | None, admitted: int) -> Cause | None:
    """Why a game ends by itself, None while it goes on."""
    if crack is not None:
        return Cause.CRACKED
    if game.closes_at is not None and game.closes_at <= now:
        return Cause.CLOCK
    if game.kind == RoomKind.PRIVATE and admitted >= game.guess_limit:
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


async def _untold(tx: AsyncConnection, game_id: int) -> list[Any]:
    """Results that have no notice, in the order of admission."""
    query = (
        select(*result_columns)
        .join(games, games.c.id == guesses.c.game_id)
        .outerjoin(notices, notices.c.guess_id == guesses.c.id)
        .where(guesses.c.game_id == game_id, notices.c.id.is_(None))
        .order_by(guesses.c.ordinal)
    )
    return [stored_result(row) for row in await tx.execute(query)]


async def _reword_late(tx: AsyncConnection, game_id: int, table: Standings) -> None:
    """Notices of guesses that turned out late say so, unless they were handed to Telegram already."""
    query = (
        select(*result_columns, notices.c.id.label("notice_id"))
        .join(games, games.c.id == guesses.c.game_id)
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


async def _endings(
    tx: AsyncConnection, game: AnyRow, reason: Cause, crack: AnyRow | None, table: Standings
) -> list[Draft]:
    """One notice for the room's chat, and one for every other chat it was played from."""
    query = select(guesses.c.chat_id, guesses.c.thread_id).where(guesses.c.game_id == game.id).distinct()
    chats = dict.fromkeys([(game.chat_id, game.thread_id)])
    chats |= dict.fromkeys(sorted((row.chat_id, row.thread_id) for row in await tx.execute(query)))
    winner = None if crack is None else table.of(crack.player_id)
    told = {
        "reason": str(reason),
        "winner": None if winner is None else winner.name,
        "winner_id": None if winner is None else winner.player_id,
        "secret": list(game.secret),
        "nonce": game.nonce,
        "commitment": game.commitment,
        "mode": game.mode,
    }
    shown = await _revealed(tx, game) if game.mode == Mode.BLIND else {}
    drafts = []
    for chat_id, thread_id in chats:
        # Telegram gives a private chat the id of the person in it.
        place = table.of(chat_id)
        mine = {
            "you_won": winner is not None and winner.player_id == chat_id,
            "guesses": place.guesses if place else 0,
            "best": place.best if place else None,
            "revealed": shown.get(chat_id),
        }
        drafts.append(Draft(chat_id, "ended", told | mine, thread_id, None, game.id))
    return drafts


async def _revealed(tx: AsyncConnection, game: AnyRow) -> dict[int, list[list[Any]]]:
    """What a blind game kept back: by player, their guesses that count with their points, in order."""
    query = (
        select(guesses.c.player_id, guesses.c.symbols, guesses.c.points)
        .where(guesses.c.game_id == game.id, guesses.c.late.is_(False))
        .order_by(guesses.c.player_id, guesses.c.number)
    )
    found: dict[int, list[list[Any]]] = {}
    for row in await tx.execute(query):
        found.setdefault(row.player_id, []).append([row.symbols, row.points])
    return found
