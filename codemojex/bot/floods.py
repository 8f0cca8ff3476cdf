"""How often each person acts, remembered by this process alone: a flood must not cost the database anything.

A restart forgets it, and of several processes behind a webhook each counts for itself; a flood is slowed down all the
same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from codemojex.bot.acts import Act
from codemojex.game.pace import Pace, Rate, step
from codemojex.game.refusals import TooMuch

_MOST = 50_000

_Key = tuple[int, Act]


@dataclass(slots=True)
class Weighing:
    """What a batch makes of the paces; it counts once `Floods.keep` is told that the batch is committed.

    A batch that is tried again begins with another one, so nobody pays twice for what a database did.
    """

    rates: Mapping[Act, Rate]
    before: Mapping[_Key, Pace]
    after: dict[_Key, Pace] = field(default_factory=dict)

    def weigh(self, actor: int, acts: Iterable[Act], at: datetime) -> None:
        """Count what ``actor`` did ``at``, an aware UTC time.

        Raises:
            TooMuch: more than the pace allows; the first refusal of a flood is told.
        """
        for act in acts:
            rate, known = self.rates[act], self.after.get((actor, act)) or self.before.get((actor, act))
            weighed = step(known or Pace(), at, rate.per_second, rate.burst)
            self.after[actor, act] = weighed.pace
            if not weighed.allowed:
                raise TooMuch(weighed.tell)


class Floods:
    """The paces of everybody who acted lately."""

    def __init__(self, rates: Mapping[Act, Rate]) -> None:
        self._rates = rates
        self._paces: dict[_Key, Pace] = {}

    def weighing(self) -> Weighing:
        """For one try of one batch."""
        return Weighing(self._rates, self._paces)

    def keep(self, weighing: Weighing) -> None:
        """The batch is committed. Who has been quiet longest is forgotten where there are too many."""
        for key, pace in weighing.after.items():
            self._paces.pop(key, None)
            self._paces[key] = pace
        for key in list(self._paces)[: max(0, len(self._paces) - _MOST)]:
            del self._paces[key]
