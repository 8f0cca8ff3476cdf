"""A server that everybody needs and that does not answer: wait, try with one, say it once."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from codemojex.notices.rota import backoff_s

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Outage:
    """Failures in a row of one server. Times are the caller's monotonic seconds.

    Attributes:
        server: its name in the log.
        over_at: when to try again.
    """

    server: str
    over_at: float = float("-inf")
    _failures: int = 0

    @property
    def on(self) -> bool:
        """True from the first failure to the next success."""
        return self._failures > 0

    def failed(self, now: float, reason: str) -> None:
        """It did not answer: wait longer each time. What was under way when the wait began adds nothing."""
        if now < self.over_at:
            return
        if not self.on:
            log.warning(f"{self.server} does not answer; what is to be told waits", reason=reason)
        self.over_at = now + backoff_s(self._failures)
        self._failures += 1

    def answered(self) -> None:
        """It answered."""
        if self.on:
            log.info(f"{self.server} answers again")
        self._failures = 0
        self.over_at = float("-inf")
