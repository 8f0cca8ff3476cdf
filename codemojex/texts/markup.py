"""Telegram HTML that cannot break: values escaped by default, names tamed, messages cut between rows.

`Html` marks text that is already markup. Whatever else is put into a sentence is escaped on its way in, so
a player called `<3</a>` reads exactly that.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable

import regex

# Below Telegram's own 4,096 code points and about 100 entities, counted on the markup, which is never
# shorter than the text that Telegram counts.
MAX_CODE_POINTS = 3_500
MAX_ENTITIES = 100

_NAME_CLUSTERS = 32
_NAME_CODE_POINTS = 64

_FIRST_STRONG_ISOLATE = "\u2068"
_POP_ISOLATE = "\u2069"
_ISOLATES = frozenset("\u2066\u2067\u2068")
_TURNS = frozenset({"R", "AL", "AN", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})

# Letters by category, blank by looks: Hangul fillers and the empty Braille cell.
_LOOKS_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")

# Tags, and what Telegram's clients turn into a link by themselves: /commands, @names, #tags, $TAGS, hosts.
_ENTITY = regex.compile(r"<[a-z]|[/@#$]\w|\w\.\w\w|://")


class Html(str):
    """Text that is Telegram HTML already and must not be escaped again."""

    __slots__ = ()


def as_html(value: object) -> Html:
    """``value`` as markup: `Html` as it is, anything else as its escaped text."""
    return value if isinstance(value, Html) else Html(html.escape(str(value), quote=False))


def plain(markup: str) -> str:
    """The text of ``markup`` without its tags, for a chat whose markup Telegram would not parse."""
    return html.unescape(regex.sub(r"</?[a-z][^<>]*>", "", markup))


def named(name: str | None, player_id: int, fallback: str) -> Html:
    """A player's name as it may stand in any sentence: literal, cut, on one line, its direction contained.

    Args:
        name: what the player is called, as Telegram tells it; None or a blank-looking one is replaced.
        player_id: Telegram's id; its last four digits tell nameless players apart.
        fallback: the sentence for those, with ``{digits}``.
    """
    if name is None or looks_blank(name):
        return as_html(fallback.format(digits=str(abs(player_id))[-4:]))
    return typed(name)


def typed(text: str) -> Html:
    """Something a player typed, quoted back: literal, cut, on one line, its direction contained."""
    return as_html(_isolated(cut(" ".join(text.split()))))


def looks_blank(name: str) -> bool:
    """True when nothing of ``name`` would leave ink on a screen."""
    return all(c in _LOOKS_BLANK or unicodedata.category(c)[0] in "ZCM" for c in name)


def cut(name: str) -> str:
    """``name`` within 32 characters as a reader counts them (and 64 code points), with … where it was cut."""
    clusters: list[str] = regex.findall(r"\X", name[: 4 * _NAME_CODE_POINTS])
    kept, length = [], 0
    for cluster in clusters[:_NAME_CLUSTERS]:
        length += len(cluster)
        if length > _NAME_CODE_POINTS:
            break
        kept.append(cluster)
    short = "".join(kept)
    return short if len(short) == len(name) else short.rstrip() + "…"


def entities(markup: str) -> int:
    """How many entities Telegram may find in ``markup``, counted on the safe side."""
    return len(_ENTITY.findall(markup))


def fits(markup: str) -> bool:
    """True when ``markup`` may be one message."""
    return len(markup) <= MAX_CODE_POINTS and entities(markup) <= MAX_ENTITIES


def messages(rows: Iterable[str], gap: str = "\n") -> list[Html]:
    """``rows`` joined by ``gap`` into as few messages as the limits allow, cut only between rows."""
    made: list[str] = []
    for row in rows:
        longer = f"{made[-1]}{gap}{row}" if made else row
        if made and fits(longer):
            made[-1] = longer
        else:
            made.append(row)
    return [Html(message) for message in made]


def _isolated(name: str) -> str:
    """``name`` unable to turn the text around it: isolated, with its own isolates balanced."""
    if not any(unicodedata.bidirectional(c) in _TURNS for c in name):
        return name
    kept, depth = [], 0
    for c in name:
        if c == _POP_ISOLATE and depth == 0:
            continue
        depth += (c in _ISOLATES) - (c == _POP_ISOLATE)
        kept.append(c)
    return _FIRST_STRONG_ISOLATE + "".join(kept) + _POP_ISOLATE * (depth + 1)
