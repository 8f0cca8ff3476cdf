"""Refusals to sentences, in one table keyed by ``reason``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from codemojex.game.keyboards import THEMES, Keyboard, Level, Mode
from codemojex.game.refusals import GameRefused, GuessRefused, Repeated, TooLong, Unknown
from codemojex.play.games import LEAST_MINUTES, MOST_MINUTES
from codemojex.texts.catalog import Language
from codemojex.texts.markup import Html, typed

# A sentence is made of a language and the refusal's own data; None is silence.
Sentence = Callable[[Language, Any], Html | None]


def _simple(key: str) -> Sentence:
    return lambda language, _: language.say(key)


def _unknown(language: Language, refusal: Any) -> Html:
    if len(refusal.found) == 1:
        return language.say("refused.unknown", shown=typed(refusal.shown), position=refusal.position)
    return language.say("refused.unknown.many", places=_places(language, refusal))


def _places(language: Language, refusal: Any) -> Html:
    places = [
        language.say("refused.unknown.place", shown=typed(shown), position=position)
        for position, shown in refusal.found
    ]
    return Html(", ".join(places))


def _too_fast(language: Language, refusal: Any) -> Html | None:
    if not refusal.tell:
        return None
    pace = refusal.per_second
    if pace < 1:
        return language.count("refused.too_fast.slower", round(1 / pace))
    return language.count("refused.too_fast", round(pace))


def _bad_option(language: Language, refusal: Any) -> Html:
    return language.say(
        "refused.bad_option",
        option=typed(refusal.option),
        themes=", ".join(THEMES),
        least=LEAST_MINUTES,
        most=MOST_MINUTES,
    )


def _one_of_a_kind(language: Language, refusal: Any) -> Html:
    two = {"first": typed(refusal.first), "option": typed(refusal.option)}
    if refusal.kind == "minutes":
        return language.say("refused.one_clock", **two)
    if refusal.kind == "theme":
        return language.say("refused.one_theme", **two)
    *others, last = Level if refusal.kind == "level" else Mode
    words = language.say("words.last", others=", ".join(others), last=last)
    return language.say("refused.one_of_a_kind", words=words, **two)


def _bad_minutes(language: Language, refusal: Any) -> Html:
    return language.say(
        "refused.bad_minutes", option=typed(refusal.option), least=refusal.least, most=refusal.most
    )


REFUSALS: Mapping[str, Sentence] = MappingProxyType(
    {
        "not_six": lambda language, refusal: language.say("refused.not_six", count=refusal.count),
        "empty": _simple("refused.empty"),
        "too_long": _simple("refused.too_long"),
        "unknown": _unknown,
        "repeated": lambda language, refusal: language.say(
            "refused.repeated", symbol=refusal.symbol, first=refusal.first, position=refusal.position
        ),
        "no_game": _simple("refused.no_game"),
        "forwarded": _simple("refused.forwarded"),
        "game_over": _simple("refused.game_over"),
        "out_of_guesses": lambda language, refusal: language.count("refused.out_of_guesses", refusal.limit),
        "too_fast": _too_fast,
        "not_a_player": _simple("refused.not_a_player"),
        "game_running": _simple("refused.game_running"),
        "nothing_to_give_up": _simple("refused.nothing_to_give_up"),
        "not_yours_to_give_up": _simple("refused.not_yours_to_give_up"),
        "bad_option": _bad_option,
        "one_of_a_kind": _one_of_a_kind,
        "bad_minutes": _bad_minutes,
    }
)


def refused(language: Language, refusal: GuessRefused | GameRefused) -> Html | None:
    """What to answer, or None where nothing is to be said (a flood is told once)."""
    return REFUSALS.get(refusal.reason, _simple("refused.other"))(language, refusal)


def bad_secret(language: Language, refusal: GuessRefused, keyboard: Keyboard) -> Html:
    """Why six emojis can be no secret on ``keyboard``; they were read like a guess."""
    match refusal:
        case TooLong():
            return language.say("secret.too_long")
        case Unknown():
            return language.count(
                "secret.unknown",
                len(refusal.found),
                places=_places(language, refusal),
                level=keyboard.level,
                theme=keyboard.theme,
                symbols=" ".join(keyboard.chars),
            )
        case Repeated():
            return language.say(
                "secret.repeated", symbol=refusal.symbol, first=refusal.first, position=refusal.position
            )
    return language.say("secret.not_six", count=getattr(refusal, "count", 0))
