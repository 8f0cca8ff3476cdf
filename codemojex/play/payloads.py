"""What a guess's job carries: which game it belongs to, nothing secret. The row knows the rest."""

from __future__ import annotations

import json


def guess_payload(game_id: int) -> bytes:
    """The payload of a guess's job; the same bytes every time."""
    return json.dumps({"v": 1, "game": game_id}, separators=(",", ":")).encode()
