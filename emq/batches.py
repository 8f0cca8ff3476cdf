"""What batch verbs send for many items, a call each or a call for many, and whose reply is whose."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import accumulate
from typing import TypeVar, cast

from .errors import Uncertain, reason_of
from .frames import Frames, OnDemand
from .resp import Reply, ServerError, pack_items
from .scripts import Script

T = TypeVar("T")

CHUNK = 200
"""Items in one script call, so that no other client waits more than a millisecond or two."""

MOST_ITEMS = 1_000
CHUNK_BYTES = 1 << 16
"""Bytes of payloads in one script call, for the same reason; a larger payload travels alone."""

UNANSWERED = 2
"""Such calls that a server may have at a time: one that it works on, and the next."""

Send = Callable[[Frames], Awaitable[list[Reply]]]


async def flush_each(
    send: Send, frame: Callable[[int], bytes], outcomes: list[T | None], read: Callable[[Reply], T]
) -> list[T]:
    """Send a command for each empty place of ``outcomes``, and put there what ``read`` makes of its reply.

    Args:
        send: sends commands and answers their replies, such as :meth:`Connector.flush_frames` of a script.
        frame: the packed command for a place. Made while those before it travel, so it must not fail.

    Raises:
        NotSent: no byte left.
        Uncertain: ``.verdicts`` is ``outcomes`` as far as it is known.
    """
    places = _empty(outcomes)
    return await _flush(send, OnDemand(len(places), lambda at: frame(places[at])), places, outcomes, read)


async def flush_chunks(
    send: Send,
    script: Script,
    keys: Sequence[str],
    columns: Sequence[Sequence[str] | Sequence[bytes]],
    outcomes: list[T | None],
    read: Callable[[Reply], T],
    *,
    most: int = CHUNK,
    payloads: Sequence[bytes] = (),
) -> list[T]:
    """As :func:`flush_each`, for a script that takes many items at once and answers a list, a reply each.

    Args:
        keys: the KEYS of every call.
        columns: an item's words: the first of each column is the first item; a column is all text or all bytes.
        most: items in one call.
        payloads: the column that makes calls long, if there is one.
    """
    places = _empty(outcomes)
    if len(places) < len(outcomes):
        columns = [cast("Sequence[str]", [column[place] for place in places]) for column in columns]
        payloads = [payloads[place] for place in places] if payloads else ()
    chunks = list(_chunks(len(places), most, payloads))

    def frame(at: int) -> bytes:
        return pack_items(script.sha, keys, [column[chunks[at]] for column in columns])

    async def send_all(frames: Frames) -> list[Reply]:
        try:
            return _spread(await send(frames), chunks)
        except Uncertain as error:
            error.replies = _spread(error.replies, chunks)
            raise

    frames = OnDemand(len(chunks), frame, UNANSWERED)
    return await _flush(send_all, frames, places, outcomes, read)


async def _flush(
    send: Send, frames: Frames, places: Sequence[int], outcomes: list[T | None], read: Callable[[Reply], T]
) -> list[T]:
    try:
        replies = await send(frames) if places else []
    except Uncertain as error:
        for place, reply in zip(places, error.replies, strict=True):
            outcomes[place] = None if reply is None else read(reply)
        raise Uncertain(
            str(error), verdicts=outcomes, replies=error.replies, reason=reason_of(error)
        ) from error
    if len(places) == len(outcomes):
        return _read_all(replies, read)
    for place, reply in zip(places, replies, strict=True):
        outcomes[place] = read(reply)
    return cast("list[T]", outcomes)


def _read_all(replies: list[Reply], read: Callable[[Reply], T]) -> list[T]:
    """What each says; one reading is enough where all say the same, as they nearly always do."""
    first = replies[0]
    if type(first) is int and replies.count(first) == len(replies):
        return [read(first)] * len(replies)
    return [read(reply) for reply in replies]


def _empty(outcomes: Sequence[object]) -> Sequence[int]:
    return [place for place, outcome in enumerate(outcomes) if outcome is None]


def _chunks(count: int, most: int, payloads: Sequence[bytes]) -> Iterator[slice]:
    at = 0
    while at < count:
        end = min(at + most, count)
        if payloads and sum(map(len, payloads[at:end])) > CHUNK_BYTES:
            sizes = accumulate(map(len, payloads[at:end]))
            end = at + max(1, sum(size <= CHUNK_BYTES for size in sizes))
        yield slice(at, end)
        at = end


def _spread(replies: Sequence[Reply], chunks: Sequence[slice]) -> list[Reply]:
    """A reply for each item; a call that was refused as a whole, or whose reply is not there, is so for each."""
    spread: list[Reply] = []
    for reply, chunk in zip(replies, chunks, strict=True):
        whole = reply is None or isinstance(reply, ServerError)
        spread += [reply] * (chunk.stop - chunk.start) if whole else reply
    return spread
