"""`emq requeue|remove|purge|pause|resume|limit|drain|obliterate`: steering a queue."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from .admin import Admin
from .cli_shell import HERE, Queue, Url, Yes, on, sure
from .connector import Connector
from .dead import DeadLetters
from .errors import EmqError, Gone
from .lanes import Lanes

Lane = Annotated[str, typer.Option(help="This lane alone: the group's id.")]

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_PAGE = 500


def requeue(
    queue: Queue,
    ids: Annotated[list[str] | None, typer.Argument(help="Dead jobs.", show_default=False)] = None,
    url: Url = HERE,
    every: Annotated[bool, typer.Option("--all", help="All that are dead now.")] = False,
) -> None:
    """Let dead jobs wait again, each in the lane it came from, with all their attempts before them."""
    if bool(ids) == every:
        raise typer.BadParameter("name some jobs, or say --all")

    async def move(conn: Connector) -> list[str]:
        letters = DeadLetters(conn, queue)
        if ids:
            return _told(ids, await letters.requeue_many(ids))
        failed: list[str] = []
        left, after = await letters.count(), ""
        while left > 0 and (page := await letters.browse(min(_PAGE, left), after=after)):
            named = [letter.id for letter in page]
            failed += _told(named, await letters.requeue_many(named))
            left, after = left - len(page), named[-1]
        return failed

    _leave(on(url, move))


def remove(
    queue: Queue,
    ids: Annotated[list[str], typer.Argument(help="Jobs, wherever they are.", show_default=False)],
    url: Url = HERE,
    yes: Yes = False,
) -> None:
    """Remove jobs for good; a worker that has one in hand finds it gone."""
    sure(f"Remove {len(ids)} of {queue}'s jobs for good?", yes)

    async def move(conn: Connector) -> list[str]:
        admin, failed = Admin(conn, queue), []
        for id in ids:
            try:
                await admin.remove(id)
                typer.echo(f"{id} removed")
            except Gone as error:
                failed.append(str(error))
        return failed

    _leave(on(url, move))


def purge(
    queue: Queue,
    older: Annotated[
        str, typer.Option(help="Died longer ago than this, as in 90m, 12h or 7d.", show_default=False)
    ],
    url: Url = HERE,
    yes: Yes = False,
) -> None:
    """Remove dead jobs for good that died long ago."""
    span = re.fullmatch(r"([0-9]{1,9})([smhd])", older)
    if span is None:
        raise typer.BadParameter("give a number and s, m, h or d, as in 7d", param_hint="--older")
    sure(f"Remove the dead jobs of {queue} that died more than {older} ago?", yes)
    before = datetime.now(UTC) - timedelta(seconds=int(span[1]) * _UNITS[span[2]])
    removed = on(url, lambda conn: DeadLetters(conn, queue).purge(before=before))
    typer.echo(f"{removed} dead jobs of {queue} removed")


def pause(queue: Queue, url: Url = HERE, lane: Lane = "") -> None:
    """Hand out no more jobs of a queue, or of one lane; those in flight go on."""
    if lane:
        on(url, lambda conn: Lanes(conn, queue).pause(lane))
    else:
        on(url, lambda conn: Admin(conn, queue).pause())
    typer.echo(f"{lane or queue} is paused")


def resume(queue: Queue, url: Url = HERE, lane: Lane = "") -> None:
    """Hand out jobs of a queue, or of one lane, again."""
    if lane:
        on(url, lambda conn: Lanes(conn, queue).resume(lane))
    else:
        on(url, lambda conn: Admin(conn, queue).resume())
    typer.echo(f"{lane or queue} is served")


def limit(
    queue: Queue,
    lane: Annotated[str, typer.Argument(help="The group's id.", show_default=False)],
    at_most: Annotated[
        int, typer.Argument(min=0, help="Jobs in flight; 0 lifts the limit.", show_default=False)
    ],
    url: Url = HERE,
) -> None:
    """Let no more than so many jobs of a lane be in flight."""

    async def steer(conn: Connector) -> None:
        lanes = Lanes(conn, queue)
        if at_most:
            await lanes.limit(lane, at_most)
        else:
            await lanes.unlimit(lane)

    on(url, steer)
    typer.echo(f"{lane} is limited to {at_most}" if at_most else f"{lane} has no limit")


def drain(
    queue: Queue,
    url: Url = HERE,
    scheduled: Annotated[
        bool, typer.Option("--scheduled", help="Those that wait for their time, too.")
    ] = False,
    lanes: Annotated[bool, typer.Option("--lanes", help="Those that wait in lanes, too.")] = False,
    lane: Lane = "",
    yes: Yes = False,
) -> None:
    """Remove the jobs that wait, for good; those in flight and the dead stay."""
    sure(f"Remove the waiting jobs of {lane or queue} for good?", yes)
    if lane:
        removed = on(url, lambda conn: Lanes(conn, queue).drain(lane))
    else:
        removed = on(url, lambda conn: Admin(conn, queue).drain(scheduled=scheduled, lanes=lanes))
    typer.echo(f"{removed} jobs of {lane or queue} removed")


def obliterate(
    queue: Queue,
    url: Url = HERE,
    force: Annotated[bool, typer.Option("--force", help="Also when jobs are in flight.")] = False,
    yes: Yes = False,
) -> None:
    """Remove everything a paused queue has: jobs, lanes, counters. Asks first."""
    sure(f"Remove everything of {queue}, for good?", yes, always=True)
    on(url, lambda conn: Admin(conn, queue).obliterate(force=force))
    typer.echo(f"{queue} is gone")


def _told(ids: list[str], outcomes: object) -> list[str]:
    """Print what became of each; return the sentences about those that failed."""
    failed = []
    for id, outcome in zip(ids, outcomes, strict=True):  # type: ignore[call-overload]
        line = f"{id} {outcome}"
        if str(outcome) == "requeued":
            typer.echo(line)
        else:
            failed.append(line)
    return failed


def _leave(failed: list[str]) -> None:
    if failed:
        raise EmqError("; ".join(failed))
