"""Pace: one guess a second with a short burst, by the times of the messages, a flood told once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from codemojex.game.pace import Pace, step

T0 = datetime(2026, 12, 1, 12, tzinfo=UTC)


def _run(seconds, per_second=1.0, burst=3):
    pace, seen = Pace(), []
    for at in seconds:
        weighed = step(pace, T0 + timedelta(seconds=at), per_second, burst)
        pace = weighed.pace
        seen.append("ok" if weighed.allowed else "told" if weighed.tell else "silent")
    return seen


def test_a_short_burst_passes():
    assert _run([0, 0, 0]) == ["ok"] * 3


def test_one_a_second_passes_for_ever():
    assert _run(range(500)) == ["ok"] * 500


def test_a_flood_is_told_once():
    assert _run([0] * 8) == ["ok"] * 3 + ["told"] + ["silent"] * 4


def test_a_flood_that_goes_on_at_twice_the_pace_is_told_once_all_the_same():
    seen = _run([i / 2 for i in range(200)])
    assert seen.count("told") == 1
    assert 90 <= seen.count("ok") <= 110


def test_after_a_quiet_time_the_next_flood_is_told_again():
    assert _run([0] * 5 + [60] * 5).count("told") == 2


def test_guesses_that_waited_for_the_bot_are_no_flood():
    """The times are the messages' own: a minute of guesses read in one batch passes."""
    assert _run(range(60)) == ["ok"] * 60


def test_a_message_from_before_gains_nothing():
    assert _run([10, 10, 10, 0, 0]) == ["ok"] * 3 + ["told", "silent"]


def test_a_pace_of_zero_lets_everything_pass_and_remembers_nothing():
    assert _run([0] * 100, per_second=0) == ["ok"] * 100
    assert step(Pace(), T0, 0, 3).pace == Pace()
