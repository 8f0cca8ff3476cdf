"""Refusals to sentences, in one table keyed by ``reason``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any

from codemojex.game.keyboards import THEMES, Keyboard, Level, Mode
from codemojex.game.refusals import GameRefused, GuessRefused, Repeated, TooLong, Unknown
from codemojex.play.games import LEAST_MINUTES, MOST_MINUTES
from codemojex.texts.language import Language
from codemojex.texts.markup import Html, typed

# A sentence is made of a language and the refusal's own data; None is silence.
Sentence = Callable[[Language, Any], Html | None]


def _simple(key: str) -> Sentence:
    return lambda language, _: language.say(key)


def _unknown(language: Language, refusal: Any) -> Html:
    if len(refusal.found) == 1:
        return language.say("refused-unknown", shown=typed(refusal.shown), position=refusal.position)
    return language.say("refused-unknown-many", places=_places(language, refusal))


def _places(language: Language, refusal: Any) -> Html:
    places = [
        language.say("refused-unknown-place", shown=typed(shown), position=position)
        for position, shown in refusal.found
    ]
    return Html(", ".join(places))


def _too_fast(language: Language, refusal: Any) -> Html | None:
    if not refusal.tell:
        return None
    pace = refusal.per_second
    if pace < 1:
        return language.say("refused-too-slow", round(1 / pace))
    return language.say("refused-too-fast", round(pace))


def _too_much(language: Language, refusal: Any) -> Html | None:
    return language.say("refused-too-much") if refusal.tell else None


def _bad_option(language: Language, refusal: Any) -> Html:
    return language.say(
        "refused-bad-option",
        option=typed(refusal.option),
        themes=", ".join(THEMES),
        least=LEAST_MINUTES,
        most=MOST_MINUTES,
    )


def _one_of_a_kind(language: Language, refusal: Any) -> Html:
    two = {"first": typed(refusal.first), "option": typed(refusal.option)}
    if refusal.kind == "minutes":
        return language.say("refused-one-clock", **two)
    if refusal.kind == "theme":
        return language.say("refused-one-theme", **two)
    *others, last = Level if refusal.kind == "level" else Mode
    words = language.say("refused-words", others=", ".join(others), last=last)
    return language.say("refused-one-of-a-kind", words=words, **two)


def _bad_minutes(language: Language, refusal: Any) -> Html:
    return language.say(
        "refused-bad-minutes", option=typed(refusal.option), least=refusal.least, most=refusal.most
    )


def _already_tried(language: Language, refusal: Any) -> Html:
    if refusal.total is not None:
        return language.say("refused-already-tried-points", total=refusal.total)
    if refusal.exact is not None:
        return language.say("refused-already-tried-pegs", exact=refusal.exact, misplaced=refusal.misplaced)
    return language.say("refused-already-tried", number=refusal.number)


REFUSALS: Mapping[str, Sentence] = MappingProxyType(
    {
        "not_six": lambda language, refusal: language.say("refused-not-six", count=refusal.count),
        "empty": _simple("refused-empty"),
        "too_long": _simple("refused-too-long"),
        "unknown": _unknown,
        "repeated": lambda language, refusal: language.say(
            "refused-repeated", symbol=refusal.symbol, first=refusal.first, position=refusal.position
        ),
        "no_game": _simple("refused-no-game"),
        "forwarded": _simple("refused-forwarded"),
        "game_over": _simple("refused-game-over"),
        "out_of_guesses": lambda language, refusal: language.say("refused-out-of-guesses", refusal.limit),
        "already_tried": _already_tried,
        "too_fast": _too_fast,
        "too_much": _too_much,
        "not_a_player": _simple("refused-not-a-player"),
        "game_running": _simple("refused-game-running"),
        "nothing_to_give_up": _simple("refused-nothing-to-give-up"),
        "not_yours_to_give_up": _simple("refused-not-yours-to-give-up"),
        "bad_option": _bad_option,
        "one_of_a_kind": _one_of_a_kind,
        "bad_minutes": _bad_minutes,
        "not_filling": lambda language, refusal: language.say(
            "refused-not-filling", refusal.free, count=refusal.count
        ),
        "already_solved": _simple("refused-already-solved"),
        "daily_not_given_up": _simple("refused-daily-not-given-up"),
        "vote_counted": lambda language, refusal: language.say(
            "refused-vote-counted", refusal.votes, needed=refusal.needed
        ),
        "no_hints_left": lambda language, refusal: language.say("refused-no-hints-left", refusal.limit),
        "bad_position": lambda language, refusal: language.say(
            "refused-bad-position", position=typed(refusal.position)
        ),
        "not_one_symbol": lambda language, refusal: language.say(
            "refused-not-one-symbol", count=refusal.count
        ),
        "not_on_keyboard": lambda language, refusal: language.say(
            "refused-not-on-keyboard", shown=typed(refusal.shown)
        ),
        "pin_taken": lambda language, refusal: language.say(
            "refused-pin-taken", symbol=refusal.symbol, position=refusal.position
        ),
        "admins_only": _simple("refused-admins-only"),
        "not_a_setting": _simple("refused-not-a-setting"),
        "stale_draft": _simple("refused-stale-draft"),
        "no_such_room": lambda language, refusal: (
            language.say("refused-no-such-room", code=typed(refusal.code))
            if refusal.code
            else language.say("refused-no-code")
        ),
        "day_over": lambda language, refusal: language.say(
            "refused-day-over", day=language.day(date.fromisoformat(refusal.day))
        ),
    }
)


def refused(language: Language, refusal: GuessRefused | GameRefused) -> Html | None:
    """What to answer, or None where nothing is to be said (a flood is told once)."""
    return REFUSALS.get(refusal.reason, _simple("refused-other"))(language, refusal)


def bad_secret(language: Language, refusal: GuessRefused, keyboard: Keyboard) -> Html:
    """Why six emojis can be no secret on ``keyboard``; they were read like a guess."""
    match refusal:
        case TooLong():
            return language.say("secret-too-long")
        case Unknown():
            return language.say(
                "secret-unknown",
                len(refusal.found),
                places=_places(language, refusal),
                level=keyboard.level,
                theme=keyboard.theme,
                symbols=" ".join(keyboard.chars),
            )
        case Repeated():
            return language.say(
                "secret-repeated", symbol=refusal.symbol, first=refusal.first, position=refusal.position
            )
    return language.say("secret-not-six", count=getattr(refusal, "count", 0))
