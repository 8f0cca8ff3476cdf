"""How fast one player may guess, or act: a token bucket that runs on the times of the messages themselves.

A bot that was away finds a minute of guesses waiting at once; by their own times they were no flood.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Rate:
    """How fast somebody may do something: ``burst`` at once, then ``per_second``; 0 lets everything pass."""

    per_second: float
    burst: int


@dataclass(frozen=True, slots=True)
class Pace:
    """What is remembered of a player's pace.

    Attributes:
        tokens: guesses they may make at once at ``at``; None before their first.
        at: the latest message time seen, aware UTC; None before their first.
        told: this flood was answered already.
    """

    tokens: float | None = None
    at: datetime | None = None
    told: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One guess weighed: what to remember, whether it may pass, and if not whether to say so."""

    pace: Pace
    allowed: bool
    tell: bool


def step(pace: Pace, at: datetime, per_second: float, burst: int) -> Step:
    """Weigh a guess sent ``at``: ``burst`` at once, then ``per_second``; 0 lets everything pass.

    A flood lasts until the player has been quiet long enough for a full bucket; only its first refusal is
    told.
    """
    if per_second <= 0:
        return Step(pace, allowed=True, tell=False)
    tokens, latest = float(burst), at
    if pace.tokens is not None and pace.at is not None:
        latest = max(pace.at, at)
        tokens = min(float(burst), pace.tokens + (latest - pace.at).total_seconds() * per_second)
    told = pace.told and tokens < burst
    if tokens < 1:
        return Step(Pace(tokens, latest, told=True), allowed=False, tell=not told)
    return Step(Pace(tokens - 1, latest, told), allowed=True, tell=False)
