"""`emq stats|peek|job|dead|lanes`: looking at a queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Annotated

import typer

from .admin import Admin
from .cli_shell import HERE, Json, Queue, Url, age, on, say_json, show, text
from .connector import Connector
from .dead import DeadLetters
from .ids import is_valid, parse
from .keyspace import Keyspace
from .lanes import Lanes
from .resp import checked
from .rows import pairs
from .views import DeadLetter, State

_LOOKED_AT = 20_000
"""Ids that a look at many lanes asks for."""

Number = Annotated[int, typer.Option("--number", "-n", min=1, max=10_000, help="Show at most so many.")]


def stats(queue: Queue, url: Url = HERE, as_json: Json = False) -> None:
    """How many jobs are in each state, and how old the oldest of each is."""

    async def look(conn: Connector) -> dict[str, object]:
        admin = Admin(conn, queue)
        counts, ages = await admin.counts(), await admin.ages()
        return {"queue": queue, "paused": await admin.paused(), **asdict(counts), "oldest_ms": asdict(ages)}

    found = on(url, look)
    if as_json:
        say_json(found)
        return
    oldest = dict(found["oldest_ms"])  # type: ignore[call-overload]
    rows = [
        (name, found[name], age(oldest.get(name)))
        for name in ("pending", "in_lanes", "active", "scheduled", "dead")
    ]
    rows += [(name, found[name], "-") for name in ("completed", "failed", "dropped")]
    show(f"{queue}{' (paused)' if found['paused'] else ''}", ("state", "jobs", "oldest"), rows)


def peek(
    queue: Queue,
    url: Url = HERE,
    as_json: Json = False,
    number: Number = 10,
    lane: Annotated[str, typer.Option(help="Of this lane alone.")] = "",
) -> None:
    """The jobs that would be claimed next, in lanes and outside of them in turn, without claiming them."""

    async def look(conn: Connector) -> list[dict[str, object]]:
        keys = Keyspace(queue)
        if lane:
            ids = await _heads(conn, [keys.lane(lane)], number)
        else:
            groups = await conn.command("LRANGE", keys.ring, 0, number - 1)
            lanes = await _heads(
                conn, [keys.lane(group.decode(errors="replace")) for group in groups], number
            )
            ids = _in_turn([lanes, await _heads(conn, [keys.pending], number)])[:number]
        named = [id.decode() for id in ids if is_valid(id.decode(errors="replace"))]
        rows = await conn.pipeline([("HGETALL", keys.job(id)) for id in named]) if named else []
        return [_job(id, pairs(checked(row))) for id, row in zip(named, rows, strict=True)]

    found = on(url, look)
    if as_json:
        for job in found:
            say_json(job)
        return
    rows = [(job["id"], job["group"] or "-", job["minted"], job["attempts"], job["payload"]) for job in found]
    show(queue, ("id", "lane", "minted", "claims", "payload"), rows)


async def _heads(conn: Connector, waits_in: Sequence[str], number: int) -> list[bytes]:
    """The first ids of some sets that jobs wait in, one of each, then the second ones: ``number`` at most."""
    if not waits_in:
        return []
    most = min(number, max(1, _LOOKED_AT // len(waits_in)))
    heads = await conn.pipeline([("ZRANGE", key, 0, most - 1) for key in waits_in])
    return _in_turn([checked(ids) for ids in heads])[:number]


def _in_turn(rows: Sequence[Sequence[bytes]]) -> list[bytes]:
    """The first of each row, then the second of each that has one, and so on."""
    return [one for turn in zip_longest(*rows) for one in turn if one is not None]


def job(queue: Queue, id: str, url: Url = HERE, as_json: Json = False) -> None:
    """Everything about one job: where it is, its row, its log."""

    async def look(conn: Connector) -> dict[str, object]:
        admin = Admin(conn, queue)
        state, row = await admin.state(id), await admin.job(id) or {}
        told = {name: text(value, 10_000) for name, value in row.items()}
        # Where it is goes by the sets; what its row says is a field of the same name.
        return {**told, "id": id, "state": str(state), "log": await admin.logs(id) if row else []}

    found = on(url, look)
    if as_json:
        say_json(found)
    elif found["state"] != State.ABSENT:
        show(f"{queue} {id}", ("field", "value"), [(name, _plain(value)) for name, value in found.items()])
    if found["state"] == State.ABSENT:
        typer.echo(f"emq: {queue} has no job {id}: it was completed or removed, or never was", err=True)
        raise typer.Exit(1)


def dead(
    queue: Queue,
    url: Url = HERE,
    as_json: Json = False,
    number: Number = 20,
    after: Annotated[str, typer.Option(help="Go on after this id, the last of the page before.")] = "",
) -> None:
    """Jobs that were set aside, the oldest first, and why."""
    letters = on(url, lambda conn: DeadLetters(conn, queue).browse(number, after=after))
    if as_json:
        for letter in letters:
            say_json(_letter(letter))
        return
    rows = [(letter.id, letter.group or "-", letter.claims, letter.reason[:120]) for letter in letters]
    show(f"{queue}: dead letters", ("id", "lane", "claims", "reason"), rows)


def lanes(queue: Queue, url: Url = HERE, as_json: Json = False, number: Number = 50) -> None:
    """The lanes that have work or are held back, the deepest first."""

    async def look(conn: Connector) -> list[dict[str, object]]:
        lanes, keys = Lanes(conn, queue), Keyspace(queue)
        depths = await lanes.depths()
        parked, limits, flying, weights = await conn.pipeline(
            [
                ("SMEMBERS", keys.paused),
                *(("HGETALL", key) for key in (keys.glimit, keys.gactive, keys.gweight)),
            ]
        )
        held = {group.decode() for group in checked(parked)}
        of = [
            {group: int(n) for group, n in pairs(checked(some)).items()} for some in (limits, flying, weights)
        ]
        groups = sorted({*depths, *held, *of[0], *of[1]}, key=lambda group: (-depths.get(group, 0), group))
        return [
            {"group": group, "depth": depths.get(group, 0), "in_flight": of[1].get(group, 0),
             "limit": of[0].get(group), "weight": of[2].get(group, 1), "paused": group in held}
            for group in groups[:number]
        ]  # fmt: skip

    found = on(url, look)
    if as_json:
        for lane in found:
            say_json(lane)
        return
    rows = [
        (
            *(lane[name] for name in ("group", "depth", "in_flight")),
            lane["limit"] or "-",
            lane["weight"],
            lane["paused"],
        )
        for lane in found
    ]
    show(f"{queue}: lanes", ("lane", "waiting", "in flight", "limit", "weight", "paused"), rows)


def _job(id: str, row: dict[str, bytes]) -> dict[str, object]:
    return {
        "id": id,
        "minted": _minted(id),
        "attempts": int(row.get("attempts", b"0")),
        "group": text(row["group"]) if "group" in row else None,
        "payload": text(row.get("payload")),
    }


def _letter(letter: DeadLetter) -> dict[str, object]:
    told = asdict(letter)
    return {**told, "payload": text(letter.payload, 10_000)}


def _minted(id: str) -> str:
    return datetime.fromtimestamp(parse(id).unix_ms / 1_000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _plain(value: object) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)
