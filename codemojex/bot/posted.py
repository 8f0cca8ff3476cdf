"""The body of a post, before it is an update: its size, its type, how deep it nests, whether it can be confirmed."""

from __future__ import annotations

import json
from typing import Any

from codemojex.bot.marks import RawUpdate, is_id

MAX_BYTES = 1 << 20
# A message that quotes a message is about a dozen levels deep.
MAX_DEPTH = 64


class Unreadable(ValueError):
    """What was posted is no update; the text says why, and quotes nothing of it."""


def is_json(content_type: str) -> bool:
    """Whether a media type, its parameters left off, is JSON. A charset says nothing: JSON tells it itself."""
    kind = content_type.lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def read_update(body: bytes) -> RawUpdate:
    """The update in ``body``.

    Raises:
        Unreadable: no JSON object, one nested too deeply, or one without a usable ``update_id``.
    """
    try:
        raw = json.loads(body)
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except ValueError:
        raise Unreadable("no JSON") from None
    if not isinstance(raw, dict) or not is_id(raw.get("update_id")):
        raise Unreadable("no update")
    if not _is_flat(raw):
        raise Unreadable("nested too deeply")
    return raw


def _is_flat(raw: object) -> bool:
    """True when nothing lies deeper than `MAX_DEPTH`; looked at level by level, without recursion."""
    level: list[Any] = [raw]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner += value.values()
            elif isinstance(value, list):
                inner += value
        if not inner:
            return True
        level = inner
    return False
