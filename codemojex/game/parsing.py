"""A message's text to six symbols.

What people's keyboards really send: white space and invisible characters anywhere, variation selectors
behind an emoji or not, a joiner left over from a deleted half. All of that is dropped. What makes another
emoji of it (a skin tone, a joined second one) is not: that symbol is unknown, by its position.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import regex

from codemojex.game.keyboards import CODE_LENGTH, Keyboard
from codemojex.game.refusals import Empty, NotSix, Repeated, TooLong, Unknown

MAX_CODE_POINTS: Final = 256

_SHOWN_CODE_POINTS: Final = 8
_JOINER: Final = "\u200d"
_DROPPED = regex.compile(
    r"[\s\x1c-\x1f\u200b\u200c\u2060\ufeff\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]+"
)
_CLUSTER = regex.compile(r"\X")
_SELECTORS = str.maketrans("", "", "\ufe0e\ufe0f")
_EMOJI = regex.compile(r"\p{Emoji_Presentation}|\p{Extended_Pictographic}|\p{Regional_Indicator}")


def clusters(text: str) -> list[str]:
    """The symbols of ``text`` as a reader counts them, without what cannot be seen. Linear in its length."""
    found = (
        cluster.translate(_SELECTORS).removesuffix(_JOINER)
        for cluster in _CLUSTER.findall(_DROPPED.sub("", text))
    )
    return [cluster for cluster in found if cluster]


def parse_guess(text: str, keyboard: Keyboard) -> tuple[str, ...]:
    """The six symbols ``text`` names, each one of ``keyboard``'s.

    Raises:
        TooLong: over 256 code points; nothing else was looked at.
        Empty, NotSix, Unknown, Repeated: as they say.
    """
    if len(text) > MAX_CODE_POINTS:
        raise TooLong(len(text), MAX_CODE_POINTS)
    return check_guess(clusters(text), keyboard)


def check_guess(symbols: Sequence[str], keyboard: Keyboard) -> tuple[str, ...]:
    """``symbols`` as they are, when they are six distinct ones of ``keyboard``.

    Raises:
        Empty, NotSix, Unknown, Repeated: the first that holds, in this order.
    """
    if not symbols:
        raise Empty
    if len(symbols) != CODE_LENGTH:
        raise NotSix(len(symbols))
    known = set(keyboard.chars)
    unknown = [(i, _shown(symbol)) for i, symbol in enumerate(symbols, 1) if symbol not in known]
    if unknown:
        raise Unknown(tuple(unknown))
    first: dict[str, int] = {}
    for position, symbol in enumerate(symbols, 1):
        if symbol in first:
            raise Repeated(position, first[symbol], symbol)
        first[symbol] = position
    return tuple(symbols)


def looks_like_guess(text: str) -> bool:
    """True when ``text`` is nothing but emojis, however many: somebody meant a guess, good or bad."""
    found = clusters(text[:MAX_CODE_POINTS])
    return bool(found) and all(_EMOJI.match(cluster) for cluster in found)


def _shown(symbol: str) -> str:
    """What an unknown symbol looks like in an answer; a tower of marks is cut."""
    return symbol if len(symbol) <= _SHOWN_CODE_POINTS else symbol[:_SHOWN_CODE_POINTS] + "…"
