"""Every error emq raises on purpose, each an :class:`EmqError`, each saying what to do next.

Two of them decide whether a caller may assume anything about the queue:

* :class:`NotSent`: no byte of the command left this process. Nothing happened.
* :class:`Uncertain`: bytes left, and not every reply came back. Anything may have happened.

Both have the same cure for an enqueue, because an enqueue of a known id changes nothing: send the same ids
again. Neither is ever raised for the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Portable(Exception):
    """An exception that travels between processes, whatever its class is made of."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle would call the class with the sentence alone."""
        return _revived, (type(self), self.args, dict(self.__dict__))


def _revived(kind: type[Portable], args: tuple[Any, ...], attributes: dict[str, Any]) -> Portable:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


def reason_of(error: BaseException) -> str:
    """What happened, without the advice for whoever called."""
    return (error.reason if isinstance(error, Uncertain) else str(error)) or type(error).__name__


class EmqError(Portable):
    """The root of everything emq raises on purpose."""


class MalformedId(EmqError, ValueError):
    """An id is not three capital letters and eleven base62 digits of a 63-bit number; nothing was sent."""


class MalformedQueue(EmqError, ValueError):
    """A queue name is not 1-128 of ``A-Za-z0-9._-``, or it is the reserved name ``emq``; nothing was sent."""


class MalformedPayload(EmqError, TypeError):
    """A payload is not ``bytes`` or text; nothing was sent."""


class MalformedArgument(EmqError, ValueError):
    """An argument cannot be used: a number out of its range, a handler that is no async function, an item that is
    no pair. The sentence says which and what to do; nothing was sent."""


class MalformedUrl(EmqError, ValueError):
    """A server URL cannot be used; the message names the cure and never repeats a password."""


class EmptyPipeline(EmqError, ValueError):
    """A batch verb was given nothing to send."""


class NotSent(EmqError):
    """No byte of the command left this process: nothing happened. Send the same again when you like."""


class Closed(NotSent):
    """The connector was closed before this call; open a new one with ``emq.connect``."""


class Unreachable(NotSent):
    """No usable connection to the server could be made, so nothing was sent."""


class Uncertain(EmqError):
    """The connection failed after bytes were sent and before every reply was read.

    Sending the same ids again is safe and tells what happened: an enqueue that landed answers ``duplicate``.
    A claim whose reply was lost is not repeated by sending it again: its jobs return when their lease lapses.

    Attributes:
        verdicts: what the batch verb learned, in input order, ``None`` where the outcome is unknown.
        replies: the same as raw replies, for callers of :meth:`emq.Connector.flush`.
        reason: what happened, without the advice.
    """

    def __init__(
        self,
        message: str,
        *,
        verdicts: Sequence[Any] = (),
        replies: Sequence[Any] = (),
        reason: str = "",
    ) -> None:
        super().__init__(message)
        self.reason = reason or message
        self.verdicts: list[Any] = list(verdicts)
        self.replies: list[Any] = list(replies)


class ServerRefused(EmqError):
    """The server answered with an error of its own.

    Attributes:
        code: the first word of the error reply, such as ``OOM`` or ``NOPERM``.
        message: the rest of it.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code} {message}".rstrip())
        self.code = code
        self.message = message


class HandshakeRefused(ServerRefused, Unreachable):
    """The server refused a new connection (``NOAUTH``, ``WRONGPASS``, ``LOADING`` ...): nothing was sent."""


class Kind(ServerRefused):
    """A script refused an id that is not JOB-namespaced (``EMQKIND``)."""


class VersionMismatch(EmqError):
    """The server holds queues of another wire version; talking to them would break them.

    Attributes:
        got: what ``{emq}:version`` holds.
    """

    def __init__(self, got: str, expected: str) -> None:
        super().__init__(
            f"this server's queues are {got!r} and this emq speaks {expected!r}: "
            "use an emq that speaks their version, or another server or database number"
        )
        self.got = got


class Gone(EmqError):
    """The job has no row: it was completed or removed. Drop it."""


class Stale(EmqError):
    """The fencing token is no longer the job's: someone else claimed it, or it was settled. Drop it."""


class NotActive(EmqError):
    """The job is not in flight: its lease was reaped, or it is scheduled or dead. Stop working on it."""


class WrongState(EmqError):
    """The job or the queue is not in the state that this verb is for; the message says which. Nothing was done."""


class Locked(EmqError):
    """A worker of another client has put its lock on the job: it cannot be removed now."""


class LeaseLost(EmqError):
    """The lease of a job lapsed or could not be extended: stop working on it and write nothing for it."""


class NodeLapsed(EmqError):
    """The lease on this process's node id lapsed; another process may hold the number: lease a node again."""


class NoNative(EmqError):
    """Native commands were asked for and are not there, or the module could not be built or loaded."""


class NoServer(EmqError):
    """No server program could be found or started for the embedded queue."""
