"""The board of a game, a row for each player, in as many messages as the rows need."""

from __future__ import annotations

from datetime import datetime, timedelta

from codemojex.game.keyboards import Mode
from codemojex.game.scoring import HINT_COST
from codemojex.play.games import GameView
from codemojex.play.views import BoardRow, BoardView
from codemojex.texts.language import Language
from codemojex.texts.markup import Html, messages
from codemojex.texts.topic import Topic

_DOT = " · "
# Of the puzzle of a day, which thousands may play, nobody wants to read every row.
_MOST_ROWS = 100


class BoardTexts(Topic):
    """How one game stands."""

    def board(self, view: BoardView, now: datetime) -> list[Html]:
        """How a game stands at ``now`` (aware UTC), in as many messages as its rows need."""
        return board(self._language, view, now)


def board(language: Language, view: BoardView, now: datetime) -> list[Html]:
    """How ``view``'s game stands at ``now``, cut between rows; the first hundred, and how many more there are."""
    said: list[str] = [language.say("board-running" if view.game.open else "board-closed")]
    said += [row(language, each, view.game) for each in view.rows[:_MOST_ROWS]]
    if len(view.rows) > _MOST_ROWS:
        said.append(language.say("board-more", len(view.rows) - _MOST_ROWS))
    if not view.rows:
        said.append(language.say("board-nobody" if view.game.open else "board-nobody-did"))
    foot = _foot_open(language, view, now) if view.game.open else closed(language, view.game)
    if foot:
        said.append(f"\n{foot}")
    return messages(said)


def row(language: Language, row: BoardRow, game: GameView, name: Html | None = None) -> Html:
    """One player: place, name, what the mode shows of their best, hints, guesses."""
    shown = language.name(row.name, row.player_id) if name is None else name
    said = [Html(f"{_mark(language, row, game)} {shown}"), *_score(language, row, game)]
    if row.hints:
        said.append(language.say("board-hints", cost=row.hints * HINT_COST))
    return Html(_DOT.join([*said, language.say("board-guesses", row.guesses)]))


def clock(language: Language, left: timedelta) -> Html:
    """How much time is left."""
    if left <= timedelta(0):
        return language.say("board-time-up")
    if left < timedelta(minutes=1):
        return language.say("board-under-a-minute")
    # Begun minutes count: a game of fifteen has fifteen left until the first is over.
    return language.say("board-minutes", -(-left // timedelta(minutes=1)))


def _mark(language: Language, row: BoardRow, game: GameView) -> Html:
    if game.winner_id == row.player_id:
        return language.say("board-winner")
    if row.rank is None:
        return language.say("board-unplaced")
    return language.say("board-rank", rank=row.rank)


def _score(language: Language, row: BoardRow, game: GameView) -> list[Html]:
    if game.mode is Mode.PEGS and row.exact is not None and row.misplaced is not None:
        return [language.say("board-pegs", exact=row.exact, misplaced=row.misplaced)]
    return [] if row.best is None else [language.say("board-points", best=row.best)]


def _foot_open(language: Language, view: BoardView, now: datetime) -> Html:
    said = [] if view.game.closes_at is None else [clock(language, view.game.closes_at - now)]
    if view.game.mode is Mode.BLIND:
        said.append(language.say("board-blind"))
    mine = view.mine
    if mine is not None:
        if mine.rank is not None and mine.of > 1:
            said.append(language.say("board-mine", rank=language.say("rank", mine.rank, of=mine.of)))
        left = max(0, view.game.guess_limit - mine.guesses)
        said.append(language.say("board-left", left) if left else language.say("board-none-left"))
    return Html(" ".join(said))


def closed(language: Language, game: GameView) -> Html:
    """What is left to say of a game that is over: its code."""
    said = [language.say("board-new")]
    if game.secret is not None:
        said.insert(0, language.say("board-code", symbols="".join(game.secret)))
    return Html(" ".join(said))
