"""Settlement: a game ends, once, with the earliest admitted crack as its winner.

Everything happens under the lock of the game's row, which admission takes too: after it, no guess can be
admitted. Whatever has no score yet is scored here, so a crack that waits in the queue still wins a game
that is given up, and an earlier crack wins over a later one that was scored first.

Games that end at the same time are settled together, each step by one statement for all of them; the steps are in
`closing`. The puzzle of a day is settled when its day is over: a crack ends it only for its player, so nothing is late.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import cards, closing, finishing, outbox, seasons
from codemojex.play.daily import GRACE
from codemojex.play.days import day_end
from codemojex.play.endings import endings
from codemojex.play.games import Cause
from codemojex.play.minting import Mint
from codemojex.play.outbox import Draft, NoticeRef
from codemojex.play.results import Result, result_drafts
from codemojex.play.rooms import RoomKind
from codemojex.play.scores import score_rest
from codemojex.play.standings import standings
from codemojex.store.columns import AnyRow


@dataclass(frozen=True, slots=True)
class Settled:
    """A game that has just ended."""

    game_id: int
    cause: Cause
    winner_id: int | None
    notices: list[NoticeRef]


@dataclass(frozen=True, slots=True)
class SettledGames:
    """Games that have just ended, by id, and what is told of all of them."""

    causes: Mapping[int, Cause]
    winners: Mapping[int, int]
    notices: Sequence[NoticeRef]


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
    done = await settle_all(tx, [game_id], now, mint, cause, tz)
    if game_id not in done.causes:
        return None
    return Settled(game_id, done.causes[game_id], done.winners.get(game_id), list(done.notices))


async def settle_all(
    tx: AsyncConnection,
    game_ids: Collection[int],
    now: datetime,
    mint: Mint,
    cause: Cause | None = None,
    tz: str = "UTC",
) -> SettledGames:
    """End each of these games that has a reason to end, as `settle` ends one."""
    games = await closing.lock(tx, game_ids)
    causes = {game.id: cause for game in games} if cause else await _reasons(tx, games, now, tz)
    games = [game for game in games if game.id in causes]
    if not games:
        return SettledGames({}, {}, ())
    scored, cracks = await _last_scores(tx, games, now)
    causes |= dict.fromkeys(cracks, Cause.CRACKED)
    await closing.close(tx, causes, cracks, now)
    untold = await closing.untold(tx, causes)
    tables = await standings(tx, causes, [result.id for result in untold])
    await closing.reword_late(tx, [game.id for game in games if _ends_at_once(game, cracks)], tables)
    drafts: list[Draft] = []
    for game in games:
        drafts += result_drafts([result for result in untold if result.game_id == game.id], tables)
        drafts += await finishing.finish(tx, [r for r in scored if r.game_id == game.id and r.day], tables)
        crack = cracks.get(game.id)
        winner = None if crack is None else tables[game.id].of(crack.player_id)
        drafts += await endings(tx, game, causes[game.id], winner, tables[game.id])
    refs = await outbox.write_many(tx, mint, now, drafts)
    refs += await cards.retire(tx, mint, now, causes)
    await seasons.record(tx, tables, tz)
    return SettledGames(causes, {id: crack.player_id for id, crack in cracks.items()}, refs)


async def _reasons(tx: AsyncConnection, games: Sequence[AnyRow], now: datetime, tz: str) -> dict[int, Cause]:
    """Why games end by themselves; those that go on are left out."""
    ids = [game.id for game in games if game.kind != RoomKind.DAILY]
    cracks = await closing.cracks(tx, ids)
    admitted = await closing.admitted(tx, [game.id for game in games if game.kind == RoomKind.PRIVATE])
    found = {}
    for game in games:
        if game.kind == RoomKind.DAILY:
            if day_end(game.day, tz) + GRACE <= now:
                found[game.id] = Cause.DAY_OVER
        elif game.id in cracks:
            found[game.id] = Cause.CRACKED
        elif game.closes_at is not None and game.closes_at <= now:
            found[game.id] = Cause.CLOCK
        elif admitted.get(game.id, 0) >= game.guess_limit:
            found[game.id] = Cause.OUT_OF_GUESSES
    return found


async def _last_scores(
    tx: AsyncConnection, games: Sequence[AnyRow], now: datetime
) -> tuple[list[Result], dict[int, AnyRow]]:
    """Score whatever has no score, and mark what came too late; what was scored, and the winning guesses."""
    at_once = [game.id for game in games if game.kind != RoomKind.DAILY]
    await closing.lock_guesses_of(tx, at_once)
    scored = await score_rest(tx, [game.id for game in games], now)
    cracks = await closing.cracks(tx, [game.id for game in games])
    await closing.mark_late(tx, {id: cracks[id] for id in at_once if id in cracks})
    return scored, cracks


def _ends_at_once(game: AnyRow, cracks: Mapping[int, AnyRow]) -> bool:
    """Whether a crack ended it, so that guesses may have come too late."""
    return game.kind != RoomKind.DAILY and game.id in cracks
