"""Living through interruptions of the server: wait longer each time, and say so once."""

from __future__ import annotations

import logging

from .backoff import exponential
from .errors import EmqError, reason_of

FIRST_MS = 100
CAP_MS = 2_000


class Outage:
    """What one worker knows about the server not doing what it is asked, over all of its verbs.

    Args:
        who: the worker, for the log.
        log: where its beginning and its end are told, once each.
    """

    def __init__(self, who: str, log: logging.Logger) -> None:
        self._who = who
        self._log = log
        self._failures: dict[str, int] = {}
        self._backoff = exponential(FIRST_MS, CAP_MS)

    def failed(self, verb: str, error: Exception) -> float:
        """Note that ``verb`` failed; returns how many seconds to wait before it is tried again."""
        if not self._failures:
            # An error that emq does not raise on purpose is a fault of the program: show where it is.
            fault = not isinstance(error, EmqError | OSError)
            told = reason_of(error)
            self._log.warning("%s: %s failed, trying again: %s", self._who, verb, told, exc_info=fault)
        self._failures[verb] = self._failures.get(verb, 0) + 1
        return self._backoff(self._failures[verb]) / 1000

    def succeeded(self, verb: str) -> None:
        """Note that ``verb`` did what it should."""
        if self._failures.pop(verb, 0) and not self._failures:
            self._log.info("%s: the server answers again", self._who)
