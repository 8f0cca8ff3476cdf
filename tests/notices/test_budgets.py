"""Budgets: bursts after a quiet time, the sustained rate under pressure, and no window that sees too much."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codemojex.notices.budgets import Budgets, Pace, Rate


def greedy(pace: Pace, start: float, count: int) -> list[float]:
    """The times at which ``count`` messages leave when each goes as early as it may."""
    times, now = [], start
    for _ in range(count):
        now = max(now, pace.ready_at())
        pace.spend(now)
        times.append(now)
    return times


def most_within(times: list[float], window_s: float) -> int:
    return max(sum(1 for t in times if start <= t < start + window_s) for start in times)


def test_a_quiet_private_chat_takes_three_messages_at_once_and_then_one_a_second() -> None:
    # given / when
    times = greedy(Pace(Budgets().private), 100.0, 6)

    # then
    assert times == [100.0, 100.0, 100.0, 101.0, 102.0, 103.0]


def test_a_group_never_sees_more_than_twenty_messages_in_a_minute() -> None:
    # given / when
    times = greedy(Pace(Budgets().of(-1001)), 0.0, 100)

    # then
    assert most_within(times, 60.0) <= 20


def test_all_chats_together_stay_within_thirty_messages_a_second() -> None:
    # given / when
    times = greedy(Pace(Budgets().overall), 0.0, 300)

    # then
    assert most_within(times, 1.0) <= 30
    assert times[-1] < 300 / 26


def test_silence_is_saved_up_only_to_the_burst() -> None:
    # given
    pace = Pace(Rate(per_second=1.0, burst=3))
    greedy(pace, 0.0, 3)

    # when
    times = greedy(pace, 1_000.0, 4)

    # then
    assert times == [1_000.0, 1_000.0, 1_000.0, 1_001.0]


@given(
    rate=st.builds(Rate, st.floats(0.1, 50), st.integers(1, 10)),
    pauses=st.lists(st.floats(0, 20), min_size=1, max_size=60),
)
def test_no_window_ever_exceeds_burst_plus_rate_times_its_length(rate: Rate, pauses: list[float]) -> None:
    # given
    pace, now, times = Pace(rate), 0.0, []

    # when
    for pause in pauses:
        now = max(now + pause, pace.ready_at())
        pace.spend(now)
        times.append(now)

    # then
    for window_s in (1.0, 10.0, 60.0):
        assert most_within(times, window_s) <= rate.burst + rate.per_second * window_s + 1e-6
