"""The time of a test: it runs on like any other, and can be moved ahead."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class MovableClock:
    """What time it is for the bot, the worker and the local Telegram.

    Args:
        at: what it shows first, aware; the machine's time when absent.
    """

    def __init__(self, at: datetime | None = None) -> None:
        began = datetime.now(UTC)
        # How far it has been ahead of the machine, and since when.
        self._moves = [(began, timedelta(0) if at is None else at - began)]

    def __call__(self) -> datetime:
        """Aware UTC."""
        return datetime.now(UTC) + self._moves[-1][1]

    def unix(self) -> float:
        """Seconds since 1970."""
        return self().timestamp()

    def forward(self, step: timedelta) -> None:
        """Move ahead.

        Raises:
            ValueError: the step goes back; what was written down would lie in the future.
        """
        if step < timedelta(0):
            raise ValueError("a clock only moves ahead; a message of the past carries its own date")
        self._moves.append((datetime.now(UTC), self._moves[-1][1] + step))

    def shown_at(self, machine: datetime) -> datetime:
        """What it showed when the machine's own clock showed this, aware."""
        ahead = next((ahead for since, ahead in reversed(self._moves) if since <= machine), self._moves[0][1])
        return machine + ahead
