"""Days of the calendar of DAILY_TZ: some have 23 hours, some 25."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

_A_DAY = timedelta(days=1)


def local_day(at: datetime, tz: str) -> str:
    """The date of an aware time in the zone ``tz`` of the tz database, YYYY-MM-DD."""
    return at.astimezone(ZoneInfo(tz)).date().isoformat()


def day_end(day: str, tz: str) -> datetime:
    """When ``day`` is over in the zone ``tz``: the first moment of what follows, aware UTC.

    Where the clocks skip midnight, that is the moment in which they do.
    """
    midnight = datetime.combine(date.fromisoformat(day) + _A_DAY, time(), ZoneInfo(tz))
    return midnight.astimezone(UTC)


def day_before(day: str) -> str:
    """The date before ``day``."""
    return (date.fromisoformat(day) - _A_DAY).isoformat()
