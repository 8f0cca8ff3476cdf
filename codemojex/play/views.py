"""What players may look at. An open game shows what its mode shows and never its secret."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import Mode
from codemojex.play import games, hints
from codemojex.play.games import GameView
from codemojex.play.standings import Place, Standings, standings


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One player on the board.

    Attributes:
        rank: from 1; None without points, and while a blind game is open.
        name: as Telegram tells it, uncut; escape it.
        best: total, hints not paid; None before a score and where the mode keeps it back.
        exact, misplaced: of the best guess, in a pegs game only.
        guesses: how many count so far.
        hints: how many they were given; the rank has them paid.
    """

    rank: int | None
    player_id: int
    name: str
    best: int | None
    exact: int | None
    misplaced: int | None
    guesses: int
    hints: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one player stands.

    Attributes:
        best, rank: None where there is none yet and where the mode keeps it back.
        of: players who are placed; 0 while a blind game is open.
        guesses: how many of theirs count so far.
        hints: how many they were given, before their first guess too.
    """

    best: int | None
    rank: int | None
    of: int
    guesses: int = 0
    hints: int = 0


@dataclass(frozen=True, slots=True)
class BoardView:
    """The board of one game.

    Attributes:
        rows: best first; in an open blind game by player id, since any other order would tell.
        mine: where the person who looks stands; None when nobody in particular does.
    """

    game: GameView
    rows: tuple[BoardRow, ...]
    mine: Standing | None = None


async def board(tx: AsyncConnection, game_id: int, viewer_id: int | None = None) -> BoardView:
    """The board of a game as ``viewer_id`` may see it.

    Raises:
        LookupError: there is no such game.
    """
    view, table = await _look(tx, game_id)
    mine = None if viewer_id is None else await _standing(tx, view, table, viewer_id)
    return BoardView(view, _rows(view, table), mine)


async def boards(tx: AsyncConnection, these: Collection[GameView]) -> dict[int, BoardView]:
    """The boards of games as nobody in particular may see them, by game."""
    tables = await standings(tx, [view.id for view in these])
    return {view.id: BoardView(view, _rows(view, tables[view.id])) for view in these}


async def standing(tx: AsyncConnection, game_id: int, player_id: int) -> Standing:
    """Where a player stands in a game.

    Raises:
        LookupError: there is no such game.
    """
    view, table = await _look(tx, game_id)
    return await _standing(tx, view, table, player_id)


async def _look(tx: AsyncConnection, game_id: int) -> tuple[GameView, Standings]:
    view = await games.game(tx, game_id)
    if view is None:
        raise LookupError(f"no game has the id {game_id}")
    return view, (await standings(tx, [game_id]))[game_id]


def _hidden(view: GameView) -> bool:
    return view.open and view.mode is Mode.BLIND


def _shows_total(view: GameView) -> bool:
    return not view.open or view.mode is Mode.CLASSIC


def _rows(view: GameView, table: Standings) -> tuple[BoardRow, ...]:
    rows = [_row(place, view) for place in table.places]
    if _hidden(view):
        rows.sort(key=lambda row: row.player_id)
    return tuple(rows)


def _row(place: Place, view: GameView) -> BoardRow:
    pegs = view.mode is Mode.PEGS
    return BoardRow(
        rank=None if _hidden(view) else place.rank,
        player_id=place.player_id,
        name=place.name,
        best=place.best if _shows_total(view) else None,
        exact=place.exact if pegs else None,
        misplaced=place.misplaced if pegs else None,
        guesses=place.guesses,
        hints=place.hints,
    )


async def _standing(tx: AsyncConnection, view: GameView, table: Standings, player_id: int) -> Standing:
    place, of = table.of(player_id), 0 if _hidden(view) else table.placed
    if place is None:
        return Standing(None, None, of, hints=len(await hints.given(tx, view.id, player_id)))
    row = _row(place, view)
    return Standing(row.best, row.rank, of, place.guesses, place.hints)
