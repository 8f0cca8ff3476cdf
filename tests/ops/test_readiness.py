"""Whether a part does its work, and the words an operator reads when it does not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import emq
from codemojex.bot.poller import Poller
from codemojex.bot.webhook import Door, Webhook
from codemojex.ops import readiness
from codemojex.ops.readiness import PartState, of_queue, of_server, of_updates, of_worker

NOW = 1_000.0
ANSWERS = of_server("queue", "", NOW - 1)


def poller(last_good_at: float | None, trouble: str = "", *, standby: bool = False) -> Poller:
    made = Poller(None, None)  # type: ignore[arg-type]  # it does not run
    made.last_good_at, made.trouble, made.standby = last_good_at, trouble, standby
    return made


@dataclass(frozen=True)
class Case:
    poller: Poller
    ready: bool
    state: str
    words: str


@pytest.mark.parametrize(
    "case",
    [
        Case(poller(NOW - 30), True, "polling", ""),
        Case(poller(NOW - 30, "NetworkError"), True, "polling", "NetworkError"),
        Case(poller(None), False, "starting", "has not answered yet"),
        Case(poller(None, "TimedOut"), False, "starting", "TimedOut"),
        Case(poller(NOW - 61, "NetworkError"), False, "silent", "for 61 s (NetworkError)"),
        Case(poller(NOW - 1, standby=True), False, "standing by", "takes over when it leaves"),
        Case(poller(None, standby=True), False, "standing by", "another process"),
    ],
    ids=lambda case: f"{case.state} {case.words}",
)
def test_a_poller_is_ready_while_telegram_answers_it_and_nobody_else_polls(case):
    state = of_updates(case.poller, NOW)

    assert (state.name, state.ready, state.state) == ("updates", case.ready, case.state)
    assert case.words in state.reason
    assert bool(case.words) == bool(state.reason)


def test_a_webhook_is_ready_once_telegram_has_taken_it():
    # given
    webhook = Webhook(None, None, Door("https://example.org/x", "127.0.0.1", 0, "s"))  # type: ignore[arg-type]

    # then
    assert of_updates(webhook, NOW).state == "starting"
    webhook.trouble = "bad webhook: port"
    assert "bad webhook: port" in of_updates(webhook, NOW).reason
    webhook.is_set, webhook.trouble = True, ""
    assert of_updates(webhook, NOW) == PartState("updates", True, "webhook set")


@pytest.mark.parametrize(
    ("stats", "ready", "state"),
    [
        (emq.WorkerStats(), False, "starting"),
        (emq.WorkerStats(claimed_at=NOW - 1), True, "claims"),
        (emq.WorkerStats(claimed_at=NOW - 1, held=100), True, "claims"),
        (emq.WorkerStats(claimed_at=NOW - 20, held=100), False, "busy"),
        (emq.WorkerStats(claimed_at=NOW - 20), False, "silent"),
    ],
)
def test_a_worker_is_ready_while_its_claims_are_answered(stats, ready, state):
    found = of_worker(stats, NOW)
    assert (found.ready, found.state) == (ready, state)
    assert bool(found.reason) is not ready


def test_a_queue_that_takes_no_guesses_is_not_ready_and_a_paused_one_says_so():
    refuses = of_queue(ANSWERS, paused=False, failing_s=4.2, name="cm")
    assert (refuses.ready, refuses.state) == (False, "refuses")
    assert "4 s" in refuses.reason

    paused = of_queue(ANSWERS, paused=True, failing_s=0.0, name="cm")
    assert (paused.ready, paused.state) == (True, "paused")
    assert "emq resume cm" in paused.reason

    away = of_server("queue", "it is away", None)
    assert of_queue(away, paused=True, failing_s=9.0, name="cm") == away
    assert of_queue(ANSWERS, paused=False, failing_s=0.0, name="cm") == ANSWERS


def test_a_state_is_written_with_the_time_when_it_was_good_last():
    # when
    good = of_server("database", "", NOW - 1.5).as_dict(NOW)
    never = of_server("database", "away", None).as_dict(NOW)

    # then
    assert good["last_good_s"] == 1.5
    assert good["last_good_at"].endswith("+00:00")
    assert never == {
        "ready": False,
        "state": "does not answer",
        "reason": "away",
        "last_good_at": None,
        "last_good_s": None,
    }
    assert not readiness.ready([ANSWERS, of_server("database", "away", None)])
    assert readiness.ready([ANSWERS])
