"""The books of a queue, counted from scratch: what its keys say must be what can be counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

import emq

A, B, C = (emq.group("PLR", number) for number in (1, 2, 3))

# As a script with a key it is asked of the node that holds the queue, in a cluster as well.
_SCAN = "return redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', 1000)"

METRICS = {"metrics:completed", "metrics:failed", "metrics:dropped"}


def groups(count: int) -> list[str]:
    return [emq.group("PLR", number) for number in range(count)]


def ids(count: int) -> list[str]:
    return [emq.mint("JOB") for _ in range(count)]


async def fill(lanes: emq.Lanes, group: str, count: int) -> list[str]:
    """``count`` new jobs in a lane, oldest first."""
    new = ids(count)
    for at in range(0, count, 5_000):
        verdicts = await lanes.enqueue_many([(group, id, b"x") for id in new[at : at + 5_000]])
        assert set(verdicts) == {emq.ENQUEUED}
    return new


async def keys_of(conn: emq.Connector, queue: str) -> list[str]:
    """Every key of a queue, without the base."""
    base, cursor, found = emq.Keyspace(queue).base, b"0", set()
    while True:
        cursor, some = await conn.command("EVAL", _SCAN, 1, base + "pending", cursor, base + "*")
        found |= {key.decode().removeprefix(base) for key in some}
        if cursor == b"0":
            return sorted(found)


def pairs(reply: Any) -> dict[str, bytes]:
    """A hash reply of either protocol."""
    items = reply.items() if isinstance(reply, dict) else zip(reply[::2], reply[1::2], strict=True)
    return {key.decode(): value for key, value in items}


class Books:
    """A queue read whole: rows, places, lanes, counters."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, bytes]] = {}
        self.places: dict[str, list[str]] = {}
        self.ring: list[str] = []
        self.paused: set[str] = set()
        self.hashes: dict[str, dict[str, bytes]] = {}

    @classmethod
    async def read(cls, conn: emq.Connector, queue: str) -> Books:
        books, base = cls(), emq.Keyspace(queue).base
        for key in await keys_of(conn, queue):
            if key in ("pending", "active", "schedule", "dead") or key.startswith("g:"):
                members = await conn.command("ZRANGE", base + key, 0, -1)
                books.places[key] = [member.decode() for member in members]
            elif key.startswith("job:") and key.count(":") == 1:
                books.rows[key[4:]] = pairs(await conn.command("HGETALL", base + key))
            elif key in ("glimit", "gactive", "gweight"):
                books.hashes[key] = pairs(await conn.command("HGETALL", base + key))
        books.ring = [group.decode() for group in await conn.command("LRANGE", base + "ring", 0, -1)]
        books.paused = {group.decode() for group in await conn.command("SMEMBERS", base + "paused")}
        return books

    def wrong(self) -> list[str]:
        """Every place where the books do not agree with what can be counted."""
        return [*self._wrong_places(), *self._wrong_counts(), *self._wrong_rota()]

    def _wrong_places(self) -> list[str]:
        found = []
        placed = Counter(id for members in self.places.values() for id in members)
        found += [f"{id} is in {count} places" for id, count in placed.items() if count > 1]
        found += [f"{id} has no row" for id in placed if id not in self.rows]
        found += [f"{id} is nowhere" for id in self.rows if id not in placed]
        for key, members in self.places.items():
            for id in members:
                row = self.rows.get(id, {})
                want = {"schedule": "scheduled"}.get(key, "pending" if key.startswith("g:") else key)
                if row.get("state", b"").decode() != want:
                    found.append(f"{id} is in {key} and says {row.get('state')!r}")
                lane = key.split(":")[1] if key.startswith("g:") else None
                group = row.get("group", b"").decode() or None
                if lane != group and (lane or key == "pending"):
                    found.append(f"{id} of {group} waits in {key}")
        return found

    def _wrong_counts(self) -> list[str]:
        counted = Counter(
            self.rows[id]["group"].decode()
            for id in self.places.get("active", [])
            if "group" in self.rows.get(id, {})
        )
        kept = {group: int(count) for group, count in self.hashes.get("gactive", {}).items()}
        return [] if kept == dict(counted) else [f"gactive says {kept}, in flight are {dict(counted)}"]

    def servable(self) -> set[str]:
        """The groups whose lane can be served: it has work, is not parked, and is below its limit."""
        limits = {group: int(limit) for group, limit in self.hashes.get("glimit", {}).items()}
        flying = {group: int(count) for group, count in self.hashes.get("gactive", {}).items()}
        waiting = {key.split(":")[1] for key in self.places if key.startswith("g:")} - self.paused
        return {group for group in waiting if flying.get(group, 0) < limits.get(group, 10**9)}

    def _wrong_rota(self) -> list[str]:
        servable = self.servable()
        found = [] if len(set(self.ring)) == len(self.ring) else [f"the rota has doubles: {self.ring}"]
        if set(self.ring) != servable:
            found.append(f"in the rota are {set(self.ring)}, servable are {servable}")
        return found


async def wrong(conn: emq.Connector, queue: str) -> list[str]:
    """Every place where the books of a queue do not agree with what can be counted."""
    return (await Books.read(conn, queue)).wrong()
