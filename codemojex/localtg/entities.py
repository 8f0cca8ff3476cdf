"""Text as Telegram keeps it: cleaned, counted in UTF-16 units, with entities in order."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from codemojex.localtg.errors import bad_request

Raw = dict[str, Any]

MAX_TEXT = 4096
"""Code points a message may hold after its markup was taken out."""
MAX_CAPTION = 1024
"""Code points of a caption."""
MAX_ENTITIES = 100
"""Telegram shows the first hundred and drops the rest without a word; here that is refused."""

_REMOVED = re.compile("[\r\u2028-\u202e]")
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f]")
_UNSEEN = re.compile("[\\s\u00ad\u034f\u115f\u1160\u180e\u200b-\u200f\u2060-\u2069\u2800\u3164\ufeff\ufffc]*")
_COMMAND = re.compile(r"(?<![\w/<>@])/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/<>])", re.ASCII)
_WHOLE = frozenset({"code", "pre"})
# Telegram's order of entities that begin and end together.
_ORDER = ("blockquote", "expandable_blockquote", "pre", "code", "text_link", "text_mention", "bold", "italic")
_KINDS = frozenset(
    [
        "mention",
        "hashtag",
        "cashtag",
        "bot_command",
        "url",
        "email",
        "phone_number",
        "bold",
        "italic",
        "underline",
        "strikethrough",
        "spoiler",
        "blockquote",
        "expandable_blockquote",
        "code",
        "pre",
        "text_link",
        "text_mention",
        "custom_emoji",
    ]
)


def utf16(text: str) -> int:
    """Length in UTF-16 code units, the unit of entity offsets."""
    return len(text) + sum(1 for char in text if char > "\uffff") if not text.isascii() else len(text)


def clean(text: str, entities: list[Raw]) -> tuple[str, list[Raw]]:
    """What Telegram stores: control characters out, both ends trimmed, entities moved along."""
    if entities:
        # Entities were counted before cleaning: one for one keeps their offsets true.
        text = _CONTROL.sub(" ", text.replace("\r", " "))
        text = _REMOVED.sub(" ", text)
    else:
        text = _CONTROL.sub(" ", _REMOVED.sub("", text))
    trimmed = text.lstrip()
    shift = utf16(text) - utf16(trimmed)
    trimmed = trimmed.rstrip()
    return trimmed, _fit(entities, shift, utf16(trimmed)) if entities else []


def _fit(entities: list[Raw], shift: int, length: int) -> list[Raw]:
    fitted = []
    for entity in entities:
        begin = max(0, entity["offset"] - shift)
        end = min(length, entity["offset"] + entity["length"] - shift)
        if end > begin:
            fitted.append({**entity, "offset": begin, "length": end - begin})
    return _sorted(fitted)


def _sorted(entities: list[Raw]) -> list[Raw]:
    def place(entity: Raw) -> tuple[int, int, int]:
        kind = entity["type"]
        return entity["offset"], -entity["length"], _ORDER.index(kind) if kind in _ORDER else len(_ORDER)

    kept: list[Raw] = []
    for entity in sorted(entities, key=place):
        if not any(_swallows(outer, entity) for outer in kept):
            kept.append(entity)
    return kept


def _swallows(outer: Raw, inner: Raw) -> bool:
    """Code holds nothing else, and a kind inside itself says nothing new."""
    inside = outer["offset"] + outer["length"] >= inner["offset"] + inner["length"]
    return inside and (outer["type"] in _WHOLE or outer["type"] == inner["type"])


def is_blank(text: str) -> bool:
    """True when nothing of the text would be seen."""
    return _UNSEEN.fullmatch(text) is not None


def check(text: str, entities: list[Raw]) -> None:
    """Telegram's limits on a message.

    Raises:
        Refusal: 400: the text is empty or too long, or it has more entities than would be shown.
    """
    if is_blank(text):
        raise bad_request("message text is empty")
    if len(text) > MAX_TEXT:
        raise bad_request("message is too long")
    if len(entities) > MAX_ENTITIES:
        raise bad_request(
            f"message has {len(entities)} entities; Telegram would drop all after the first {MAX_ENTITIES}"
        )


def with_commands(text: str, entities: list[Raw]) -> list[Raw]:
    """The entities and those of bot commands Telegram finds by itself outside of code."""
    if "/" not in text:
        return entities
    found = [
        {"type": "bot_command", "offset": utf16(text[: match.start()]), "length": len(match.group())}
        for match in _COMMAND.finditer(text)
    ]
    return _sorted([*entities, *found]) if found else entities


def given(text: str, entities: list[Any]) -> list[Raw]:
    """Check the entities a bot passed itself.

    Raises:
        Refusal: 400: an entity that is malformed, of an unknown type, or outside of the text.
    """
    length = utf16(text)
    for entity in entities:
        if not isinstance(entity, dict) or entity.get("type") not in _KINDS:
            raise bad_request(f"can't parse MessageEntity: unsupported type in {entity!r}")
        offset, size = entity.get("offset"), entity.get("length")
        if not isinstance(offset, int) or not isinstance(size, int) or offset < 0 or size < 1:
            raise bad_request("can't parse MessageEntity: offset and length must be integers")
        if offset + size > length:
            raise bad_request("ENTITY_BOUNDS_INVALID")
    return [dict(entity) for entity in entities]


def link(address: str) -> str | None:
    """The address as Telegram would keep it, or None when it drops the link."""
    if "://" not in address:
        address = f"http://{address}"
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https", "tg", "ton") or not parts.netloc or " " in address:
        return None
    if parts.scheme in ("http", "https") and "." not in parts.netloc and parts.hostname != "localhost":
        return None
    return address if parts.path or parts.query or parts.scheme in ("tg", "ton") else f"{address}/"
