"""Commands that are made while they are sent: the server works on the first while the last are packed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeAlias, TypeVar, overload

T = TypeVar("T")

Frames: TypeAlias = Sequence[bytes]

_FIRST = 32
_GROWTH = 16


class OnDemand(Sequence[T], Generic[T]):
    """Things that are made each time they are asked for.

    Args:
        count: how many there are.
        make: the nth. What is sent must not fail here, because those before it may be on their way.
        at_first: how many are sent before the others are made; fewer where each is large.
    """

    def __init__(self, count: int, make: Callable[[int], T], at_first: int = _FIRST) -> None:
        self._places = range(count)
        self._make = make
        self.at_first = at_first

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


def in_parts(frames: Frames) -> Iterator[bytes]:
    """All of ``frames``, a few at first, so that the server has something to do, then more at a time."""
    size = frames.at_first if isinstance(frames, OnDemand) else _FIRST
    at, most = 0, _GROWTH * size
    while at < len(frames):
        yield b"".join(frames[at : at + size])
        at, size = at + size, min(2 * size, most)
