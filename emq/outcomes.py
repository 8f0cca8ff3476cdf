"""What a handler says about a job: done, again later, or dead."""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypeAlias

_ERROR_CHARS = 1_000


class Done(Enum):
    """The one value that says: the job is finished."""

    DONE = "done"

    def __str__(self) -> str:
        return self.value


DONE: Literal[Done.DONE] = Done.DONE
"""The job is finished and leaves the queue."""


class Again(Exception):
    """Try the job again later: raised by an ``each`` handler, or a value in a ``batch`` handler's answer.

    Args:
        delay_ms: milliseconds until then, 0 or more; by default the worker's backoff decides.
        error: kept on the job as ``last_error``.

    The worker's ``max_attempts`` holds all the same: the last attempt goes to the dead.
    """

    def __init__(self, delay_ms: int | None = None, *, error: str = "asked to try again") -> None:
        if delay_ms is not None and (not isinstance(delay_ms, int) or delay_ms < 0):
            raise ValueError(f"delay_ms is {delay_ms!r}: give whole milliseconds, 0 or more")
        super().__init__(error)
        self.delay_ms = delay_ms
        self.error = error


class Dead(Exception):
    """Never try the job again: it goes to the dead, where an operator finds it with ``error``."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


Outcome: TypeAlias = Literal[Done.DONE] | Again | Dead


def told(error: BaseException) -> str:
    """One line that tells ``error``, short enough to keep on a job."""
    words = " ".join(str(error).split())
    return kept(f"{type(error).__name__}: {words}" if words else type(error).__name__)


def kept(error: str) -> str:
    """``error`` as a job can keep it: at most 1,000 characters, every one of them valid UTF-8."""
    return str(error)[:_ERROR_CHARS].encode("utf-8", "backslashreplace").decode("utf-8")
