"""Enqueueing: what is gated before anything is sent, and what the replies mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .errors import MalformedArgument, MalformedPayload
from .ids import LENGTH as ID_LENGTH
from .ids import is_valid, surely_valid
from .keyspace import LANE_END, Keyspace
from .resp import Reply, ServerError, packed_text
from .scripts import Script
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


def refusals(ids: Sequence[str]) -> list[Verdict | None]:
    """A refusal for each of ``ids`` that is no JOB id, ``None`` for the others, which may be sent."""
    if surely_valid(ids, "JOB"):
        return [None] * len(ids)
    return [None if is_valid(id, "JOB") else NOT_A_JOB for id in ids]


def job_packer(how: Script, row: str, waits_in: str, *more: str | int) -> Callable[[str, bytes], bytes]:
    """What packs the call that puts one job (a JOB id and its payload) into ``waits_in``.

    All but the id and the payload is packed here, once; the rest takes a third of the time that packing all of it does.
    """
    opening = f"*{7 + len(more)}\r\n{packed_text('EVALSHA', how.sha, 2)}${len(row) + ID_LENGTH}\r\n{row}"
    middle = f"\r\n{packed_text(waits_in)}${ID_LENGTH}\r\n"
    closing = f"\r\n{packed_text(*more)}".encode()

    def packed(id: str, payload: bytes) -> bytes:
        return b"".join((f"{opening}{id}{middle}{id}\r\n${len(payload)}\r\n".encode(), payload, closing))

    return packed


def lane_packer(how: Script, keys: Keyspace) -> Callable[[str, str, bytes], bytes]:
    """What packs the call that puts one job (a JOB id and its payload) into the lane of a group, as `job_packer`."""
    opening = f"*9\r\n{packed_text('EVALSHA', how.sha, 2)}${len(keys.row) + ID_LENGTH}\r\n{keys.row}"
    to_lane = f"\r\n${len(keys.lanes) + ID_LENGTH + len(LANE_END)}\r\n{keys.lanes}"
    to_id = f"{LANE_END}\r\n${ID_LENGTH}\r\n"
    to_group, closing = f"\r\n${ID_LENGTH}\r\n", f"\r\n{packed_text(keys.base)}"

    def packed(group: str, id: str, payload: bytes) -> bytes:
        head = f"{opening}{id}{to_lane}{group}{to_id}{id}\r\n${len(payload)}\r\n"
        return b"".join((head.encode(), payload, f"{to_group}{group}{closing}".encode()))

    return packed


def verdict(reply: Reply) -> Verdict:
    """What the reply to one enqueue says."""
    if reply == 1:
        return ENQUEUED
    if isinstance(reply, ServerError):
        return Refused("kind" if reply.code == "EMQKIND" else reply.code, reply.message)
    return DUPLICATE
