"""Extending many leases: slices on the wire, and a key that is no row set aside."""

from __future__ import annotations

from collections.abc import Sequence

from .connector import Connector
from .errors import NotSent, Uncertain
from .keyspace import Keyspace
from .resp import Reply, ServerError, Word, checked
from .scripts import script

EXTEND_SLICE = 250
"""Pairs in one call, so that no other client waits more than a few milliseconds: the server has one call at a time."""

Pairs = Sequence[tuple[str, str]]


async def extend_all(conn: Connector, keys: Keyspace, held: Pairs, lease_ms: int) -> list[str]:
    """Extend the leases of (id, token) pairs; the ids not extended, in input order.

    A key that is no row refuses the whole call it travels in. One broken key must not cost a thousand leases: it
    is looked for, counts as not extended, and the others are sent again.

    Raises:
        ServerRefused, NotSent, Uncertain: as their names say.
    """
    slices = [held[at : at + EXTEND_SLICE] for at in range(0, len(held), EXTEND_SLICE)]
    failed: list[str] = []
    for pairs, reply in zip(slices, await _send(conn, keys, slices, lease_ms), strict=True):
        if isinstance(reply, ServerError) and reply.code == "WRONGTYPE":
            failed += await _around_broken(conn, keys, pairs, lease_ms, reply)
        else:
            failed += _ids(reply)
    return failed


async def _send(conn: Connector, keys: Keyspace, batches: Sequence[Pairs], lease_ms: int) -> list[Reply]:
    if not batches:
        return []
    calls: list[tuple[tuple[str, str], list[Word]]] = [
        ((keys.active, keys.base), [lease_ms, *(word for pair in pairs for word in pair)])
        for pairs in batches
    ]
    return await conn.flush(script("extend_locks"), calls, unanswered=1)


async def _around_broken(
    conn: Connector, keys: Keyspace, pairs: Pairs, lease_ms: int, refusal: ServerError
) -> list[str]:
    try:
        rows = await conn.pipeline([("HGET", keys.job(id), "attempts") for id, _ in pairs])
        runs = _split([isinstance(row, ServerError) and row.code == "WRONGTYPE" for row in rows], pairs)
        if len(runs) == 1:
            checked(refusal)  # every row is one, so the trouble is elsewhere
        sound = [run for run in runs[::2] if run]
        replies = iter(await _send(conn, keys, sound, lease_ms))
    except NotSent as error:
        raise Uncertain(f"some leases may have been extended before this: {error}") from error
    failed: list[str] = []
    for number, run in enumerate(runs):
        if number % 2:
            failed += [id for id, _ in run]
        elif run:
            failed += _ids(next(replies))
    return failed


def _split(broken: Sequence[bool], pairs: Pairs) -> list[list[tuple[str, str]]]:
    """The pairs in runs: sound, broken, sound, ... and sound again; a sound run may be empty."""
    runs: list[list[tuple[str, str]]] = [[]]
    for is_broken, pair in zip(broken, pairs, strict=True):
        if is_broken:
            runs += [[pair], []]
        else:
            runs[-1].append(pair)
    return runs


def _ids(reply: Reply) -> list[str]:
    return [id.decode() for id in checked(reply)]
