"""The parts of a process that can be looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

import emq
from codemojex.bursts import Bursts
from codemojex.scoring import ScoreWorker
from codemojex.store.engine import Store
from codemojex.sweeper import Sweeper

if TYPE_CHECKING:  # a worker has none of these, and starts in half the time
    from codemojex.bot.intake import Intake
    from codemojex.bot.poller import Poller
    from codemojex.bot.webhook import Webhook
    from codemojex.notices.answers import Answers
    from codemojex.notices.intake import NoticeIntake
    from codemojex.notices.notifier import Notifier
    from codemojex.reassurer import Reassurer


@dataclass(frozen=True, slots=True)
class BotSide:
    """What a process has that runs the bot.

    Attributes:
        entry: brings updates in.
        ears: hears of chats with something to be told.
    """

    entry: Poller | Webhook
    intake: Intake
    answers: Answers
    reassurer: Reassurer
    ears: NoticeIntake
    notifier: Notifier


@dataclass(slots=True)
class Watched:
    """Everything of a process that can be looked at.

    Attributes:
        guess_queue, notify_queue: names of the two queues.
        clock: the time by which rows are dated.
        bot, worker: None where the process does not run it.
        restarts: how often each part failed and was started again.
    """

    store: Store
    queue: emq.Connector
    guess_queue: str
    notify_queue: str
    bursts: Bursts
    clock: Callable[[], datetime]
    bot: BotSide | None = None
    worker: ScoreWorker | None = None
    sweeper: Sweeper | None = None
    restarts: Mapping[str, int] = field(default_factory=dict)
