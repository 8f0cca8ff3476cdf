"""What a player is told about one guess. What the mode keeps back is not in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from codemojex.game.keyboards import Mode
from codemojex.game.scoring import CRACKED, Score, percent
from codemojex.play.outbox import Draft
from codemojex.play.players import full_name
from codemojex.play.standings import Standings
from codemojex.store.columns import AnyRow, AnySelect
from codemojex.store.schema import games, guesses, players, rooms


@dataclass(frozen=True, slots=True)
class Result:
    """A scored guess with what its notice needs.

    Attributes:
        name: the player's, as Telegram tells it, uncut.
        chat_id, thread_id: where it is told.
        message_id: the message that is answered there; None where there is none.
        composed: put together with buttons.
        ordinal: nth of the game, number: nth of the player in it.
        limit: guesses each.
        late: admitted after the winning guess; does not count.
        day: of the puzzle it belongs to, YYYY-MM-DD; None in any other game.
    """

    id: str
    game_id: int
    player_id: int
    name: str
    chat_id: int
    thread_id: int
    message_id: int | None
    composed: bool
    ordinal: int
    number: int
    limit: int
    mode: Mode
    symbols: str
    score: Score
    late: bool
    day: str | None

    @property
    def goes_on(self) -> bool:
        """Their player may guess again, unless the game ends."""
        return self.number < self.limit and self.score.total < CRACKED


def as_result(row: AnyRow, score: Score) -> Result:
    """A row of `RESULTS` with its score."""
    chat, thread = _told_in(row)
    answers = row.message_id > 0 and chat == row.chat_id
    return Result(
        id=row.id,
        game_id=row.game_id,
        player_id=row.player_id,
        name=full_name(row.first_name, row.last_name),
        chat_id=chat,
        thread_id=thread,
        message_id=row.message_id if answers else None,
        composed=row.message_id < 0,
        ordinal=row.ordinal,
        number=row.number,
        limit=row.guess_limit,
        mode=Mode(row.mode),
        symbols=row.symbols,
        score=score,
        late=row.late,
        day=row.day,
    )


def stored_result(row: AnyRow) -> Result:
    """A row of `RESULTS` that has its score already."""
    return as_result(row, Score(row.points, percent(row.points), row.exact, row.misplaced))


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


def result_drafts(results: Sequence[Result], standings: Mapping[int, Standings]) -> list[Draft]:
    """The notices of guesses, in their order."""
    return [result_draft(result, standings[result.game_id]) for result in results]


def result_data(result: Result, standings: Standings) -> dict[str, Any]:
    """``data`` of a result notice: every key always there, None where the mode keeps a value back.

    ``new_best`` is a total above everything the player had before.
    ``best`` is the total itself; ``rank`` has the ``hints`` paid.
    """
    before = standings.before.get(result.id)
    data: dict[str, Any] = {
        "name": result.name,
        "player_id": result.player_id,
        "symbols": list(result.symbols),
        "total": None,
        "percent": None,
        "exact": None,
        "misplaced": None,
        "best": None,
        "new_best": None,
        "hints": None,
        "rank": None,
        "of": None,
        "number": result.number,
        "limit": result.limit,
        "mode": str(result.mode),
        "late": result.late,
    }
    if result.mode is Mode.PEGS:
        data |= {"exact": result.score.exact, "misplaced": result.score.misplaced}
    elif result.mode is Mode.CLASSIC:
        data |= {"total": result.score.total, "percent": percent(result.score.total)}
        place = standings.of(result.player_id)
        if place is not None:
            data |= {"best": place.best, "hints": place.hints, "rank": place.rank, "of": standings.placed}
            data["new_best"] = before is not None and result.score.total > before
    return data


def _told_in(row: AnyRow) -> tuple[int, int]:
    """The room's own chat, whatever it was called when the guess came; each player's where it has none."""
    if row.room_chat_id is None:
        return row.chat_id, row.thread_id
    return row.room_chat_id, row.room_thread_id


# Guesses with everything `as_result` reads.
RESULTS: AnySelect = (
    select(guesses, games.c.mode, games.c.guess_limit, rooms.c.kind, rooms.c.day)
    .add_columns(rooms.c.chat_id.label("room_chat_id"), rooms.c.thread_id.label("room_thread_id"))
    .add_columns(players.c.first_name, players.c.last_name)
    .join(games, games.c.id == guesses.c.game_id)
    .join(rooms, rooms.c.id == games.c.room_id)
    .join(players, players.c.id == guesses.c.player_id)
)
