"""Enqueueing: what is gated before anything is sent, and what the replies mean."""

from __future__ import annotations

from .errors import MalformedArgument, MalformedPayload
from .resp import Reply, ServerError
from .verdicts import DUPLICATE, ENQUEUED, Refused, Verdict

NOT_A_JOB = Refused("kind", "a job id is JOB and eleven base62 digits; emq.mint('JOB') makes one")
NOT_A_GROUP = Refused("kind", "a group is a branded id; emq.group('PLR', number) makes one of a number")


def encoded(payload: object) -> bytes:
    """A payload as it travels.

    Raises:
        MalformedPayload: it is neither bytes nor text.
    """
    if isinstance(payload, bytes):
        return payload
    if not isinstance(payload, str):
        raise MalformedPayload(f"a payload is bytes or text, not {type(payload).__name__}; nothing was sent")
    try:
        return payload.encode()
    except UnicodeEncodeError as error:
        raise MalformedPayload(
            f"a payload has characters that UTF-8 cannot carry ({error.reason})"
        ) from error


def misshapen(item: object, shape: str) -> MalformedArgument:
    """The error for an item of a burst that does not have the parts it must have."""
    return MalformedArgument(f"an item to enqueue is {shape}, not {item!r:.80}; nothing was sent")


def verdict(reply: Reply) -> Verdict:
    """What the reply to one enqueue says."""
    if isinstance(reply, ServerError):
        return Refused("kind" if reply.code == "EMQKIND" else reply.code, reply.message)
    return ENQUEUED if reply == 1 else DUPLICATE
