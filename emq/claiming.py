"""Claiming: large claims in slices, and what the replies mean."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from .connector import Connector
from .errors import EmqError
from .holding import positive
from .resp import Word
from .scripts import Script
from .verdicts import Claim

CLAIM_SLICE = 250
"""Jobs in one claiming script call, so that no other client waits more than a few milliseconds."""

LANE_SLICE = 100
"""The same for claims from lanes, each of which has books to be kept."""

MIXED_SLICE = 200
"""The same for claims half from lanes, half from outside of them."""

_claim = tuple.__new__  # a named tuple's own constructor takes twice as long, and there is one for each job

LOOKED_ENOUGH = 1_000
"""A claim that looked this often in vain stops looking, and is to be asked again."""


def read_claim(served: Sequence[bytes]) -> Claim:
    """One job as the claiming scripts hand it out."""
    if len(served) == 3:
        id, payload, token = served
        return _claim(Claim, (id.decode(), payload, int(token), None, 0))
    id, payload, token, group, uncounted = served
    return _claim(Claim, (id.decode(), payload, int(token), group.decode() or None, int(uncounted or 0)))


async def claim_slice(conn: Connector, how: Script, keys: Sequence[str], args: Sequence[Word]) -> list[Claim]:
    """The jobs of one script call, which is repeated while it only cleared away what is no job."""
    while True:
        reply = await conn.run(how, keys, args)
        if isinstance(reply, list):
            return [read_claim(served) for served in reply]
        if reply < LOOKED_ENOUGH:
            return []


def taking(
    conn: Connector, how: Script, keys: Sequence[str], base: str, lease_ms: int, *more: Word
) -> Callable[[int], Awaitable[list[Claim]]]:
    """What claims so many jobs by one call of a claiming script, whose arguments begin with base, lease and size.

    Raises:
        MalformedArgument: ``lease_ms`` is out of range; nothing was sent.
    """
    positive(lease_ms, "lease_ms")

    async def take(wanted: int) -> list[Claim]:
        return await claim_slice(conn, how, keys, (base, lease_ms, wanted, *more))

    return take


async def claim_many(
    size: int, take: Callable[[int], Awaitable[list[Claim]]], slice: int = CLAIM_SLICE
) -> list[Claim]:
    """Up to ``size`` jobs, by slices; trouble after the first slice is not raised: what is in hand is returned.

    Raises:
        MalformedArgument: ``size`` is out of range; nothing was sent.
    """
    positive(size, "size")
    claims: list[Claim] = []
    while len(claims) < size:
        wanted = min(size - len(claims), slice)
        try:
            got = await take(wanted)
        except EmqError:
            if not claims:
                raise
            break
        claims += got
        if len(got) < wanted:
            break
    return claims
