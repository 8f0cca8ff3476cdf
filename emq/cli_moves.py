"""`emq requeue|remove|purge|pause|resume|limit|drain|obliterate`: steering a queue."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from .admin import Admin
from .cli_shell import HERE, Json, Queue, Url, Yes, on, sure, tell
from .connector import Connector
from .dead import DeadLetters
from .errors import EmqError, Gone
from .lanes import Lanes
from .verdicts import Refused, Requeued

Lane = Annotated[str, typer.Option(help="This lane alone: the group's id.")]

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_PAGE = 500


def requeue(
    queue: Queue,
    ids: Annotated[list[str] | None, typer.Argument(help="Dead jobs.", show_default=False)] = None,
    url: Url = HERE,
    every: Annotated[bool, typer.Option("--all", help="All that are dead now.")] = False,
    as_json: Json = False,
) -> None:
    """Let dead jobs wait again, each in the lane it came from, with all their attempts before them."""
    if bool(ids) == every:
        raise typer.BadParameter("name some jobs, or say --all")

    async def move(conn: Connector) -> list[str]:
        letters = DeadLetters(conn, queue)
        if ids:
            return _told(ids, await letters.requeue_many(ids), as_json)
        failed: list[str] = []
        left, after = await letters.count(), ""
        while left > 0 and (page := await letters.browse(min(_PAGE, left), after=after)):
            named = [letter.id for letter in page]
            failed += _told(named, await letters.requeue_many(named), as_json)
            left, after = left - len(page), named[-1]
        return failed

    _leave(on(url, move))


def remove(
    queue: Queue,
    ids: Annotated[list[str], typer.Argument(help="Jobs, wherever they are.", show_default=False)],
    url: Url = HERE,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Remove jobs for good; a worker that has one in hand finds it gone."""
    sure(f"Remove {len(ids)} of {queue}'s jobs for good?", yes)

    async def move(conn: Connector) -> list[str]:
        admin, failed = Admin(conn, queue), []
        for id in ids:
            try:
                await admin.remove(id)
                tell(as_json, f"{id} removed", {"id": id}, "removed")
            except Gone as error:
                failed.append(_failed(as_json, str(error), id, "gone"))
        return failed

    _leave(on(url, move))


def purge(
    queue: Queue,
    older: Annotated[
        str, typer.Option(help="Died longer ago than this, as in 90m, 12h or 7d.", show_default=False)
    ],
    url: Url = HERE,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Remove dead jobs for good that died long ago."""
    span = re.fullmatch(r"([0-9]{1,9})([smhd])", older)
    if span is None:
        raise typer.BadParameter("give a number and s, m, h or d, as in 7d", param_hint="--older")
    sure(f"Remove the dead jobs of {queue} that died more than {older} ago?", yes)
    before = datetime.now(UTC) - timedelta(seconds=int(span[1]) * _UNITS[span[2]])
    removed = on(url, lambda conn: DeadLetters(conn, queue).purge(before=before))
    tell(as_json, f"{removed} dead jobs of {queue} removed", _of(queue), "removed", jobs=removed)


def pause(queue: Queue, url: Url = HERE, lane: Lane = "", as_json: Json = False) -> None:
    """Hand out no more jobs of a queue, or of one lane; those in flight go on."""
    if lane:
        on(url, lambda conn: Lanes(conn, queue).pause(lane))
    else:
        on(url, lambda conn: Admin(conn, queue).pause())
    tell(as_json, f"{lane or queue} is paused", _of(queue, lane), "paused")


def resume(queue: Queue, url: Url = HERE, lane: Lane = "", as_json: Json = False) -> None:
    """Hand out jobs of a queue, or of one lane, again."""
    if lane:
        on(url, lambda conn: Lanes(conn, queue).resume(lane))
    else:
        on(url, lambda conn: Admin(conn, queue).resume())
    tell(as_json, f"{lane or queue} is served", _of(queue, lane), "served")


def limit(
    queue: Queue,
    lane: Annotated[str, typer.Argument(help="The group's id.", show_default=False)],
    at_most: Annotated[
        int, typer.Argument(min=0, help="Jobs in flight; 0 lifts the limit.", show_default=False)
    ],
    url: Url = HERE,
    as_json: Json = False,
) -> None:
    """Let no more than so many jobs of a lane be in flight."""

    async def steer(conn: Connector) -> None:
        lanes = Lanes(conn, queue)
        if at_most:
            await lanes.limit(lane, at_most)
        else:
            await lanes.unlimit(lane)

    on(url, steer)
    sentence = f"{lane} is limited to {at_most}" if at_most else f"{lane} has no limit"
    outcome = "limited" if at_most else "unlimited"
    tell(as_json, sentence, _of(queue, lane), outcome, limit=at_most or None)


def drain(
    queue: Queue,
    url: Url = HERE,
    scheduled: Annotated[
        bool, typer.Option("--scheduled", help="Those that wait for their time, too.")
    ] = False,
    lanes: Annotated[
        bool, typer.Option("--lanes/--no-lanes", help="Those that wait in lanes, too, or not.")
    ] = True,
    lane: Lane = "",
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Remove the jobs that wait, for good; those in flight and the dead stay."""
    sure(f"Remove the waiting jobs of {lane or queue} for good?", yes)
    if lane:
        removed = on(url, lambda conn: Lanes(conn, queue).drain(lane))
    else:
        removed = on(url, lambda conn: Admin(conn, queue).drain(scheduled=scheduled, lanes=lanes))
    tell(as_json, f"{removed} jobs of {lane or queue} removed", _of(queue, lane), "removed", jobs=removed)


def obliterate(
    queue: Queue,
    url: Url = HERE,
    force: Annotated[bool, typer.Option("--force", help="Also when jobs are in flight.")] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Remove everything a paused queue has: jobs, lanes, counters. Asks first."""
    sure(f"Remove everything of {queue}, for good?", yes, always=True)
    on(url, lambda conn: Admin(conn, queue).obliterate(force=force))
    tell(as_json, f"{queue} is gone", _of(queue), "gone")


def _of(queue: str, lane: str = "") -> dict[str, str | None]:
    """What a verb was done to, when it is no job."""
    return {"queue": queue, "lane": lane or None}


def _told(ids: list[str], outcomes: Sequence[Requeued | Refused], as_json: bool) -> list[str]:
    """Print what became of each; return the sentences about those that failed."""
    failed = []
    for id, outcome in zip(ids, outcomes, strict=True):
        line = f"{id} {outcome}"
        if outcome is Requeued.REQUEUED:
            tell(as_json, line, {"id": id}, str(outcome))
        else:
            failed.append(_failed(as_json, line, id, str(outcome)))
    return failed


def _failed(as_json: bool, sentence: str, id: str, outcome: str) -> str:
    """The sentence about a job with which it did not work; a program reads of it among the others."""
    if as_json:
        tell(as_json, sentence, {"id": id}, outcome)
    return sentence


def _leave(failed: list[str]) -> None:
    if failed:
        raise EmqError("; ".join(failed))
