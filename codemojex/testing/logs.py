"""The log of a test: made as a deployment makes it, kept in memory, and the process left as it was."""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator

import structlog

from codemojex.logs import start_logs
from codemojex.settings import Settings


class Log:
    """What the bot and the worker logged, through every processor a deployment has."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def lines(self) -> list[str]:
        """Every line so far that says something, oldest first."""
        # Not splitlines: that ends a line at U+001E too.
        return [line for line in self.stream.getvalue().split("\n") if line]

    def at_least(self, *levels: str) -> list[str]:
        """Lines of these levels, like ``error``."""
        marks = [mark for level in levels for mark in (f"[{level} ", f'"level": "{level}"')]
        return [line for line in self.lines if any(mark in line for mark in marks)]


@contextlib.contextmanager
def kept_log(settings: Settings) -> Iterator[Log]:
    """Log into memory, beside whatever pytest has its hands on."""
    root, log = logging.getLogger(), Log()
    handlers, level, configured = list(root.handlers), root.level, structlog.get_config()
    start_logs(settings, log.stream)
    root.handlers += handlers
    try:
        yield log
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        structlog.configure(**configured)
