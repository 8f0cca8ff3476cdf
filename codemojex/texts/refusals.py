"""Refusals to sentences, in one table keyed by ``reason``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from codemojex.game.keyboards import THEMES
from codemojex.game.refusals import GameRefused, GuessRefused
from codemojex.texts.catalog import Language
from codemojex.texts.markup import Html, typed

# A sentence is made of a language and the refusal's own data; None is silence.
Sentence = Callable[[Language, Any], Html | None]


def _simple(key: str) -> Sentence:
    return lambda language, _: language.say(key)


def _unknown(language: Language, refusal: Any) -> Html:
    if len(refusal.found) == 1:
        return language.say("refused.unknown", shown=typed(refusal.shown), position=refusal.position)
    places = [
        language.say("refused.unknown.place", shown=typed(shown), position=position)
        for position, shown in refusal.found
    ]
    return language.say("refused.unknown.many", places=Html(", ".join(places)))


def _too_fast(language: Language, refusal: Any) -> Html | None:
    if not refusal.tell:
        return None
    pace = refusal.per_second
    if pace < 1:
        return language.count("refused.too_fast.slower", round(1 / pace))
    return language.count("refused.too_fast", round(pace))


def _bad_option(language: Language, refusal: Any) -> Html:
    return language.say("refused.bad_option", option=typed(refusal.option), themes=", ".join(THEMES))


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
        "game_over": _simple("refused.game_over"),
        "out_of_guesses": lambda language, refusal: language.count("refused.out_of_guesses", refusal.limit),
        "too_fast": _too_fast,
        "not_a_player": _simple("refused.not_a_player"),
        "game_running": _simple("refused.game_running"),
        "nothing_to_give_up": _simple("refused.nothing_to_give_up"),
        "not_yours_to_give_up": _simple("refused.not_yours_to_give_up"),
        "bad_option": _bad_option,
    }
)


def refused(language: Language, refusal: GuessRefused | GameRefused) -> Html | None:
    """What to answer, or None where nothing is to be said (a flood is told once)."""
    return REFUSALS.get(refusal.reason, _simple("refused.other"))(language, refusal)
