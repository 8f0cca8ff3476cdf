"""The puzzle of the day, and what a player shows friends of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from codemojex.game.keyboards import CODE_LENGTH
from codemojex.play.daily import SharedDaily
from codemojex.texts.language import Language
from codemojex.texts.markup import Html
from codemojex.texts.topic import Topic, rows

_EXACT, _MISPLACED, _MISS = "🟢", "🟡", "⚪"


class DailyTexts(Topic):
    """One code a day for everybody."""

    def daily_already(self) -> Html:
        """The reader has finished today's puzzle before."""
        return rows(self._say("daily-already"), self._say("daily-share"))

    def daily_left(self) -> Html:
        """The reader goes back from the puzzle to their other games."""
        return self._say("daily-left")

    def in_daily(self) -> Html:
        """A game has begun in the reader's room, and their guesses go to the puzzle of the day."""
        return self._say("in-daily")

    def daily_in_group(self, link: str) -> Html:
        """The daily is played in private; ``link`` leads there."""
        return self._say("daily-in-group", link=link)

    def share(self, shared: SharedDaily) -> Html:
        """How a day went, without a symbol of it: a row of pegs for each guess, whose order says nothing."""
        used = len(shared.guesses) if shared.cracked else "✗"
        head = self._say("share", day=_day(self._language, shared.day), result=f"{used}/{shared.limit}")
        pegs = [peg_row(exact, misplaced) for exact, misplaced in shared.guesses]
        going = [self._say("share-streak", shared.streak)] if shared.streak else []
        return rows(head, *pegs, *going)

    def share_not_yet(self) -> Html:
        """Today's puzzle is not finished."""
        return self._say("share-not-yet")


def done(language: Language, data: Mapping[str, Any]) -> Html:
    """A player has finished the day: in how many guesses, their streak, and how to show it."""
    number = data["number"]
    head = language.say("daily-missed") if number is None else language.say("daily-cracked", number)
    return rows(head, streak(language, data["streak"], data["best_streak"]), language.say("daily-share"))


def streak(language: Language, days: int, best: int) -> Html:
    """Days in a row, and the most ever where that is more."""
    now = language.say("daily-streak", days)
    return Html(f"{now} {language.say('daily-best-streak', best)}") if best > days else now


def peg_row(exact: int, misplaced: int) -> str:
    """Six pegs for a friend to see."""
    return _EXACT * exact + _MISPLACED * misplaced + _MISS * (CODE_LENGTH - exact - misplaced)


def _day(language: Language, day: str) -> str:
    return language.day(date.fromisoformat(day))
