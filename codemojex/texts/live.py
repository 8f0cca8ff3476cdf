"""The board that a group sees all the time: one message, edited as results come, always within its limits.

Guesses told by it come first: what of the players' rows does not fit beside them is counted instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from codemojex.game.keyboards import CODE_LENGTH, Mode
from codemojex.game.scoring import CRACKED
from codemojex.play.feeds import FeedLine
from codemojex.play.games import GameView
from codemojex.play.views import BoardRow, BoardView
from codemojex.texts import boards
from codemojex.texts.language import Language
from codemojex.texts.markup import Html, fits, looks_blank, short
from codemojex.texts.topic import Topic, blocks, rows

MAX_FEED = 50
"""Lines of guesses that always fit, whatever the players are called."""

_MOST_ROWS = 30


class LiveTexts(Topic):
    """The board of a group's game."""

    def live_board(
        self,
        view: BoardView,
        feed: Sequence[FeedLine],
        now: datetime,
        *,
        votes: int = 0,
        needed: int = 0,
        sees_all: bool = False,
    ) -> Html:
        """One message within the limits: the game, who leads, the newest guesses, and how to guess.

        Args:
            feed: guesses in their order, at most `MAX_FEED`; all of them are told.
            now: aware UTC, for the clock.
            votes, needed: to give up; 0: nobody wants to.
            sees_all: six emojis alone are a guess, since the bot is shown every message of the chat.
        """
        game = view.game
        said = [
            _head(self._language, view, now, votes, needed),
            rows(*(line(self._language, each, game) for each in feed[-MAX_FEED:])),
            _foot(self._language, game, sees_all),
        ]
        ranked = [_row(self._language, row, game) for row in view.rows[:_MOST_ROWS]]
        # Rows are dropped only where the limits leave no room: as a rule the loop ends at once.
        for shown in range(len(ranked), 0, -1):
            ranking = rows(*ranked[:shown], *_more(self._language, len(view.rows) - shown))
            message = blocks(said[0], ranking, *said[1:])
            if fits(message):
                return message
        return blocks(said[0], *_more(self._language, len(view.rows)), *said[1:])


def line(language: Language, guess: FeedLine, game: GameView) -> Html:
    """One guess of the feed, without anything that Telegram makes an entity of."""
    about = {"symbols": guess.symbols, "name": small(language, guess.name, guess.player_id)}
    if guess.late:
        return language.say("live-late", **about)
    if guess.total == CRACKED or guess.exact == CODE_LENGTH:
        return language.say("live-crack", **about)
    if game.mode is Mode.PEGS and guess.exact is not None:
        return language.say("live-pegs", exact=guess.exact, misplaced=guess.misplaced, **about)
    if guess.total is not None:
        return language.say("live-classic", total=guess.total, **about)
    return language.say("live-blind", **about)


def small(language: Language, name: str | None, player_id: int) -> Html:
    """A name for a crowded board: short, and nothing in it becomes a link."""
    if name is None or looks_blank(name):
        return language.name(None, player_id)
    return short(name)


def _head(language: Language, view: BoardView, now: datetime, votes: int, needed: int) -> Html:
    game = view.game
    if not game.open:
        return language.say("live-over")
    about = [language.say("live-each", game.guess_limit), language.say(f"new-{game.mode}")]
    if game.closes_at is not None:
        about.append(boards.clock(language, game.closes_at - now))
    vote = [Html(f"🏳️ {language.say('vote', votes, needed=needed)}")] if votes else []
    return rows(language.say("live-title"), " ".join(about), *vote)


def _row(language: Language, row: BoardRow, game: GameView) -> Html:
    return boards.row(language, row, game, name=small(language, row.name, row.player_id))


def _more(language: Language, left_out: int) -> list[Html]:
    return [language.say("board-more", left_out)] if left_out else []


def _foot(language: Language, game: GameView, sees_all: bool) -> Html:
    # The seal stays when the code is shown beside it: this message is where everybody has seen it before.
    ways = "live-how-sees-all" if sees_all else "live-how"
    how = language.say(ways) if game.open else boards.closed(language, game)
    return rows(how, language.say("live-seal", commitment=game.commitment))
