"""How fast Telegram may be spoken to: so much in all, so much in each chat.

A budget is one number, the time at which its next message is due; falling behind by up to ``burst`` messages
is allowed, so a quiet chat is answered at once. No queue and no timer hang on it: whoever wants to send asks
when it may.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Rate:
    """A sustained rate and the burst on top of it.

    Attributes:
        per_second: messages a second, > 0.
        burst: messages at once after a quiet time, >= 1. No window of s seconds ever sees more than
            ``burst + s * per_second``.
    """

    per_second: float
    burst: int = 1


@dataclass(frozen=True, slots=True)
class Budgets:
    """Telegram's limits, kept with a little to spare.

    Attributes:
        overall: Telegram allows about 30 a second.
        private: about one a second in a chat, short bursts tolerated.
        group: 20 a minute, edits count; 5 at once and one in 4 s stay within it for any minute.
        board_rest_s: how long a group's board is left alone after it was shown.
        at_once: chats written to at the same time.
    """

    overall: Rate = Rate(per_second=27.0, burst=3)
    private: Rate = Rate(per_second=1.0, burst=3)
    group: Rate = Rate(per_second=0.25, burst=5)
    board_rest_s: float = 3.0
    at_once: int = 32

    @classmethod
    def loopback(cls) -> Budgets:
        """For a Telegram on this machine, which keeps no budgets: nobody waits."""
        rate = Rate(per_second=10_000.0, burst=10_000)
        return cls(rate, rate, rate, board_rest_s=0.0, at_once=512)

    def of(self, chat_id: int) -> Rate:
        """The rate of one chat; groups and channels have negative ids."""
        return self.private if chat_id > 0 else self.group


@dataclass(slots=True)
class Pace:
    """One budget in use. Times are the caller's monotonic seconds."""

    rate: Rate
    _due: float = field(default=float("-inf"))

    def ready_at(self) -> float:
        """The earliest time at which one more message is within the rate."""
        return self._due - (self.rate.burst - 1) / self.rate.per_second

    def spend(self, now: float) -> None:
        """Count one message sent at ``now``."""
        self._due = max(self._due, now) + 1 / self.rate.per_second

    def refund(self) -> None:
        """Take back a `spend` for which nothing was sent."""
        self._due -= 1 / self.rate.per_second

    def used(self, now: float) -> float:
        """How many messages still weigh on this budget; 0 when it is as good as new."""
        return max(0.0, (self._due - now) * self.rate.per_second)

    def join(self, other: Pace) -> None:
        """What was spent on ``other`` was spent here."""
        self._due = max(self._due, other._due)

    def forgotten_at(self) -> float:
        """When this budget has become as good as new, so that it need not be kept."""
        return self._due
