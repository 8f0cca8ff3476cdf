"""Long lists of ids in parts that every database takes in one statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def chunks(items: Sequence[T], size: int = 1_000) -> Iterator[Sequence[T]]:
    """``items`` in order, at most ``size`` at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
