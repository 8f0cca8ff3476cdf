"""Commands that are made while they are sent: the server works on the first while the last are packed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeAlias, TypeVar, overload

T = TypeVar("T")

Frames: TypeAlias = Sequence[bytes]

_FIRST = 125
_GROWTH = 4


class OnDemand(Sequence[T], Generic[T]):
    """Things that are made each time they are asked for.

    Args:
        count: how many there are.
        make: the nth. What is sent must not fail here, because those before it may be on their way.
        unanswered: how many of them a server may have at a time, where each keeps it busy: what it has, it works off
            before it answers anybody else.
    """

    def __init__(self, count: int, make: Callable[[int], T], unanswered: int | None = None) -> None:
        self._places = range(count)
        self._make = make
        self.unanswered = unanswered

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        if isinstance(place, slice):
            return [self._make(at) for at in self._places[place]]
        return self._make(self._places[place])


def most_unanswered(frames: Frames) -> int | None:
    """How many of ``frames`` a server may have at a time; ``None`` when there is no limit."""
    return frames.unanswered if isinstance(frames, OnDemand) else None


def in_parts(frames: Frames) -> Iterator[bytes]:
    """All of ``frames``: a few at first, so that the server has something to do, then more at a time.

    Where a server may have few at a time, each is a part.
    """
    if most_unanswered(frames):
        yield from frames
        return
    at, size = 0, _FIRST
    while at < len(frames):
        yield b"".join(frames[at : at + size])
        at, size = at + size, min(2 * size, _GROWTH * _FIRST)
