"""What is measured while a swarm plays: counts at one moment, and how long things took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Latency:
    """How long something took, in milliseconds: the median, the 99th of a hundred, and the longest."""

    p50: float
    p99: float
    longest: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Latency | None:
        """Of these; None where there are none."""
        if not seconds:
            return None
        ordered = sorted(seconds)
        return cls(*(round(1_000 * each, 1) for each in (_at(ordered, 0.5), _at(ordered, 0.99), ordered[-1])))


@dataclass(frozen=True, slots=True)
class Now:
    """One moment of a swarm.

    Attributes:
        second: since the first guess.
        sent, answered, waiting: guesses, by what the players see.
        admitted, scored, told: guesses, by what the database says; None where it is not asked.
        depth: jobs in the queue of guesses; None where it is not asked.
        oldest_s: age of the oldest guess without a score; None where there is none, or it is not asked.
        latency: of the latest answers.
    """

    second: float
    sent: int
    answered: int
    waiting: int
    admitted: int | None = None
    scored: int | None = None
    told: int | None = None
    depth: int | None = None
    oldest_s: float | None = None
    latency: Latency | None = None


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]
