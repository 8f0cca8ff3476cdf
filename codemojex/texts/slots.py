"""A guess on its way: the six places, what is pinned there and what has been chosen so far."""

from __future__ import annotations

from collections.abc import Sequence

from codemojex.game.keyboards import CODE_LENGTH
from codemojex.texts.language import Language
from codemojex.texts.markup import Html

_EMPTY = "⬜"  # as wide as an emoji, and seen on light and on dark
NOTHING_CHOSEN = _EMPTY * CODE_LENGTH
Pins = Sequence[str | None]


def slots(draft: Sequence[str], pins: Pins = ()) -> str:
    """The six places: pins where they are pinned, the draft in the places between, or in all six."""
    pinned = [*pins, *[None] * CODE_LENGTH][:CODE_LENGTH]
    free = pinned.count(None)
    if len(draft) > free:  # six symbols were chosen: pins take the places of some
        chosen = [*draft, *[None] * CODE_LENGTH][:CODE_LENGTH]
        return "".join(pin or symbol or _EMPTY for pin, symbol in zip(pinned, chosen, strict=True))
    rest = iter(draft)
    return "".join(pin or next(rest, _EMPTY) for pin in pinned)


def free(pins: Pins) -> int:
    """How many places are not pinned."""
    return CODE_LENGTH - sum(pin is not None for pin in pins)


def composer_line(language: Language, draft: Sequence[str], pins: Pins) -> Html:
    """The guess so far, and what is pinned."""
    said = language.say("composer", slots=slots(draft, pins))
    return Html(f"{said}\n{places(language, pins)}") if any(pins) else said


def places(language: Language, pins: Pins) -> Html:
    """What is pinned where, in words."""
    pinned = [
        language.say("composer-pin", symbol=symbol, position=position)
        for position, symbol in enumerate(pins, 1)
        if symbol is not None
    ]
    return language.say("composer-pins", places=Html(", ".join(pinned)))
