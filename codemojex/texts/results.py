"""What a player reads after a guess, from the data of a notice.

The mode decides what is said, here as in the database: a blind result says nothing of the points even where
the data held them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codemojex.game.keyboards import CODE_LENGTH, Mode
from codemojex.game.scoring import CRACKED
from codemojex.texts.language import Language
from codemojex.texts.markup import Html

_CELLS = 10
_FEW = 5  # guesses left that are worth a word in company
_DOT = " · "


def result(language: Language, data: Mapping[str, Any]) -> Html:
    """One scored guess: what it earned, the same as a picture, and what is left to do."""
    return _SAID[Mode(data["mode"])](language, data)


def late(language: Language, data: Mapping[str, Any]) -> Html:
    """A guess that was admitted after the crack."""
    return language.say("result-late", symbols="".join(data["symbols"]))


def bar(total: int) -> str:
    """Ten cells; full only for a crack."""
    full = total * _CELLS // CRACKED
    return "▰" * full + "▱" * (_CELLS - full)


def pegs(exact: int, misplaced: int) -> str:
    """Six pegs: in place, elsewhere, not in the code. Their order says nothing of the positions."""
    return "●" * exact + "○" * misplaced + "·" * (CODE_LENGTH - exact - misplaced)


def _classic(language: Language, data: Mapping[str, Any]) -> Html:
    total = data["total"]
    said = [
        language.say("result-classic", symbols="".join(data["symbols"]), total=total, percent=data["percent"])
    ]
    if total < CRACKED and data["number"] > 1 and data["best"]:
        best = data["best"]
        new = data.get("new_best")  # a notice of an earlier version has no such field
        said.append(language.say("result-best-now") if new else language.say("result-best", best=best))
    if data["rank"] and data["of"] > 1:
        said.append(language.say("rank", data["rank"], of=data["of"]))
    below = [language.say("result-crack")] if total == CRACKED else _left(language, data)
    return _told(said, bar(total), below)


def _pegs(language: Language, data: Mapping[str, Any]) -> Html:
    exact, misplaced = data["exact"], data["misplaced"]
    said = language.say("result-pegs", symbols="".join(data["symbols"]), exact=exact, misplaced=misplaced)
    below = [language.say("result-crack")] if exact == CODE_LENGTH else _left(language, data)
    return _told([said], pegs(exact, misplaced), below)


def _blind(language: Language, data: Mapping[str, Any]) -> Html:
    said = language.say("result-blind", symbols="".join(data["symbols"]))
    return Html(_DOT.join([said, *_left(language, data)]))


_SAID = {Mode.CLASSIC: _classic, Mode.PEGS: _pegs, Mode.BLIND: _blind}


def _left(language: Language, data: Mapping[str, Any]) -> list[Html]:
    """How many guesses are left, to who plays alone; in company only when they run short."""
    left = data["limit"] - data["number"]
    if left <= 0:
        return [language.say("result-none-left")]
    alone = (data["of"] or 0) <= 1
    return [language.say("result-left", left)] if alone or left <= _FEW else []


def _told(said: list[Html], picture: str, below: list[Html]) -> Html:
    # The picture stands alone: beside the guesses that are left it would be taken for them.
    return Html("\n".join([_DOT.join(said), picture, *([_DOT.join(below)] if below else [])]))
