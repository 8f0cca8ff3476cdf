"""How a notifier behaves."""

from __future__ import annotations

from dataclasses import dataclass, field

from codemojex.notices.budgets import Budgets


@dataclass(frozen=True, slots=True)
class NotifierOptions:
    """How a notifier behaves.

    Attributes:
        budgets: how fast it may write.
        parallel: turns at once.
        held: ids of chats in memory at most.
        send_limit_s: one send, from connecting to the answer; past it the answer counts as lost.
        abandoned_s: age at which a send without an outcome belongs to nobody any more; well above
            ``send_limit_s``, because the clocks of two machines differ.
        refill_s: pause between looks into the database for chats nobody woke.
        grace_s: on `stop`, how long messages in flight may take.
        tz: DAILY_TZ, by which the seasons of a game count that ends because its group moved.
    """

    budgets: Budgets = field(default_factory=Budgets)
    parallel: int = 32
    held: int = 10_000
    send_limit_s: float = 8.0
    abandoned_s: float = 15.0
    refill_s: float = 30.0
    grace_s: float = 5.0
    tz: str = "UTC"
