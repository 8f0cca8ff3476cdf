"""Bot messages as a terminal shows them: Telegram's entities become styles."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, TypeVar

from rich.text import Text

from codemojex.localtg import EventKind, Message
from codemojex.terminal.hearing import Heard

T = TypeVar("T")

_STYLES = {
    "bold": "bold",
    "italic": "italic",
    "underline": "underline",
    "strikethrough": "strike",
    "spoiler": "reverse dim",
    "code": "cyan",
    "pre": "cyan",
    "blockquote": "italic dim",
    "expandable_blockquote": "italic dim",
    "bot_command": "bold cyan",
    "text_mention": "bold",
}


# A bar of points in a message: how full it is decides its colour.
_BAR = re.compile("(▰*)(▱*)")
_LOW, _HIGH = 0.4, 0.75
_GAP = "  "

# A terminal obeys these; nobody may speak to it through a message.
_CONTROL = dict.fromkeys((*range(10), *range(11, 32), *range(127, 160)), " ")


def seen(text: str) -> str:
    """The text with control characters as spaces, one for one."""
    return text.translate(_CONTROL)


def plain(heard: Heard, edited: str) -> str:
    """What was heard as plain text for a pipe; ``edited`` marks what changed in an earlier message."""
    event, message = heard.event, heard.event.message
    if message is None:
        said = [f"({seen(event.detail)})"]
    else:
        lines = _of(seen(_with_links(message)).split("\n"), heard.lines)
        if event.kind is EventKind.EDITED:
            lines = [f"({edited}) {lines[0]}", *lines[1:]] if lines else [f"({edited})"]
        said = [*lines, *filter(None, [file(message)]), *map(_GAP.join, heard.buttons)]
    return "\n".join([*said, *(f"({seen(remark)})" for remark in heard.remarks)])


def drawn(heard: Heard) -> list[Text]:
    """What was heard of a message, line by line."""
    message = heard.event.message
    if message is None:
        return []
    lines = _of(list(styled(message).split("\n", allow_blank=True)), heard.lines)
    rows = [_button_row(row) for row in heard.buttons]
    return [*lines, *(Text(line, "dim") for line in [file(message)] if line), *rows]


def _of(lines: list[T], wanted: frozenset[int] | None) -> list[T]:
    """Those that are wanted; none of a message without words."""
    if wanted is not None:
        return [line for at, line in enumerate(lines) if at in wanted]
    return lines if any(map(str, lines)) else []


def _button_row(labels: Sequence[str]) -> Text:
    row = Text(_GAP.join(labels), "dim")
    row.highlight_regex(r"(?<=\[)\d+", "not dim bold yellow")
    return row


def styled(message: Message) -> Text:
    """The text of a message with its entities as styles, links spelled out."""
    text = Text(seen(message.text))
    places = _Places(message.text)
    for entity in message.entities:
        begin, end = places.span(entity)
        style = _STYLES.get(entity["type"])
        if style:
            text.stylize(style, begin, end)
    _colour_bars(text)
    for entity in reversed(_links(message)):
        begin, end = places.span(entity)
        text.stylize("underline", begin, end)
        text = text[:end] + Text(f" ({entity['url']})", style="dim") + text[end:]
    return text


def _colour_bars(text: Text) -> None:
    for bar in _BAR.finditer(text.plain):
        full, empty = map(len, bar.groups())
        if full + empty > 1:
            share = full / (full + empty)
            colour = "red" if share < _LOW else "yellow" if share < _HIGH else "green"
            text.stylize(colour, bar.start(), bar.end(1))
            text.stylize("dim", bar.start(2), bar.end())


def file(message: Message) -> str:
    """A line about the file a message carries; empty without one."""
    document = message.raw.get("document")
    return "" if document is None else seen(f"[{document['file_name']}, {document['file_size']:,} bytes]")


def _with_links(message: Message) -> str:
    text = message.text
    places = _Places(text)
    for entity in reversed(_links(message)):
        _, end = places.span(entity)
        text = f"{text[:end]} ({entity['url']}){text[end:]}"
    return text


def _links(message: Message) -> Sequence[dict[str, Any]]:
    return [entity for entity in message.entities if entity["type"] == "text_link"]


class _Places:
    """From UTF-16 offsets, which entities count in, to places in a Python string."""

    def __init__(self, text: str) -> None:
        self._ends = list(accumulate(2 if char > "\uffff" else 1 for char in text))

    def span(self, entity: dict[str, Any]) -> tuple[int, int]:
        begin, length = entity["offset"], entity["length"]
        return self._index(begin), self._index(begin + length)

    def _index(self, offset: int) -> int:
        return bisect_left(self._ends, offset) + 1 if offset else 0
