"""The steps of a settlement, each for any number of games by one statement. All of them are built once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import outbox
from codemojex.play.games import Cause, GameState
from codemojex.play.literals import A_CRACK, IS_OPEN
from codemojex.play.results import RESULTS, Result, result_data, stored_result
from codemojex.play.standings import Standings
from codemojex.store.columns import AnyRow
from codemojex.store.lists import listed
from codemojex.store.schema import games, guesses, notices, rooms


async def lock(tx: AsyncConnection, game_ids: Collection[int]) -> list[AnyRow]:
    """Those of the games that are open, locked in the order of their ids until the transaction ends.

    This reads their secrets: they end here.
    """
    return list(await tx.execute(_OPEN, {"games": game_ids}))


async def cracks(tx: AsyncConnection, game_ids: Collection[int]) -> dict[int, AnyRow]:
    """The earliest admitted crack of each game that has one with its score."""
    found: dict[int, AnyRow] = {}
    for row in await tx.execute(_CRACKS, {"games": game_ids}) if game_ids else ():
        found.setdefault(row.game_id, row)
    return found


async def admitted(tx: AsyncConnection, game_ids: Collection[int]) -> dict[int, int]:
    """How many guesses each game has; none is left out."""
    rows = await tx.execute(_ADMITTED, {"games": game_ids}) if game_ids else ()
    return {row.game_id: row.guesses for row in rows}


async def lock_guesses_of(tx: AsyncConnection, game_ids: Collection[int]) -> None:
    """Lock every guess of these games; see `locks`. A SQLite transaction holds the whole file anyway."""
    if tx.dialect.name == "postgresql":
        await tx.execute(_GUESSES, {"games": game_ids})


async def mark_late(tx: AsyncConnection, cracks: Mapping[int, AnyRow]) -> None:
    """Note that what was admitted after the crack of its game does not count."""
    if cracks:
        late = [{"game": id, "crack": crack.ordinal} for id, crack in cracks.items()]
        await tx.execute(_LATE, late)


async def close(
    tx: AsyncConnection, causes: Mapping[int, Cause], cracks: Mapping[int, AnyRow], now: datetime
) -> None:
    """Take no more guesses, for these reasons."""
    latest = {row.game_id: row.at for row in await tx.execute(_LATEST, {"games": causes.keys()})}
    closed = []
    for game_id, cause in causes.items():
        crack = cracks.get(game_id)
        # The clock may have been read before a guess that was admitted under the lock first.
        at = max(now, latest.get(game_id, now))
        about = {"game": game_id, "now": at, "cause": cause}
        winner = {"winner": crack and crack.player_id, "guess": crack and crack.id}
        closed.append(about | winner)
    await tx.execute(_CLOSE, closed)


async def untold(tx: AsyncConnection, game_ids: Collection[int]) -> list[Result]:
    """Results that have no notice, game by game in the order of admission."""
    return [stored_result(row) for row in await tx.execute(_UNTOLD, {"games": game_ids})]


async def reword_late(
    tx: AsyncConnection, game_ids: Collection[int], tables: Mapping[int, Standings]
) -> None:
    """Notices of guesses that turned out late say so, unless they were handed to Telegram already."""
    reworded = []
    for row in await tx.execute(_LATE_NOTICES, {"games": game_ids}) if game_ids else ():
        data = result_data(stored_result(row), tables[row.game_id])
        reworded.append({"notice": row.notice_id, "said": outbox.dumped(data)})
    if reworded:
        await tx.execute(_REWORD, reworded)


_THESE = listed(guesses.c.game_id, "games")

_OPEN = (
    select(games, rooms.c.kind, rooms.c.chat_id, rooms.c.thread_id, rooms.c.day)
    .join(rooms, rooms.c.id == games.c.room_id)
    .where(listed(games.c.id, "games"), games.c.state == IS_OPEN)
    .order_by(games.c.id)
    .with_for_update(of=games, key_share=True)
)
_CRACKS = (
    select(guesses.c.game_id, guesses.c.id, guesses.c.player_id, guesses.c.ordinal)
    .where(_THESE, guesses.c.points == A_CRACK)
    .order_by(guesses.c.game_id, guesses.c.ordinal)
)
_ADMITTED = select(guesses.c.game_id, func.count().label("guesses")).where(_THESE).group_by(guesses.c.game_id)
_GUESSES = select(guesses.c.id).where(_THESE).order_by(guesses.c.id).with_for_update(key_share=True)
_LATE = (
    update(guesses)
    .where(guesses.c.game_id == bindparam("game"), guesses.c.ordinal > bindparam("crack"))
    .values(late=True)
)
_LATEST = (
    select(guesses.c.game_id, func.max(guesses.c.admitted_at).label("at"))
    .where(_THESE)
    .group_by(guesses.c.game_id)
)
_CLOSE = (
    update(games)
    .where(games.c.id == bindparam("game"))
    .values(
        state=GameState.CLOSED,
        closed_at=bindparam("now"),
        closed_reason=bindparam("cause"),
        winner_id=bindparam("winner"),
        winning_guess_id=bindparam("guess"),
    )
)
_UNTOLD = (
    RESULTS.outerjoin(notices, notices.c.guess_id == guesses.c.id)
    .where(_THESE, notices.c.id.is_(None))
    .order_by(guesses.c.game_id, guesses.c.ordinal)
)
_LATE_NOTICES = (
    RESULTS.add_columns(notices.c.id.label("notice_id"))
    .join(notices, notices.c.guess_id == guesses.c.id)
    .where(_THESE, guesses.c.late, notices.c.sends == 0)
)
_REWORD = (
    update(notices)
    .where(notices.c.id == bindparam("notice"), notices.c.sends == 0)
    .values(kind="late", data=bindparam("said"))
)
