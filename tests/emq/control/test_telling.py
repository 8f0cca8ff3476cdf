"""A teller's memory: bounded by jobs, the oldest forgotten first, whatever holds it up."""

from __future__ import annotations

from typing import Any

import emq
from emq.telling import MOST_WAITING, Teller


class Unheard:
    """Stands where events are published: nobody could hear them until now."""

    def __init__(self) -> None:
        self.told: list[emq.Event] = []

    async def heard(self) -> bool:
        return True

    async def publish_many(self, events: list[emq.Event]) -> None:
        self.told += events


async def test_what_does_not_fit_any_more_is_forgotten_the_oldest_first() -> None:
    # given a teller that was told of more than it keeps
    events: Any = Unheard()
    teller = Teller(events, on=True)
    jobs = [str(number) for number in range(MOST_WAITING + 400)]
    for at in range(0, len(jobs), 200):
        teller.give_many("completed", jobs[at : at + 200])
    teller.give("failed", "last", error="no")

    # when it tells at last
    await teller.flush()

    # then the newest are told, in order, and nothing twice
    told = [event.job for event in events.told]
    assert MOST_WAITING - 200 <= len(told) <= MOST_WAITING
    assert told == [*jobs, "last"][-len(told) :]
    assert events.told[-1] == emq.Event("failed", "last", {"error": "no"})
    await teller.flush()
    assert len(events.told) == len(told)
