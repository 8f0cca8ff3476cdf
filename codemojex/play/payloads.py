"""What a guess's job carries: which game it belongs to, nothing secret. The row knows the rest."""

from __future__ import annotations

import json
from typing import NamedTuple


class GuessJob(NamedTuple):
    """An admitted guess on its way to be scored.

    Attributes:
        id: the JOB id, which is the guess's.
        player_id: whose guess it is, and so whose turn it takes.
        payload: what the job carries; the same bytes every time.
    """

    id: str
    player_id: int
    payload: bytes


def guess_job(id: str, player_id: int, game_id: int) -> GuessJob:
    """The job of a guess; the same every time it is made."""
    return GuessJob(id, player_id, guess_payload(game_id))


def guess_payload(game_id: int) -> bytes:
    """The payload of a guess's job; the same bytes every time."""
    return json.dumps({"v": 1, "game": game_id}, separators=(",", ":")).encode()
