"""How many guesses a player has, and how fast they may come."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a new game and of every player.

    Attributes:
        alone, group: guesses each, in a private chat and in a room of several.
        per_second: sustained pace of one player by the times of their messages; 0 turns it off.
        burst: guesses at once after a quiet time.
    """

    alone: int = 12
    group: int = 30
    per_second: float = 1.0
    burst: int = 3
