"""Games, boards and notices in any state, for the sentences about them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from codemojex.game.keyboards import Level, Mode, keyboard
from codemojex.game.secret import commitment
from codemojex.play.feeds import FeedLine
from codemojex.play.games import Cause, GameState, GameView
from codemojex.play.views import BoardRow, BoardView, Standing

SECRET = ("🍎", "🍌", "🍇", "🍓", "🍒", "🍍")
NEAR = ("🍌", "🍎", "🍇", "🍓", "🍒", "🍍")
NONCE = "0123456789abcdef" * 2
COMMITMENT = commitment(SECRET, NONCE)
NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def game(
    mode: Mode = Mode.CLASSIC,
    level: Level = Level.NORMAL,
    *,
    closed: bool = False,
    minutes: int | None = None,
    winner_id: int | None = None,
) -> GameView:
    return GameView(
        id=1,
        room_id=1,
        mode=mode,
        level=level,
        theme="fruit",
        keyboard=keyboard("fruit", level),
        commitment=COMMITMENT,
        guess_limit=12,
        state=GameState.CLOSED if closed else GameState.OPEN,
        opened_by=5,
        opened_at=NOON,
        closes_at=None if minutes is None else NOON + timedelta(minutes=minutes),
        closed_at=NOON if closed else None,
        closed_reason=Cause.CRACKED if winner_id else None,
        winner_id=winner_id,
        secret=SECRET if closed else None,
        nonce=NONCE if closed else None,
    )


def row(name: str, player_id: int = 5, **changes: Any) -> BoardRow:
    values = {"rank": 1, "best": 480, "exact": None, "misplaced": None, "guesses": 3} | changes
    return BoardRow(player_id=player_id, name=name, **values)


def line(name: str, ordinal: int = 1, player_id: int = 5, **changes: Any) -> FeedLine:
    """One guess in the feed of a classic game."""
    told = {"total": 420, "exact": None, "misplaced": None, "late": False} | changes
    return FeedLine(name=name, player_id=player_id, symbols="".join(NEAR), ordinal=ordinal, **told)


def board(game: GameView, *rows: BoardRow, mine: Standing | None = None) -> BoardView:
    return BoardView(game, rows, mine)


def result(**changes: Any) -> dict[str, Any]:
    """The data of a classic result, alone, after the first guess."""
    return {
        "symbols": list(NEAR),
        "total": 560,
        "percent": 93,
        "exact": None,
        "misplaced": None,
        "best": 560,
        "new_best": False,
        "rank": 1,
        "of": 1,
        "number": 1,
        "limit": 12,
        "mode": "classic",
        "late": False,
    } | changes


def pegs(**changes: Any) -> dict[str, Any]:
    kept_back = dict.fromkeys(("total", "percent", "best", "new_best", "rank", "of"))
    return result(mode="pegs", exact=4, misplaced=1, **kept_back) | changes


def blind(**changes: Any) -> dict[str, Any]:
    return pegs(mode="blind", exact=None, misplaced=None) | changes


def ended(**changes: Any) -> dict[str, Any]:
    """The data of the end of a game that the reader cracked."""
    return {
        "reason": "cracked",
        "winner": "Ada",
        "winner_id": 5,
        "you_won": True,
        "secret": list(SECRET),
        "nonce": NONCE,
        "commitment": COMMITMENT,
        "guesses": 2,
        "best": 600,
        "mode": "classic",
        "revealed": None,
    } | changes
