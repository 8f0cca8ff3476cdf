"""Telegram's HTML, read as strictly as Telegram reads it, with its own words for bad markup."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from codemojex.localtg.entities import link, utf16
from codemojex.localtg.errors import Refusal

Raw = dict[str, Any]
Mention = Callable[[int], Raw | None]

_PLAIN = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "span": "spoiler",
    "tg-spoiler": "spoiler",
}
_TAGS = frozenset(_PLAIN) | {"a", "pre", "code", "blockquote", "tg-emoji"}
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
_REFERENCE = re.compile(r"&(?:#x([0-9a-fA-F]+)|#([0-9]+)|([A-Za-z]+));?")
_OPEN = re.compile(r"<([^\s>]*)")
_NAME = re.compile(r"[^\s=>/\"']*")
_TOKEN = re.compile(r"[A-Za-z0-9.-]*")
_CLOSE = re.compile(r"</([^\s>]*)\s*")
_SPACE = re.compile(r"\s*")
_USER = re.compile(r"tg://user\?id=(\d+)")


@dataclass(slots=True)
class _Open:
    tag: str
    argument: str
    offset: int
    begin: int
    """Where its content begins in the text so far, in pieces."""
    code_end: int = -1
    """For pre: where a code tag that began with it ended, UTF-16 units."""


def parse(html: str, mention: Mention) -> tuple[str, list[Raw]]:
    """Split ``html`` into text and entities (offsets in UTF-16 units, not yet trimmed).

    Args:
        mention: the user object for a ``tg://user?id=`` link, None when the bot does not know them.

    Raises:
        Refusal: 400 can't parse entities, with the byte offset of the trouble.
    """
    return _Reader(html, mention).read()


def unescape(text: str) -> str:
    """Resolve the character references Telegram knows; leave every other ``&`` as it is."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    hexadecimal, decimal, name = match.groups()
    if name is not None:
        return _NAMED.get(name, match.group())
    code = int(hexadecimal, 16) if hexadecimal is not None else int(decimal)
    too_long = len(match.group().rstrip(";")) >= 10
    if code == 0 or code >= 0x10FFFF or too_long or 0xD800 <= code <= 0xDFFF:
        return match.group()
    return chr(code)


class _Reader:
    def __init__(self, html: str, mention: Mention) -> None:
        self._html = html
        self._mention = mention
        self._pieces: list[str] = []
        self._length = 0
        self._stack: list[_Open] = []
        self._entities: list[Raw] = []

    def read(self) -> tuple[str, list[Raw]]:
        html, at = self._html, 0
        while True:
            tag = html.find("<", at)
            self._add(unescape(html[at:] if tag < 0 else html[at:tag]))
            if tag < 0:
                break
            at = self._close(tag) if html.startswith("</", tag) else self._open(tag)
        if self._stack:
            raise self._error(f'Can\'t find end tag corresponding to start tag "{self._stack[-1].tag}"')
        return "".join(self._pieces), self._entities

    def _add(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._length += utf16(text)

    def _open(self, begin: int) -> int:
        match = _OPEN.match(self._html, begin)
        tag = match.group(1).lower() if match else ""
        at = begin + 1 + len(tag)
        if at >= len(self._html):
            raise self._error(f"Unclosed start tag at byte offset {self._byte(begin)}")
        if tag not in _TAGS:
            raise self._error(f'Unsupported start tag "{tag}" at byte offset {self._byte(begin)}')
        argument = ""
        while True:
            at = self._space(at)
            if self._html.startswith(">", at):
                break
            name, value, at = self._attribute(tag, begin, at)
            argument = _argument(tag, name, value, argument)
        if tag == "span" and argument != "spoiler":
            where = self._byte(begin)
            raise self._error(f'Tag "span" must have class "tg-spoiler" at byte offset {where}')
        self._stack.append(_Open(tag, argument, self._length, len(self._pieces)))
        return at + 1

    def _attribute(self, tag: str, begin: int, at: int) -> tuple[str, str | None, int]:
        html = self._html
        named = _NAME.match(html, at)
        name = named.group() if named else ""
        where = self._byte(begin)
        if not name:
            if at >= len(html):
                raise self._error(f'Unclosed start tag "{tag}" at byte offset {where}')
            raise self._error(f'Empty attribute name in the tag "{tag}" at byte offset {where}')
        at = self._space(at + len(name))
        if not html.startswith("=", at):
            if at >= len(html):
                raise self._error(f'Unclosed start tag "{tag}" at byte offset {where}')
            return name, None, at
        at = self._space(at + 1)
        if at >= len(html):
            raise self._error(f'Unclosed start tag "{tag}" at byte offset {where}')
        value, at = self._value(at)
        if at >= len(html):
            raise self._error(f"Unclosed start tag at byte offset {where}")
        return name, value, at

    def _value(self, at: int) -> tuple[str, int]:
        html = self._html
        if html[at] in "'\"":
            end = html.find(html[at], at + 1)
            if end < 0:
                return "", len(html)
            return unescape(html[at + 1 : end]), end + 1
        token = _TOKEN.match(html, at)
        end = token.end() if token else at
        if end < len(html) and not html[end].isspace() and html[end] != ">":
            raise self._error(f"Unexpected end of name token at byte offset {self._byte(at)}")
        return html[at:end].lower(), end

    def _close(self, begin: int) -> int:
        where = self._byte(begin)
        if not self._stack:
            raise self._error(f"Unexpected end tag at byte offset {where}")
        match = _CLOSE.match(self._html, begin)
        at = match.end() if match else begin
        if not self._html.startswith(">", at):
            raise self._error(f"Unclosed end tag at byte offset {where}")
        tag = match.group(1).lower() if match else ""
        top = self._stack.pop()
        if tag and tag != top.tag:
            raise self._error(
                f'Unmatched end tag at byte offset {where}, expected "</{top.tag}>", found "</{tag}>"'
            )
        self._finish(top)
        return at + 1

    def _finish(self, top: _Open) -> None:
        length = self._length - top.offset
        entity = self._entity(top, "".join(self._pieces[top.begin :])) if length else None
        if entity is not None:
            self._entities.append({**entity, "offset": top.offset, "length": length})

    def _entity(self, top: _Open, content: str) -> Raw | None:
        if top.tag in _PLAIN:
            return {"type": _PLAIN[top.tag]}
        if top.tag == "a":
            return self._link(top.argument or content)
        if top.tag == "blockquote":
            return {"type": "expandable_blockquote" if top.argument else "blockquote"}
        if top.tag == "tg-emoji":
            if not top.argument.isdigit():
                raise self._error("Invalid custom emoji identifier specified")
            return {"type": "custom_emoji", "custom_emoji_id": top.argument}
        inner = self._stack[-1] if self._stack else None
        if top.tag == "code" and inner is not None and inner.tag == "pre":
            # <pre><code class="language-x"> is one block when both hold the same text.
            if inner.offset == top.offset:
                inner.argument, inner.code_end = top.argument, self._length
            return None
        if top.argument and top.code_end == self._length:
            return {"type": "pre", "language": top.argument}
        return {"type": top.tag}

    def _link(self, address: str) -> Raw | None:
        user = _USER.fullmatch(address)
        if user is not None:
            known = self._mention(int(user.group(1)))
            return None if known is None else {"type": "text_mention", "user": known}
        url = link(address)
        return None if url is None else {"type": "text_link", "url": url}

    def _space(self, at: int) -> int:
        match = _SPACE.match(self._html, at)
        return match.end() if match else at

    def _byte(self, at: int) -> int:
        return len(self._html[:at].encode())

    @staticmethod
    def _error(text: str) -> Refusal:
        return Refusal(400, f"Bad Request: can't parse entities: {text}")


def _argument(tag: str, name: str, value: str | None, so_far: str) -> str:
    """What the attribute means for the tag; attributes Telegram ignores change nothing."""
    if tag == "blockquote" and name == "expandable":
        return "1"
    if value is None:
        return so_far
    if (tag, name) in (("a", "href"), ("tg-emoji", "emoji-id")):
        return value
    if tag == "code" and name == "class" and value.startswith("language-"):
        return value.removeprefix("language-")
    if tag == "span" and name == "class" and value.startswith("tg-"):
        return value.removeprefix("tg-")
    return so_far
