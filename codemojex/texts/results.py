"""What a player reads after a guess and at the end of a game, from the data of a notice.

The mode decides what is said, here as in the database: a blind result says nothing of the points even where
the data held them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from codemojex.game.keyboards import CODE_LENGTH, Mode
from codemojex.game.scoring import CRACKED
from codemojex.texts.catalog import Language
from codemojex.texts.markup import MAX_ENTITIES, Html, fits, named

_CELLS = 10
_FEW = 5  # guesses left that are worth a word in company
_DOT = " · "


def result(language: Language, data: Mapping[str, Any]) -> Html:
    """One scored guess, on two lines."""
    mode = Mode(data["mode"])
    if mode is Mode.CLASSIC:
        return _classic(language, data)
    symbols = "".join(data["symbols"])
    if mode is Mode.PEGS:
        said = language.say("result.pegs", symbols=symbols, exact=data["exact"], misplaced=data["misplaced"])
        return _two_lines([said], pegs(data["exact"], data["misplaced"]), _asides(language, data))
    return Html(_DOT.join([language.say("result.blind", symbols=symbols), *_asides(language, data)]))


def late(language: Language, data: Mapping[str, Any]) -> Html:
    """A guess that was admitted after the crack."""
    return language.say("result.late", symbols="".join(data["symbols"]))


def bar(total: int) -> str:
    """Ten cells; full only for a crack."""
    full = total * _CELLS // CRACKED
    return "▰" * full + "▱" * (_CELLS - full)


def pegs(exact: int, misplaced: int) -> str:
    """Six pegs: in place, elsewhere, not in the code. Their order says nothing of the positions."""
    return "●" * exact + "○" * misplaced + "·" * (CODE_LENGTH - exact - misplaced)


def ended(language: Language, data: Mapping[str, Any]) -> Html:
    """The end of a game: who or what ended it, the code, and how to check it."""
    head = [_headline(language, data)]
    if data["best"] and not data["you_won"]:
        head.append(language.say("ended.best", best=data["best"]))
    code = language.say("ended.code", symbols="".join(data["secret"]), nonce=data["nonce"])
    said = [Html(" ".join(head)), code, language.say("ended.again")]
    shown = data.get("revealed")
    return _with_guesses(language, said, shown) if shown else Html("\n\n".join(said))


def _with_guesses(language: Language, said: Sequence[Html], shown: Sequence[Sequence[Any]]) -> Html:
    """The end of a blind game with the reader's own guesses: all of them, or the last ones that fit."""
    head, *below = said
    rows = [
        language.say("ended.revealed.row", number=number, symbols=symbols, points=points)
        for number, (symbols, points) in enumerate(shown, 1)
    ]
    # Each row holds a "/600", which counts as an entity: no more rows than entities can ever fit.
    for left_out in range(max(0, len(rows) - MAX_ENTITIES), len(rows)):
        cut = [language.count("ended.revealed.cut", left_out)] if left_out else []
        block = "\n".join([language.say("ended.revealed"), *cut, *rows[left_out:]])
        message = Html("\n\n".join([head, block, *below]))
        if fits(message):
            return message
    return Html("\n\n".join(said))


def _headline(language: Language, data: Mapping[str, Any]) -> Html:
    if data["you_won"]:
        return language.count("ended.you_won", data["guesses"])
    if data["reason"] == "cracked":
        winner = named(data["winner"], data["winner_id"], language.say("player.nameless", digits="{digits}"))
        return language.say("ended.other_won", winner=winner)
    key = f"ended.{data['reason']}"
    return language.say(key if key in language.sentences else "ended.over")


def _classic(language: Language, data: Mapping[str, Any]) -> Html:
    total = data["total"]
    said = [
        language.say("result.classic", symbols="".join(data["symbols"]), total=total, percent=data["percent"])
    ]
    if total < CRACKED and data["number"] > 1 and data["best"]:
        best = data["best"]
        new = data.get("new_best")  # a notice of an earlier version has no such field
        said.append(language.say("result.best_now") if new else language.say("result.best", best=best))
    if data["rank"] and data["of"] > 1:
        said.append(language.rank("rank", data["rank"], of=data["of"]))
    below = [language.say("result.crack")] if total == CRACKED else _asides(language, data)
    return _two_lines(said, bar(total), below)


def _asides(language: Language, data: Mapping[str, Any]) -> list[Html]:
    """What is worth a word beside the result itself."""
    repeated = [language.say("result.repeated")] if data.get("repeated") else []
    return [*repeated, *_left(language, data)]


def _left(language: Language, data: Mapping[str, Any]) -> list[Html]:
    """How many guesses are left, to who plays alone; in company only when they run short."""
    left = data["limit"] - data["number"]
    if left <= 0:
        return [language.say("result.none_left")]
    alone = (data["of"] or 0) <= 1
    return [language.count("result.left", left)] if alone or left <= _FEW else []


def _two_lines(said: list[Html], picture: str, below: list[Html]) -> Html:
    return Html(f"{_DOT.join(said)}\n{picture}  {_DOT.join(below)}".rstrip())
