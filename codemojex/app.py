"""Ties the parts of a process together; `connections` opens what they stand on, `bot_side` has what only a bot needs.

updates -> Poller -> Intake -> [database] -> Bursts -> [queue] -> ScoreWorker -> [database]
                                   |                                                |
                                   +--> notices --> Notifier --> Telegram <---------+
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

import emq
from codemojex.bursts import Bursts
from codemojex.connections import Connections
from codemojex.guard import ServerGuard
from codemojex.guess_lanes import GuessLanes
from codemojex.notices.announcer import Announcer
from codemojex.notices.budgets import Budgets
from codemojex.ops.watched import Watched
from codemojex.play.games import GameOptions
from codemojex.scoring import ScoreWorker
from codemojex.settings import Settings
from codemojex.store.clock import SharedClock
from codemojex.supervise import Part
from codemojex.sweeper import Sweeper, SweepPace

if TYPE_CHECKING:
    from codemojex.notices.notifier import Notifier


@dataclass(frozen=True, slots=True)
class Table:
    """What local play and tests set differently from a deployment.

    Attributes:
        defaults: level, mode, theme and clock of a bare `/new`.
        fixed_secret: the secret of games whose keyboard has it.
        budgets: how fast Telegram takes messages.
        dice: draws secrets, codes of rooms and hints.
        clock: what time it is for the game, aware UTC; None: what the database's server says.
    """

    defaults: GameOptions = field(default_factory=GameOptions)
    fixed_secret: tuple[str, ...] | None = None
    budgets: Budgets = field(default_factory=Budgets)
    dice: random.Random = field(default_factory=random.SystemRandom)
    clock: Callable[[], datetime] | None = None


class App:
    """Everything one process runs, wired but not yet running.

    Attributes:
        clock: the time of the game, aware UTC.
        notifier: None where the process does not run the bot.
    """

    def __init__(
        self, settings: Settings, open_: Connections, table: Table, clock: Callable[[], datetime]
    ) -> None:
        self.settings = settings
        self.store = open_.store
        self.guess_lanes = GuessLanes(open_.queue, settings.guess_queue)
        self.bursts = Bursts(self.guess_lanes, self.store, clock=clock)
        self.announcer = Announcer(emq.Lanes(open_.queue, settings.notify_queue))
        self.queue = open_.queue
        self._server = open_.server
        self.table = table
        self.clock = clock
        self.notifier: Notifier | None = None
        self.sweeper: Sweeper | None = None
        self.watched = Watched(
            open_.store, open_.queue, settings.guess_queue, settings.notify_queue, self.bursts, clock
        )

    def worker_parts(self) -> list[Part]:
        """The scoring worker."""
        options = emq.WorkerOptions(lease_ms=self.settings.worker_lease_ms, batch=self.settings.worker_batch)
        worker = ScoreWorker(
            self.queue,
            self.settings.guess_queue,
            self.store,
            self.announcer.announce,
            options,
            self.clock,
            self.settings.daily_tz,
        )
        self.watched.worker = worker
        return [Part("scoring worker", worker.run, worker.stop)]

    def shared_parts(self) -> list[Part]:
        """What every process runs: the sweep, announcements, the embedded server's guard."""
        settings = self.settings
        pace = SweepPace(settings.sweep_seconds, settings.sweep_after_seconds, settings.daily_tz)
        self.sweeper = Sweeper(self.store, self.guess_lanes, self.announcer.announce, pace, self.clock)
        self.watched.sweeper = self.sweeper
        parts = [
            Part("sweep", self.sweeper.run, self.sweeper.stop),
            Part("announcements", self.announcer.run, self.announcer.stop),
        ]
        if isinstance(self.clock, SharedClock):
            parts.append(Part("clock", self.clock.run, self.clock.stop))
        if self._server is not None:
            guard = ServerGuard(self._server)
            parts.append(Part("server guard", guard.run, guard.stop))
        return parts
