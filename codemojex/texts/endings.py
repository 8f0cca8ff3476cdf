"""The end of a game, from the data of a notice: who or what ended it, the code, and how to check it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from codemojex.game.keyboards import Mode
from codemojex.play.games import Cause
from codemojex.play.rooms import RoomKind
from codemojex.texts.language import Language
from codemojex.texts.markup import MAX_ENTITIES, Html, fits
from codemojex.texts.topic import blocks, rows

# Causes that are told otherwise to several players.
_TOGETHER = frozenset({Cause.GAVE_UP, Cause.OUT_OF_GUESSES})


def ended(language: Language, data: Mapping[str, Any]) -> Html:
    """The end of a game, as the reader is told it.

    Args:
        data: ``room`` is the kind of room the game was played in, and a daily has its ``day``; a notice of an
            earlier version has neither, and was for somebody who played alone.
    """
    head = Html(" ".join([_headline(language, data), *_mine(language, data)]))
    code = language.say("ended-code", symbols="".join(data["secret"]), nonce=data["nonce"])
    again = language.say("ended-again-daily" if _kind(data) is RoomKind.DAILY else "ended-again")
    shown = data.get("revealed")
    return _with_guesses(language, [head, code, again], shown) if shown else blocks(head, code, again)


def _kind(data: Mapping[str, Any]) -> RoomKind:
    return RoomKind(data.get("room", RoomKind.PRIVATE))


def _mine(language: Language, data: Mapping[str, Any]) -> list[Html]:
    """How the reader did, where the headline does not say it."""
    if not data["best"] or data["you_won"]:
        return []
    said = [_best(language, data)]
    if data.get("rank") and data["of"] > 1:
        said.append(language.say("ended-rank", rank=language.say("rank", data["rank"], of=data["of"])))
    return said


def _best(language: Language, data: Mapping[str, Any]) -> Html:
    """The best guess in the words of its mode; a notice of an earlier version knows points alone."""
    if data["mode"] == Mode.PEGS and data.get("exact") is not None:
        return language.say("ended-best-pegs", exact=data["exact"], misplaced=data["misplaced"])
    return language.say("ended-best", best=data["best"])


def _headline(language: Language, data: Mapping[str, Any]) -> Html:
    kind, reason = _kind(data), data["reason"]
    if kind is RoomKind.DAILY:
        return _daily(language, data)
    if data["you_won"]:
        return language.say("ended-you-won", data["guesses"])
    if reason == "cracked":
        return language.say("ended-other-won", winner=_winner(language, data))
    key = f"ended-{reason.replace('_', '-')}"
    if kind is not RoomKind.PRIVATE and reason in _TOGETHER:
        key += "-together"
    return language.say(key if language.knows(key) else "ended-over")


def _daily(language: Language, data: Mapping[str, Any]) -> Html:
    over = language.say("ended-daily", day=language.day(date.fromisoformat(data["day"])))
    if data["you_won"]:
        return Html(f"{over} {language.say('ended-daily-you')}")
    if data["winner_id"] is None:
        return over
    return Html(f"{over} {language.say('ended-daily-first', winner=_winner(language, data))}")


def _winner(language: Language, data: Mapping[str, Any]) -> Html:
    return language.name(data["winner"], data["winner_id"])


def _with_guesses(language: Language, said: Sequence[Html], shown: Sequence[Sequence[Any]]) -> Html:
    """The end of a blind game with the reader's own guesses: all of them, or the last ones that fit."""
    head, *below = said
    guesses = [
        language.say("ended-revealed-row", number=number, symbols=symbols, points=points)
        for number, (symbols, points) in enumerate(shown, 1)
    ]
    # Each row holds a "/600", which counts as an entity: no more rows than entities can ever fit.
    for left_out in range(max(0, len(guesses) - MAX_ENTITIES), len(guesses)):
        cut = [language.say("ended-revealed-cut", left_out)] if left_out else []
        block = rows(language.say("ended-revealed"), *cut, *guesses[left_out:])
        message = blocks(head, block, *below)
        if fits(message):
            return message
    return blocks(*said)
