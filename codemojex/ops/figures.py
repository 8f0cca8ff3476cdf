"""The figures of a process: what each of its parts has counted, under the names that alarms use."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from codemojex.notices.counts import NoticeCounts
from codemojex.ops.readiness import PartState
from codemojex.ops.watched import BotSide, Watched
from codemojex.play.backlog import Backlog
from emq import metrics
from emq.metrics import Metric, MetricKind

_SENDS = ("unknown", "unsent", "rejected", "blocked", "moved", "vanished")


def of_process(watched: Watched, states: Sequence[PartState]) -> Iterator[Metric]:
    """What the parts of this process have counted. Asks nobody."""
    yield _gauge("codemojex_ready", "1 while the part does its work, as /ready says.", _ready(states), "part")
    restarts = dict(watched.restarts)
    yield _count("codemojex_part_restarts", "Failures of a part, which was started again.", restarts, "part")
    yield from _of_store(watched)
    yield from _of_sweep(watched)
    if watched.bot is not None:
        yield from _of_intake(watched.bot)
        yield from _of_bursts(watched)
        yield from _of_telling(watched.bot)
        yield from metrics.of_worker(watched.notify_queue, watched.bot.ears.worker.stats)
    if watched.worker is not None:
        yield from _of_scoring(watched)
        yield from metrics.of_worker(watched.guess_queue, watched.worker.worker.stats)


def of_backlog(found: Backlog, now: datetime) -> Iterator[Metric]:
    """What waits in the database; the same from every process."""
    yield _gauge("codemojex_games_open", "Games that are being played.", found.games_open)
    yield _gauge("codemojex_guesses_unqueued", "Guesses not known to be in the queue.", found.unqueued)
    yield _gauge("codemojex_guesses_unscored", "Guesses without a score.", found.unscored)
    yield _gauge(
        "codemojex_oldest_unscored_guess_seconds",
        "Age of the oldest guess without a score; 0 without one.",
        _age_s(found.unscored_since, now),
    )
    yield _gauge("codemojex_notices_untold", "Notices that wait to be sent.", found.untold)
    yield _gauge(
        "codemojex_oldest_untold_notice_seconds",
        "Age of the oldest notice that waits to be sent; 0 without one.",
        _age_s(found.untold_since, now),
    )


def _of_store(watched: Watched) -> Iterator[Metric]:
    counts = watched.store.counts
    yield _count(
        "codemojex_database_transactions", "Transactions and reads that got their turn.", counts.begun
    )
    yield _count(
        "codemojex_database_wait_seconds", "Seconds they waited for their turn, in all.", counts.waited_s
    )
    yield _count(
        "codemojex_database_repeats", "Transactions that met another and started over.", counts.repeated
    )
    yield _count("codemojex_database_outages", "Transactions given up: no answer.", counts.down)


def _of_sweep(watched: Watched) -> Iterator[Metric]:
    if watched.sweeper is None:
        return
    counts, at = watched.sweeper.counts, watched.sweeper.last_good_at
    found = {"guess": counts.requeued, "game": counts.settled, "notice": counts.noticed}
    yield _count("codemojex_sweep_mended", "What the sweep found left behind, and mended.", found, "what")
    age = {} if at is None else {"": time.monotonic() - at}
    yield _gauge("codemojex_sweep_age_seconds", "Seconds since the sweep last came to its end.", age)


def _of_intake(bot: BotSide) -> Iterator[Metric]:
    outcomes = {str(outcome): count for outcome, count in bot.intake.counts.items()}
    yield _count("codemojex_updates", "Updates committed, by what became of them.", outcomes, "outcome")
    yield _count("codemojex_guesses_admitted", "Guesses admitted.", bot.intake.admitted)
    at = bot.entry.last_good_at
    age = {} if at is None else {"": time.monotonic() - at}
    yield _gauge(
        "codemojex_intake_age_seconds", "Seconds since getUpdates answered, or a post was committed.", age
    )


def _of_bursts(watched: Watched) -> Iterator[Metric]:
    bursts = watched.bursts
    counts = bursts.counts
    verdicts = {"enqueued": counts.enqueued, "duplicate": counts.duplicate, "refused": counts.refused}
    yield _count("codemojex_bursts", "Bursts sent to the queue.", counts.flushes)
    yield _count(
        "codemojex_guesses_enqueued", "Guesses sent to the queue, by its verdict.", verdicts, "verdict"
    )
    yield _count(
        "codemojex_guesses_resent", "Guesses sent again, after no verdict that stands.", counts.resent
    )
    yield _gauge("codemojex_burst_held", "Guesses in the burst buffer.", bursts.held())
    yield _gauge(
        "codemojex_burst_failing_seconds", "How long the queue has taken no burst.", bursts.failing_s()
    )


def _of_telling(bot: BotSide) -> Iterator[Metric]:
    counts, answers = bot.notifier.counts, bot.answers
    yield _count(
        "codemojex_messages", "Messages handed to Telegram, by its answer.", _sends(counts), "outcome"
    )
    yield _count(
        "codemojex_messages_repeated", "Of these, sent although they may have arrived.", counts.repeated
    )
    yield _count(
        "codemojex_flood_waits", "Messages that Telegram answered with a flood wait.", counts.flood_waits
    )
    yield _count("codemojex_notices_told", "Notices told, results of guesses among them.", counts.notices)
    yield _count("codemojex_reactions", "Emojis put under guesses.", counts.reactions)
    yield _gauge("codemojex_chats_waiting", "Chats with something to be told.", bot.notifier.waiting())
    taps = {"sent": answers.sent, "dropped": answers.dropped, "failed": answers.failed}
    yield _count("codemojex_taps", "Answers to taps on buttons, by what became of them.", taps, "outcome")
    yield _count("codemojex_reassured", "Chats told that their guesses are safe.", bot.reassurer.told)


def _of_scoring(watched: Watched) -> Iterator[Metric]:
    assert watched.worker is not None  # noqa: S101  the caller looked
    counts = watched.worker.counts
    scored = {"scored": counts.scored, "already": counts.already, "missing": counts.missing}
    yield _count("codemojex_guesses_scored", "Claimed guesses, by what scoring found.", scored, "outcome")
    yield _count("codemojex_games_settled", "Games ended by a crack.", counts.settled)


def _sends(counts: NoticeCounts) -> dict[str, float]:
    told = {"sent": counts.messages - counts.edits, "edited": counts.edits}
    return {**told, **{outcome: getattr(counts, outcome) for outcome in _SENDS}}


def _ready(states: Sequence[PartState]) -> dict[str, float]:
    return {state.name: float(state.ready) for state in states}


def _age_s(since: datetime | None, now: datetime) -> float:
    return 0.0 if since is None else max(0.0, (now - since).total_seconds())


def _count(name: str, help: str, values: float | Mapping[str, float], label: str = "") -> Metric:
    """A figure that only grows."""
    return _metric("counter", name, help, values, label)


def _gauge(name: str, help: str, values: float | Mapping[str, float], label: str = "") -> Metric:
    """A figure of this moment."""
    return _metric("gauge", name, help, values, label)


def _metric(
    kind: MetricKind, name: str, help: str, values: float | Mapping[str, float], label: str
) -> Metric:
    of = values if isinstance(values, Mapping) else {"": values}
    labels = (label,) if label else ()
    return Metric(name, kind, help, labels, {(key,)[: len(labels)]: value for key, value in of.items()})
