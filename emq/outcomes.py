"""What a handler says about a job: done, again, later, or dead."""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypeAlias

from .errors import Portable

_ERROR_CHARS = 1_000


class Done(Enum):
    """The one value that says: the job is finished."""

    DONE = "done"

    def __str__(self) -> str:
        return self.value


DONE: Literal[Done.DONE] = Done.DONE
"""The job is finished and leaves the queue."""


class Again(Portable):
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


class Later(Portable):
    """Give the job back for a while: nothing failed, it only must wait, and this attempt does not count.

    Its token is spent and its lane serves the next job at once. Raised by an ``each`` handler, or a value in a
    ``batch`` handler's answer, as the other outcomes.

    Args:
        delay_ms: milliseconds until it can be claimed again, 0 or more.
    """

    def __init__(self, delay_ms: int) -> None:
        if type(delay_ms) is not int or delay_ms < 0:
            raise ValueError(f"delay_ms is {delay_ms!r}: give whole milliseconds, 0 or more")
        super().__init__(f"asked to wait {delay_ms} ms")
        self.delay_ms = delay_ms


class Dead(Portable):
    """Never try the job again: it goes to the dead, where an operator finds it with ``error``."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


Outcome: TypeAlias = Literal[Done.DONE] | Again | Later | Dead


def told(error: BaseException) -> str:
    """One line that tells ``error``, short enough to keep on a job."""
    try:
        words = " ".join(str(error).split())
    except Exception:  # its own __str__ fails
        words = ""
    return kept(f"{type(error).__name__}: {words}" if words else type(error).__name__)


def kept(error: str) -> str:
    """``error`` as a job can keep it: at most 1,000 characters, every one of them valid UTF-8."""
    return str(error)[:_ERROR_CHARS].encode("utf-8", "backslashreplace").decode("utf-8")
