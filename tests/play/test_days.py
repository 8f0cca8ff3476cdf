"""Days of a calendar with summer time: some have 23 hours, some 25, and a few begin without a midnight."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemojex.play.days import day_before, day_end, local_day

BERLIN = "Europe/Berlin"
ZONES = (
    "UTC", BERLIN, "America/New_York", "America/Sao_Paulo", "America/Havana", "Africa/Cairo", "Asia/Tehran",
    "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Kiritimati", "Asia/Kathmandu", "America/St_Johns",
)  # fmt: skip


@pytest.mark.parametrize(
    ("day", "hours"), [("2026-03-28", 24), ("2026-03-29", 23), ("2026-10-25", 25), ("2026-10-26", 24)]
)
def test_a_day_has_the_hours_its_clocks_give_it(day, hours):
    begins, ends = day_end(day_before(day), BERLIN), day_end(day, BERLIN)
    assert ends - begins == timedelta(hours=hours)
    minutes = [begins + timedelta(minutes=n) for n in range(hours * 60)]
    assert {local_day(at, BERLIN) for at in minutes} == {day}
    assert local_day(ends, BERLIN) != day


@pytest.mark.parametrize(
    ("at", "day"),
    [
        ("2026-11-30T22:59:59.999+00:00", "2026-11-30"),
        ("2026-11-30T23:00:00+00:00", "2026-12-01"),
        ("2026-06-30T22:00:00+00:00", "2026-07-01"),
        ("2026-12-01T04:30:00+05:45", "2026-11-30"),
    ],
)
def test_the_day_is_the_local_date_of_the_messages_own_time(at, day):
    assert local_day(datetime.fromisoformat(at), BERLIN) == day


@given(st.dates(date(2000, 1, 1), date(2037, 12, 30)), st.sampled_from(ZONES))
def test_a_day_ends_with_its_last_moment_wherever_it_is(day, tz):
    ends = day_end(day.isoformat(), tz)
    last = local_day(ends - timedelta(microseconds=1), tz)
    # Samoa had no 30 December 2011.
    assert last == day.isoformat() or (tz, day) == ("Pacific/Apia", date(2011, 12, 30))
    assert local_day(ends, tz) > day.isoformat()


def test_where_the_clocks_skip_midnight_the_day_ends_as_they_do():
    # Cairo, 24 April 2026: after 23:59 comes 01:00.
    ends = day_end("2026-04-23", "Africa/Cairo")
    assert ends == datetime(2026, 4, 23, 22, tzinfo=UTC)
