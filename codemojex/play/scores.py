"""Scoring: every guess gets one score, whoever comes first, however often it is asked for.

Rows are locked in id order before they are looked at and written only where there is no score yet, so any
number of workers may score the same guesses at the same time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Integer, bindparam, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.scoring import score as score_guess
from codemojex.play import cards, finishing, outbox
from codemojex.play.games import GameState
from codemojex.play.literals import A_CRACK
from codemojex.play.minting import Mint
from codemojex.play.outbox import NoticeRef
from codemojex.play.results import RESULTS, Result, as_result, result_drafts
from codemojex.play.rooms import RoomKind
from codemojex.play.standings import Standings, standings
from codemojex.store.columns import AnyRow, AnySelect, JobId
from codemojex.store.lists import listed
from codemojex.store.rows import given
from codemojex.store.schema import games, guesses, rooms


@dataclass(frozen=True, slots=True)
class ScoredBatch:
    """What became of a batch.

    Attributes:
        scored: got their score now, in id order.
        already: had one; nothing was changed.
        missing: no guess has this id.
        notices: what players are to be told.
        to_settle: games that may have ended by these scores; `settlement.settle` decides.
    """

    scored: list[str]
    already: list[str]
    missing: list[str]
    notices: list[NoticeRef]
    to_settle: set[int]


async def score(tx: AsyncConnection, ids: Sequence[str], now: datetime, mint: Mint) -> ScoredBatch:
    """Score the guesses ``ids`` and write their notices.

    A crack, and whatever was admitted after one, gets its notice from the settlement, which knows who won. A
    crack of a day's puzzle ends nothing for the others and is told like any guess.
    """
    rows = list(await tx.execute(_UNSCORED, {"ids": ids}))
    results = await write_scores(tx, rows, now)
    scored = {result.id for result in results}
    others = [] if len(scored) == len(set(ids)) else await _others(tx, set(ids) - scored)
    found = scored | {row.id for row in others}
    # A worker may have died between the score that ends a game and its settlement.
    rows += [row for row in others if row.state == GameState.OPEN]
    rows = [row for row in rows if row.kind != RoomKind.DAILY]
    touched = {row.game_id for row in rows}
    tables = await standings(tx, touched, scored) if touched else {}
    cracks = await first_cracks(tx, touched) if touched else {}
    told = [result for result in results if result.ordinal < cracks.get(result.game_id, result.ordinal + 1)]
    return ScoredBatch(
        scored=[result.id for result in results],
        already=[row.id for row in others],
        missing=[id for id in dict.fromkeys(ids) if id not in found],
        notices=await _tell(tx, told, tables, now, mint),
        to_settle=set(cracks) | _exhausted(rows, tables),
    )


async def score_rest(tx: AsyncConnection, game_ids: Collection[int], now: datetime) -> list[Result]:
    """Score every guess of these games that has no score; the caller holds the games' rows."""
    rows = list(await tx.execute(_REST, {"games": game_ids}))
    return await write_scores(tx, rows, now)


async def write_scores(tx: AsyncConnection, rows: Sequence[AnyRow], now: datetime) -> list[Result]:
    """Write the scores of locked rows, where there is none yet; what was written, in id order."""
    results = {row.id: as_result(row, score_guess(row.secret, row.symbols)) for row in rows}
    if not results:
        return []
    scores = [
        {"guess": r.id, "total": r.score.total, "ex": r.score.exact, "mis": r.score.misplaced}
        for r in results.values()
    ]
    # The rows are locked and were found without a score, so each of these writes one.
    await tx.execute(_score(tx.dialect.name), {"scores": scores, "now": now})
    return [results[id] for id in sorted(results)]


async def first_cracks(tx: AsyncConnection, game_ids: Collection[int]) -> dict[int, int]:
    """The ordinal of the earliest crack of each game that has one."""
    return {row.game_id: row.ordinal for row in await tx.execute(_FIRST_CRACKS, {"games": game_ids})}


async def _tell(
    tx: AsyncConnection, told: Sequence[Result], tables: dict[int, Standings], now: datetime, mint: Mint
) -> list[NoticeRef]:
    """Write the notices of guesses, and of what they bring about."""
    dailies = [result for result in told if result.day is not None]
    tables = tables | await finishing.stand(tx, dailies)
    drafts = result_drafts(told, tables) + await finishing.finish(tx, dailies, tables)
    refs = await outbox.write_many(tx, mint, now, drafts)
    composed = {(r.game_id, r.player_id) for r in told if r.composed and r.goes_on}
    return refs + await cards.repost_composers(tx, mint, now, composed)


def _unscored(condition: ColumnElement[bool]) -> AnySelect:
    """Guesses without a score and what scoring needs, locked in the order of their ids (see `locks`)."""
    return (
        RESULTS.add_columns(games.c.secret)
        .where(guesses.c.scored_at.is_(None), condition)
        .order_by(guesses.c.id)
        .with_for_update(of=guesses, key_share=True)
    )


# Built once: that takes longer than running them.
_UNSCORED = _unscored(listed(guesses.c.id, "ids"))
_REST = _unscored(listed(guesses.c.game_id, "games"))

_FIRST_CRACKS = (
    select(guesses.c.game_id, func.min(guesses.c.ordinal).label("ordinal"))
    .where(listed(guesses.c.game_id, "games"), guesses.c.points == A_CRACK)
    .group_by(guesses.c.game_id)
)


@cache
def _score(dialect: str) -> Any:
    row = given(dialect, "scores", guess=JobId, total=Integer(), ex=Integer(), mis=Integer())
    return (
        update(guesses)
        .where(guesses.c.id == row["guess"], guesses.c.scored_at.is_(None))
        .values(points=row["total"], exact=row["ex"], misplaced=row["mis"], scored_at=bindparam("now"))
    )


async def _others(tx: AsyncConnection, ids: Collection[str]) -> list[AnyRow]:
    """Which of these guesses exist, with the state of their game."""
    query = (
        select(guesses.c.id, guesses.c.game_id, guesses.c.player_id)
        .add_columns(games.c.state, games.c.guess_limit, rooms.c.kind)
        .join(games, games.c.id == guesses.c.game_id)
        .join(rooms, rooms.c.id == games.c.room_id)
        .where(guesses.c.id.in_(ids))
        .order_by(guesses.c.id)
    )
    return list(await tx.execute(query))


def _exhausted(rows: Sequence[AnyRow], tables: dict[int, Standings]) -> set[int]:
    """Games of one player who has used every guess; whether a score is still missing, settling finds out."""
    ended = set()
    for row in rows:
        place = tables.get(row.game_id, Standings()).of(row.player_id)
        if row.kind == RoomKind.PRIVATE and place is not None and place.guesses >= row.guess_limit:
            ended.add(row.game_id)
    return ended
