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
_SHORT_CLUSTERS = 12
_SHORT_MARKUP = 32

_FIRST_STRONG_ISOLATE = "\u2068"
_POP_ISOLATE = "\u2069"
_ISOLATES = frozenset("\u2066\u2067\u2068")
_CONTROLS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
_TURNS = _CONTROLS | {"R", "AL", "AN"}

# Letters by category, blank by looks: Hangul fillers and the empty Braille cell.
_LOOKS_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")

# Tags, and what Telegram's clients turn into a link by themselves: /commands, @names, #tags, $TAGS, hosts.
_LINKS = regex.compile(r"[/@#$.:]")
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


def typed(text: str) -> Html:
    """Something a player typed, quoted back: literal, cut, on one line, its direction contained."""
    return as_html(_isolated(cut(" ".join(text.split()))))


def short(name: str) -> Html:
    """A name for where many stand: at most 12 characters and 32 of markup, and no part of it becomes a link.

    An invisible word joiner stands behind each sign that would make one.
    """
    kept, length = [], 0
    line = " ".join(name[: 4 * _NAME_CODE_POINTS].split())
    straight = "".join(c for c in line if unicodedata.bidirectional(c) not in _CONTROLS)
    clusters = _with_first_cut(_clusters(straight), _SHORT_CLUSTERS)
    for cluster in clusters[:_SHORT_CLUSTERS]:
        inert = cluster if cluster.isalnum() else as_html(_LINKS.sub("\\g<0>\u2060", cluster))
        length += len(inert)
        if length > _SHORT_MARKUP:
            break
        kept.append(inert)
    cut_off = "" if len(kept) == len(clusters) else "…"
    return Html(_contained("".join(kept).rstrip() + cut_off))


def looks_blank(name: str) -> bool:
    """True when nothing of ``name`` would leave ink on a screen."""
    return all(c in _LOOKS_BLANK or unicodedata.category(c)[0] in "ZCM" for c in name)


def cut(name: str) -> str:
    """``name`` within 32 characters as a reader counts them (and 64 code points), with … where it was cut."""
    clusters = _with_first_cut(_clusters(name), _NAME_CODE_POINTS)
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


def _clusters(name: str) -> list[str]:
    """What a reader counts as characters, of no more of ``name`` than could ever be shown."""
    start = name[: 4 * _NAME_CODE_POINTS]
    return list(start) if start.isascii() else regex.findall(r"\X", start)


def _with_first_cut(clusters: list[str], code_points: int) -> list[str]:
    """``clusters`` with a tower of marks at the start cut, which would else leave nothing of a name."""
    first, *others = clusters or [""]
    return [first[:code_points], *others]


def _turns(name: str) -> bool:
    """Whether something in ``name`` changes the direction of what follows."""
    return not name.isascii() and any(unicodedata.bidirectional(c) in _TURNS for c in name)


def _contained(name: str) -> str:
    """``name`` without bidi controls, isolated when something in it runs from right to left."""
    if not _turns(name):
        return name
    return f"{_FIRST_STRONG_ISOLATE}{name}{_POP_ISOLATE}"


def _isolated(name: str) -> str:
    """``name`` unable to turn the text around it: isolated, with its own isolates balanced."""
    if not _turns(name):
        return name
    kept, depth = [], 0
    for c in name:
        if c == _POP_ISOLATE and depth == 0:
            continue
        depth += (c in _ISOLATES) - (c == _POP_ISOLATE)
        kept.append(c)
    return _FIRST_STRONG_ISOLATE + "".join(kept) + _POP_ISOLATE * (depth + 1)
