"""`emq watch`: a queue as it moves."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console, Group
from rich.live import Live

from .admin import Admin
from .cli_shell import HERE, Json, Queue, Url, age, on, say_json, table
from .connector import Connector
from .lanes import Lanes
from .verdicts import Counts

SHOWN_LANES = 10


class Look:
    """What one look at a queue saw, and how fast it moves since the one before."""

    def __init__(self, conn: Connector, queue: str) -> None:
        self._admin = Admin(conn, queue)
        self._lanes = Lanes(conn, queue)
        self._queue = queue
        self._before: tuple[float, Counts] | None = None

    async def take(self) -> dict[str, object]:
        """The next look."""
        now = asyncio.get_running_loop().time()
        counts, ages = await self._admin.counts(), await self._admin.ages()
        rates = {"completed_per_s": 0.0, "failed_per_s": 0.0}
        if self._before is not None and now > self._before[0]:
            took, old = now - self._before[0], self._before[1]
            rates["completed_per_s"] = round((counts.completed - old.completed) / took, 1)
            rates["failed_per_s"] = round((counts.failed - old.failed) / took, 1)
        self._before = (now, counts)
        depths = sorted((await self._lanes.depths()).items(), key=lambda lane: (-lane[1], lane[0]))
        return {
            "queue": self._queue,
            "paused": await self._admin.paused(),
            **asdict(counts),
            **rates,
            "oldest_ms": asdict(ages),
            "lanes": dict(depths[:SHOWN_LANES]),
        }


def watch(
    queue: Queue,
    url: Url = HERE,
    as_json: Json = False,
    every: Annotated[float, typer.Option(min=0.05, max=3_600, help="Seconds between looks.")] = 1.0,
    looks: Annotated[int, typer.Option(min=0, help="End after so many looks; 0 goes on until Ctrl-C.")] = 0,
) -> None:
    """Depth, age, rates, leases and lanes of a queue, live."""

    async def follow(conn: Connector) -> None:
        look, taken = Look(conn, queue), 0
        with contextlib.ExitStack() as screen:
            live = None if as_json else screen.enter_context(Live(console=_console(), auto_refresh=False))
            while True:
                seen = await look.take()
                taken += 1
                if live is None:
                    say_json(seen)
                else:
                    live.update(_frame(seen), refresh=True)
                if taken == looks:
                    return
                await asyncio.sleep(every)

    try:
        on(url, follow)
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


def _console() -> Console:
    return Console(highlight=False, markup=False)


def _frame(seen: dict[str, object]) -> Group:
    oldest = dict(seen["oldest_ms"])  # type: ignore[call-overload]
    states = [
        (name, seen[name], age(oldest.get(name)))
        for name in ("pending", "in_lanes", "active", "scheduled", "dead")
    ]
    title = f"{seen['queue']}{' (paused)' if seen['paused'] else ''}"
    flow = [(f"{seen['completed_per_s']:,.1f}", f"{seen['failed_per_s']:,.1f}", age(oldest.get("overdue")))]
    lanes = list(dict(seen["lanes"]).items())  # type: ignore[call-overload]
    return Group(
        table(title, ("state", "jobs", "oldest"), states),
        table("flow", ("completed/s", "failed/s", "overdue"), flow),
        *([table("deepest lanes", ("lane", "waiting"), lanes)] if lanes else []),
    )
