"""Whether each part of a process does its work, and if not, why, in words for an operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import emq

if TYPE_CHECKING:
    from codemojex.bot.poller import Poller
    from codemojex.bot.webhook import Webhook

# A poll to which nobody writes is answered after 25 s; one that hangs is given up after 35 s.
SILENT_S = 60.0
# A claim is answered within a second or two, unless everything in hand waits for the database.
UNCLAIMED_S = 15.0

STANDING_BY = "another process polls with this token; this one takes over when it leaves"


@dataclass(frozen=True, slots=True)
class PartState:
    """How a part of a process is.

    Attributes:
        ready: it does its work.
        state: a word or two that stay the same, like ``polling`` or ``standing by``.
        reason: why it is so; empty where there is nothing to say.
        good_at: when it last did what it is for, monotonic seconds; None before the first time.
    """

    name: str
    ready: bool
    state: str
    reason: str = ""
    good_at: float | None = None

    def as_dict(self, now: float) -> dict[str, Any]:
        """Plain values for `json.dumps`; ``now`` in monotonic seconds."""
        good = None if self.good_at is None else max(0.0, now - self.good_at)
        at = None if good is None else datetime.now(UTC) - timedelta(seconds=good)
        return {
            "ready": self.ready,
            "state": self.state,
            "reason": self.reason,
            "last_good_at": None if at is None else at.isoformat(timespec="milliseconds"),
            "last_good_s": None if good is None else round(good, 3),
        }


def of_updates(entry: Poller | Webhook, now: float) -> PartState:
    """How updates come in."""
    # Loaded already where there is a bot, and a worker does without.
    from codemojex.bot.webhook import Webhook

    return _of_webhook(entry) if isinstance(entry, Webhook) else _of_poller(entry, now)


def _of_poller(poller: Poller, now: float) -> PartState:
    good_at = poller.last_good_at
    if poller.standby:
        return PartState("updates", False, "standing by", STANDING_BY, good_at)
    because = f" ({poller.trouble})" if poller.trouble else ""
    if good_at is None:
        return PartState("updates", False, "starting", f"Telegram has not answered yet{because}")
    if now - good_at > SILENT_S:
        reason = f"Telegram has answered no getUpdates for {now - good_at:.0f} s{because}"
        return PartState("updates", False, "silent", reason, good_at)
    reason = f"the last getUpdates failed, trying on{because}" if poller.trouble else ""
    return PartState("updates", True, "polling", reason, good_at)


def _of_webhook(webhook: Webhook) -> PartState:
    if not webhook.is_set:
        because = f" ({webhook.trouble})" if webhook.trouble else ""
        reason = f"Telegram has not taken the webhook yet{because}"
        return PartState("updates", False, "starting", reason, webhook.last_good_at)
    return PartState("updates", True, "webhook set", "", webhook.last_good_at)


def of_server(name: str, trouble: str, good_at: float | None) -> PartState:
    """Whether a server answers; ``trouble`` says why it does not."""
    if trouble:
        return PartState(name, False, "does not answer", trouble, good_at)
    return PartState(name, True, "answers", "", good_at)


def of_queue(server: PartState, *, paused: bool, failing_s: float, name: str) -> PartState:
    """Whether the queue takes guesses and gives them out.

    Args:
        server: whether its server answers.
        paused: nothing is claimed, because somebody wants it so.
        failing_s: for how long it has taken no guess from this process, in seconds.
        name: of the queue, for the cure.
    """
    if not server.ready:
        return server
    if failing_s >= 1.0:
        reason = f"the queue has taken no guess for {failing_s:.0f} s; they are safe and go again"
        return PartState(server.name, False, "refuses", reason, server.good_at)
    if paused:
        reason = f"nothing is scored: somebody paused the queue; `emq resume {name}` lets it go on"
        return PartState(server.name, True, "paused", reason, server.good_at)
    return server


def of_worker(stats: emq.WorkerStats, now: float) -> PartState:
    """Whether a scoring worker claims."""
    at = stats.claimed_at
    if at is None:
        return PartState("worker", False, "starting", "no claim was answered yet")
    if now - at <= UNCLAIMED_S:
        return PartState("worker", True, "claims", "", at)
    if stats.held:
        reason = (
            f"{stats.held} guesses have been in hand for {now - at:.0f} s; it claims when they are settled"
        )
        return PartState("worker", False, "busy", reason, at)
    return PartState("worker", False, "silent", f"no claim was answered for {now - at:.0f} s", at)


def ready(states: Sequence[PartState]) -> bool:
    """Whether every part does its work."""
    return all(state.ready for state in states)
