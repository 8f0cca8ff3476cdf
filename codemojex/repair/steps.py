"""A step of a repair: found always, taken when that is wanted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Deed = Callable[[Sequence[Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Repair:
    """One kind of thing to put right.

    Attributes:
        line: the line of the audit that it answers.
        deed: what is done to each, like ``end the game``.
        ids: of games, guesses or notices, or names of queues.
    """

    line: str
    deed: str
    ids: list[str]


@dataclass(slots=True)
class Steps:
    """The steps of one repair.

    Attributes:
        apply: take them; False only notes what there is.
        taken: those that had something to do, in order.
    """

    apply: bool
    taken: list[Repair] = field(default_factory=list)

    async def take(self, line: str, deed: str, ids: Sequence[Any], do: Deed) -> None:
        """Note what there is to do, and do it when that is wanted."""
        if ids:
            self.taken.append(Repair(line, deed, [str(id) for id in ids]))
            if self.apply:
                await do(ids)
