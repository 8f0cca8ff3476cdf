"""The steps of the path, by name: where in the code a process has reached each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seam:
    """A step, and the call before or after which a process has reached it.

    Attributes:
        who: the process that takes this step.
        place: ``module:attribute`` or ``module:Class.method``, as the code looks it up when it calls.
        edge: before or after the call.
        says: the state of things there, for the page.
        within: only while this other place is being called.
    """

    step: str
    who: str
    place: str
    edge: str
    says: str
    within: str = ""


SEAMS = (
    Seam("received", "bot", "codemojex.bot.intake:Intake.take", "before", "updates have arrived"),
    Seam(
        "in_transaction",
        "bot",
        "codemojex.bot.intake:Intake._handle_all",
        "after",
        "guesses are written, nothing is committed",
    ),
    Seam("committed", "bot", "codemojex.bursts:Bursts.add", "before", "committed, not acknowledged"),
    Seam("buffered", "bot", "codemojex.bursts:Bursts.add", "after", "in the burst buffer, not acknowledged"),
    Seam(
        "acknowledging",
        "bot",
        "codemojex.bot.source:UpdateSource.fetch",
        "before",
        "about to tell Telegram to forget the updates",
    ),
    Seam("flushing", "bot", "codemojex.guess_lanes:GuessLanes.enqueue_many", "before", "a burst is to go"),
    Seam(
        "flush_sent",
        "bot",
        "emq.wire:Wire._write",
        "after",
        "the burst is on the line, no reply is read",
        within="codemojex.guess_lanes:GuessLanes.enqueue_many",
    ),
    Seam(
        "flush_doubtful",
        "bot",
        "codemojex.bursts:Bursts._pause",
        "before",
        "the line broke: some of the burst landed, or all of it without a reply",
    ),
    Seam(
        "landed",
        "bot",
        "codemojex.play.sweep:mark_enqueued",
        "before",
        "verdicts are read, `enqueued_at` is not written",
    ),
    Seam("claimed", "worker", "codemojex.scoring:ScoreWorker._score", "before", "jobs are in hand"),
    Seam(
        "scored",
        "worker",
        "codemojex.scoring:ScoreWorker._write",
        "after",
        "scores are written, nothing is committed",
    ),
    Seam(
        "settling",
        "worker",
        "codemojex.scoring:ScoreWorker._settle",
        "before",
        "a crack is committed, its game is open",
    ),
    Seam(
        "settled",
        "worker",
        "codemojex.scoring:ScoreWorker._settle",
        "after",
        "the game is closed, the job is not completed",
    ),
    Seam(
        "scores_committed",
        "worker",
        "codemojex.scoring:ScoreWorker._count",
        "before",
        "scores are committed, jobs are not completed",
    ),
    Seam(
        "completing",
        "worker",
        "emq.settler:Settler._flush",
        "before",
        "jobs are about to be completed",
    ),
    Seam(
        "completed",
        "worker",
        "emq.settler:Settler._flush",
        "after",
        "jobs are completed",
    ),
    Seam(
        "announcing",
        "worker",
        "codemojex.notices.announcer:announce",
        "before",
        "notices are committed, nobody was woken to send them",
    ),
    Seam(
        "announced",
        "worker",
        "codemojex.notices.announcer:announce",
        "after",
        "the queue has the wake-up",
    ),
    Seam(
        "notice_claimed",
        "bot",
        "codemojex.notices.intake:NoticeIntake._take",
        "after",
        "a wake-up is in hand, nothing is marked",
    ),
    Seam(
        "taken",
        "bot",
        "codemojex.notices.teller:deliver",
        "before",
        "a message is marked as being sent, and is not",
    ),
    Seam(
        "unanswered",
        "bot",
        "codemojex.notices.teller:deliver",
        "after",
        "Telegram has the message, its answer was lost",
    ),
    Seam(
        "answered",
        "bot",
        "codemojex.notices.teller:deliver",
        "after",
        "Telegram has answered, nothing is noted",
    ),
    Seam("told", "bot", "codemojex.notices.ledger:Ledger.settle", "after", "the guess is marked as told"),
)
BY_STEP = {seam.step: seam for seam in SEAMS}
