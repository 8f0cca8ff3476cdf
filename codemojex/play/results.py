"""What a player is told about one guess. What the mode keeps back is not in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from codemojex.game.keyboards import Mode
from codemojex.game.scoring import Score, percent
from codemojex.play.outbox import Draft
from codemojex.play.standings import Standings


@dataclass(frozen=True, slots=True)
class Result:
    """A scored guess with what its notice needs.

    Attributes:
        ordinal: nth of the game, number: nth of the player in it.
        limit: guesses each.
        late: admitted after the winning guess; does not count.
    """

    id: str
    game_id: int
    player_id: int
    chat_id: int
    thread_id: int
    message_id: int
    ordinal: int
    number: int
    limit: int
    mode: Mode
    symbols: str
    score: Score
    late: bool = False


def result_draft(result: Result, standings: Standings) -> Draft:
    """The notice of one guess, as its mode allows."""
    return Draft(
        chat_id=result.chat_id,
        kind="late" if result.late else "result",
        data=result_data(result, standings),
        thread_id=result.thread_id,
        player_id=result.player_id,
        game_id=result.game_id,
        guess_id=result.id,
        reply_to=result.message_id,
    )


def result_drafts(results: Sequence[Result], standings: dict[int, Standings]) -> list[Draft]:
    """The notices of guesses, in their order."""
    return [result_draft(result, standings[result.game_id]) for result in results]


def result_data(result: Result, standings: Standings) -> dict[str, Any]:
    """``data`` of a result notice: every key always there, None where the mode keeps a value back.

    ``new_best`` is a total above everything the player had before, ``repeated`` a guess they had before.
    """
    before = standings.before.get(result.id)
    data: dict[str, Any] = {
        "symbols": list(result.symbols),
        "total": None,
        "percent": None,
        "exact": None,
        "misplaced": None,
        "best": None,
        "new_best": None,
        "rank": None,
        "of": None,
        "number": result.number,
        "limit": result.limit,
        "mode": str(result.mode),
        "late": result.late,
        "repeated": before is not None and before.repeats,
    }
    if result.mode is Mode.PEGS:
        data |= {"exact": result.score.exact, "misplaced": result.score.misplaced}
    elif result.mode is Mode.CLASSIC:
        data |= {"total": result.score.total, "percent": percent(result.score.total)}
        place = standings.of(result.player_id)
        if place is not None:
            data |= {"best": place.best, "rank": place.rank, "of": standings.placed}
            data["new_best"] = before is not None and result.score.total > before.best
    return data
