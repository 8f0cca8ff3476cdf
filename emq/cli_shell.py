"""What the verbs of the `emq` command share: where the server is, how to ask, how to print."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.table import Table

from .connector import Connector, connect

T = TypeVar("T")

HERE = "redis://127.0.0.1:6379"

Queue = Annotated[str, typer.Argument(help="The queue's name.", show_default=False)]
Url = Annotated[str, typer.Option("--url", envvar="REDIS_URL", help="The queue server, as for emq.connect.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object a line, for programs.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def on(url: str, work: Callable[[Connector], Awaitable[T]]) -> T:
    """What ``work`` finds out over a connection to ``url``."""

    async def ask() -> T:
        async with await connect(url, wire=4) as conn:
            return await work(conn)

    return asyncio.run(ask())


def say_json(value: Mapping[str, object]) -> None:
    """One line of JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False, default=str))


def tell(as_json: bool, sentence: str, about: Mapping[str, object], outcome: str, **more: object) -> None:
    """One line about what a verb has done: a sentence to a person, an object to a program.

    Args:
        about: what it was done to: an ``id``, or a ``queue`` and a ``lane``.
        outcome: how it ended, in a word; the object has it under this name.
    """
    if as_json:
        say_json({**about, "outcome": outcome, **more})
    else:
        typer.echo(sentence)


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """A table whose numbers stand under each other."""
    made = Table(title=title, title_justify="left", header_style="bold")
    for at, column in enumerate(columns):
        numeric = bool(rows) and all(type(row[at]) in (int, float) or row[at] == "-" for row in rows)
        made.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        made.add_row(*map(_cell, row))
    return made


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table."""
    Console(highlight=False, markup=False).print(table(title, columns, rows))


def text(value: bytes | None, most: int = 200) -> str:
    """Bytes as a reader sees them, cut where they are long."""
    shown = (value or b"").decode(errors="backslashreplace")
    return shown if len(shown) <= most else shown[:most] + "…"


def age(ms: int | None) -> str:
    """A duration a person reads at a glance."""
    if ms is None:
        return "-"
    seconds = ms / 1_000
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.1f} s"


def sure(question: str, yes: bool, *, always: bool = False) -> None:
    """Ask a person before something that cannot be undone; a program is asked only ``always``, and says --yes."""
    if not yes and (always or sys.stdin.isatty()):
        typer.confirm(question, abort=True, err=True)
