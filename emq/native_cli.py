"""`emq native`: build the native module, say where it is, load it into a server, look whether it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated

import typer

from . import native
from .connector import Connector, connect

app = typer.Typer(
    help="The native twin of lease extension: a server module. Optional; without it scripts do the same.",
    no_args_is_help=True,
)

Url = Annotated[
    str, typer.Argument(envvar="REDIS_URL", help="The queue server, as for emq.connect.", show_default=True)
]
HERE = "redis://127.0.0.1:6379"


@app.command()
def build() -> None:
    """Build the module into this user's cache and say what a server needs to load it."""
    path = native.build(anew=True)
    typer.echo(native.ALLOWING.format(path=path))
    typer.echo(path)


@app.command()
def path() -> None:
    """Print the path of the module, the last line of the output; it is built first if it is not there."""
    typer.echo(native.build())


@app.command()
def load(url: Url = HERE) -> None:
    """Load the module into every primary until that restarts."""
    built = native.build()
    primaries = asyncio.run(_on(url, lambda conn: native.load(conn, built)))
    _tell(primaries)
    typer.echo(f"For good, put this into each server's configuration:\n    loadmodule {built}")
    _leave(primaries)


@app.command()
def check(url: Url = HERE) -> None:
    """Say whether every primary has the native commands; exit code 1 when one does not."""
    primaries = asyncio.run(_on(url, native.look))
    _tell(primaries)
    whole = all(primary.loaded for primary in primaries)
    typer.echo(f"wire='auto' extends leases here with {'native commands' if whole else 'scripts'}")
    _leave(primaries)


async def _on(url: str, work: Callable[[Connector], Awaitable[list[native.Primary]]]) -> list[native.Primary]:
    async with await connect(url, wire=4) as conn:
        return await work(conn)


def _tell(primaries: list[native.Primary]) -> None:
    for primary in primaries:
        found = "has the native commands" if primary.loaded else "does not have the native commands"
        typer.echo(f"{primary.shown}: {found}{': ' if primary.trouble else ''}{primary.trouble}")


def _leave(primaries: list[native.Primary]) -> None:
    if not all(primary.loaded for primary in primaries):
        raise typer.Exit(1)
