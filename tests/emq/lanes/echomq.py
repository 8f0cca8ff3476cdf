"""What an EchoMQ node expects of a queue, key by key and field by field, and what in a queue it would not understand.

``misread`` lists what would lead it astray: a key of another type, a member without a row, a row whose fields do
not read as it reads them, a score that is no lease. ``ignored`` lists what it never looks at.
"""

from __future__ import annotations

import re
from typing import Any

import emq
from tests.emq.lanes.books import keys_of, pairs

TYPES = {
    "pending": "zset", "active": "zset", "schedule": "zset", "dead": "zset", "meta": "hash",
    "metrics:completed": "hash", "metrics:failed": "hash", "limiter": "string", "ring": "list", "paused": "set",
    "glimit": "hash", "gactive": "hash", "gweight": "hash", "wake": "list", "repeat": "zset", "flow:outbox": "list",
}  # fmt: skip
PATTERNS = {
    r"g:\w{14}:pending": "zset", r"job:\w{14}": "hash", r"job:\w{14}:logs": "list", r"job:\w{14}:lock": "string",
    r"job:\w{14}:dependencies": "string", r"job:\w{14}:(processed|failed|unsuccessful)": "hash", r"de:.+": "string",
}  # fmt: skip
STATES = {"pending": "pending", "active": "active", "schedule": "scheduled", "dead": "dead"}
FIELDS = {
    "state", "attempts", "payload", "group", "last_error", "progress", "stalled", "parent", "parent_queue",
    "parent_policy", "lock",
}  # fmt: skip


async def misread(conn: emq.Connector, queue: str) -> list[str]:
    """Everything in a queue that an EchoMQ node would take for something else, or stumble over."""
    found = []
    for key in await keys_of(conn, queue):
        full = emq.Keyspace(queue).base + key
        kind = (await conn.command("TYPE", full)).decode()
        expected = _type_of(key)
        if expected is not None and kind != expected:
            found.append(f"{key} is a {kind}, not a {expected}")
        elif expected is not None:
            found += await _inside(conn, queue, key, full)
    return found


async def ignored(conn: emq.Connector, queue: str) -> set[str]:
    """Keys and row fields that an EchoMQ node never looks at."""
    found = set()
    for key in await keys_of(conn, queue):
        if _type_of(key) is None:
            found.add(key)
        if re.fullmatch(r"job:\w{14}", key):
            row = pairs(await conn.command("HGETALL", emq.Keyspace(queue).base + key))
            found |= {f"row {field}" for field in row.keys() - FIELDS}
    return found


def _type_of(key: str) -> str | None:
    return TYPES.get(key) or next((kind for form, kind in PATTERNS.items() if re.fullmatch(form, key)), None)


async def _inside(conn: emq.Connector, queue: str, key: str, full: str) -> list[str]:
    if key in STATES or key.startswith("g:"):
        return await _members(conn, queue, key, full)
    if re.fullmatch(r"job:\w{14}", key):
        return _row(key, pairs(await conn.command("HGETALL", full)))
    if key in ("glimit", "gactive", "gweight"):
        counts = pairs(await conn.command("HGETALL", full))
        return [
            f"{key} of {group} is {count!r}"
            for group, count in counts.items()
            if not emq.is_valid(group) or not re.fullmatch(rb"[1-9]\d*", count)
        ]
    if key.startswith("metrics:"):
        count = pairs(await conn.command("HGETALL", full))
        return [] if set(count) == {"count"} and count["count"].isdigit() else [f"{key} holds {count}"]
    if key in ("ring", "wake"):
        elements = [e.decode() for e in await conn.command("LRANGE", full, 0, -1)]
        right = all(map(emq.is_valid, elements)) if key == "ring" else set(elements) == {"1"}
        return [] if right and (key == "ring" or len(elements) <= 64) else [f"{key} holds {elements[:5]}"]
    if key == "paused":
        groups = [group.decode() for group in await conn.command("SMEMBERS", full)]
        return [f"{group} is parked and no group" for group in groups if not emq.is_valid(group)]
    if key == "meta":
        meta = pairs(await conn.command("HGETALL", full))
        return [] if set(meta) <= {"paused", "concurrency", "max"} else [f"meta holds {meta}"]
    return []


async def _members(conn: emq.Connector, queue: str, key: str, full: str) -> list[str]:
    found = []
    reply: list[Any] = await conn.command("ZRANGE", full, 0, -1, "WITHSCORES")
    flat = reply if not reply or not isinstance(reply[0], list) else [x for pair in reply for x in pair]
    for member, score in zip(flat[::2], flat[1::2], strict=True):
        id, due = member.decode(), float(score)
        state = await conn.command("HGET", emq.Keyspace(queue).job(id), "state") if emq.is_valid(id) else None
        if state is None or state.decode() != STATES.get(key, "pending"):
            found.append(f"{id} in {key} has state {state!r}")
        if key in ("active", "schedule"):
            if due != int(due) or due < 1_600_000_000_000:
                found.append(f"{id} in {key} has score {due}, no time in ms")
        elif due != 0:
            found.append(f"{id} in {key} has score {due}, not 0")
    return found


def _row(key: str, row: dict[str, bytes]) -> list[str]:
    found = [f"{key} has no {field}" for field in ("state", "attempts", "payload") if field not in row]
    state = row.get("state", b"").decode()
    if state not in {"pending", "active", "scheduled", "dead", "awaiting_children"}:
        found.append(f"{key} has state {state!r}")
    for field in ("attempts", "stalled"):
        if field in row and not re.fullmatch(rb"0|[1-9]\d*", row[field]):
            found.append(f"{key} has {field} {row[field]!r}")
    if "group" in row and not emq.is_valid(row["group"].decode(errors="replace")):
        found.append(f"{key} has group {row['group']!r}")
    if state == "active" and row.get("attempts") == b"0":
        found.append(f"{key} is active and was never claimed")
    return found
