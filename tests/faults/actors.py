"""Places for processes: their lines through proxies, their orders, and whoever stands there now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.faults.nursery import Child
from tests.proxy import FaultProxy


@dataclass
class Lines:
    """The connections of one process, each through a proxy of its own.

    Attributes:
        database: None for a SQLite file, to which no line leads.
    """

    queue: FaultProxy
    telegram: FaultProxy
    database: FaultProxy | None

    @property
    def all(self) -> list[FaultProxy]:
        return [line for line in (self.queue, self.telegram, self.database) if line is not None]

    def cut(self) -> None:
        """Cut every connection of this process, now."""
        for line in self.all:
            line.cut()

    def heal(self) -> None:
        """Nothing goes wrong any more."""
        for line in self.all:
            line.heal()


@dataclass
class Actor:
    """A place for a process: its lines and its orders stay when it is killed and started again."""

    name: str
    words: list[str]
    lines: Lines
    orders: Path
    clock_s: float = 0.0
    child: Child | None = None

    @property
    def now(self) -> Child:
        assert self.child is not None, f"{self.name} was not started"
        return self.child

    def order(self, step: str, act: str, nth: int = 1) -> None:
        """At the ``nth`` hit of ``step`` from now on: ``kill`` or ``stop`` itself."""
        made = self.orders.with_suffix(".new")
        made.write_text(f"{step} {nth} {act}")
        made.rename(self.orders)

    def relent(self) -> None:
        """No orders any more."""
        self.orders.unlink(missing_ok=True)
