"""The puzzle of a day ends for each player by itself: they have cracked it, or used every guess.

It goes on for the others, so this is no settlement: it happens with the score of the finishing guess.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.scoring import CRACKED
from codemojex.play import streaks
from codemojex.play.locks import lock_finishers
from codemojex.play.outbox import Draft
from codemojex.play.results import Result
from codemojex.play.standings import Place, Standings, among


async def stand(tx: AsyncConnection, results: Sequence[Result]) -> dict[int, Standings]:
    """The standings of puzzles among those whose guesses have just got their score, all seen in one order."""
    if not results:
        return {}
    player_ids = {result.player_id for result in results}
    await lock_finishers(tx, player_ids)
    return await among(tx, {r.game_id for r in results}, player_ids, [r.id for r in results])


async def finish(tx: AsyncConnection, results: Sequence[Result], tables: dict[int, Standings]) -> list[Draft]:
    """Note whose last guess is among ``results``, and what each is told of it.

    Args:
        results: of puzzles of a day, scored in this transaction.
        tables: what `stand` said of them.
    """
    drafts = []
    mine: dict[tuple[int, int], list[Result]] = {}
    for result in results:
        mine.setdefault((result.player_id, result.game_id), []).append(result)
    for (player_id, game_id), theirs in sorted(mine.items()):
        place = tables[game_id].of(player_id)
        if place is not None and _finishes(place, theirs):
            drafts.append(await _done(tx, theirs))
    return drafts


def _finishes(place: Place, theirs: Collection[Result]) -> bool:
    """Whether these scores are the ones that finish; a crack's elder siblings may get theirs after it."""
    if place.best == CRACKED:
        return _crack(theirs) is not None
    return place.scored >= next(iter(theirs)).limit


def _crack(theirs: Collection[Result]) -> Result | None:
    return next((result for result in theirs if result.score.total == CRACKED), None)


async def _done(tx: AsyncConnection, theirs: Sequence[Result]) -> Draft:
    last, crack = theirs[-1], _crack(theirs)
    day = str(last.day)
    streak = await streaks.finished(tx, last.player_id, day)
    data = {
        "day": day,
        "number": None if crack is None else crack.number,
        "limit": last.limit,
        "streak": streak.days,
        "best_streak": streak.best,
    }
    return Draft(last.chat_id, "daily_done", data, player_id=last.player_id, game_id=last.game_id)
