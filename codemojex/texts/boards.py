"""The board of a game, a row for each player, in as many messages as the rows need."""

from __future__ import annotations

from datetime import datetime, timedelta

from codemojex.game.keyboards import Mode
from codemojex.play.games import GameView
from codemojex.play.views import BoardRow, BoardView
from codemojex.texts.catalog import Language
from codemojex.texts.markup import Html, messages, named

_DOT = " · "


def board(language: Language, view: BoardView, now: datetime) -> list[Html]:
    """How ``view``'s game stands at ``now``, cut between rows."""
    rows: list[str] = [language.say("board.running" if view.game.open else "board.closed")]
    rows += [_row(language, row, view.game) for row in view.rows]
    if not view.rows:
        rows.append(language.say("board.nobody" if view.game.open else "board.nobody_did"))
    foot = _foot_open(language, view, now) if view.game.open else _foot_closed(language, view.game)
    if foot:
        rows.append(f"\n{foot}")
    return messages(rows)


def _row(language: Language, row: BoardRow, game: GameView) -> Html:
    name = named(row.name, row.player_id, language.say("player.nameless", digits="{digits}"))
    said = [Html(f"{_mark(language, row, game)} {name}"), *_score(language, row, game)]
    return Html(_DOT.join([*said, language.count("board.guesses", row.guesses)]))


def _mark(language: Language, row: BoardRow, game: GameView) -> Html:
    if game.winner_id == row.player_id:
        return language.say("board.winner")
    if row.rank is None:
        return language.say("board.unplaced")
    return language.say("board.rank", rank=row.rank)


def _score(language: Language, row: BoardRow, game: GameView) -> list[Html]:
    if game.mode is Mode.PEGS and row.exact is not None and row.misplaced is not None:
        return [language.say("board.pegs", exact=row.exact, misplaced=row.misplaced)]
    return [] if row.best is None else [language.say("board.points", best=row.best)]


def _foot_open(language: Language, view: BoardView, now: datetime) -> str:
    said = [] if view.game.closes_at is None else [_clock(language, view.game.closes_at - now)]
    if view.game.mode is Mode.BLIND:
        said.append(language.say("board.blind"))
    mine = view.mine
    if mine is not None:
        if mine.rank is not None and mine.of > 1:
            said.append(language.say("board.mine", rank=language.rank("rank", mine.rank, of=mine.of)))
        left = max(0, view.game.guess_limit - mine.guesses)
        said.append(language.count("board.left", left) if left else language.say("board.none_left"))
    return " ".join(said)


def _clock(language: Language, left: timedelta) -> Html:
    if left <= timedelta(0):
        return language.say("board.time_up")
    minutes = left // timedelta(minutes=1)
    return language.count("board.minutes", minutes) if minutes else language.say("board.under_a_minute")


def _foot_closed(language: Language, game: GameView) -> str:
    said = [language.say("board.new")]
    if game.secret is not None:
        said.insert(0, language.say("board.code", symbols="".join(game.secret)))
    return " ".join(said)
