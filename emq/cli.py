"""The `emq` command. Each verb is thin; a known error is one line on stderr and exit code 1."""

from __future__ import annotations

import typer

from . import cli_looks, cli_moves, native_cli
from .cli_watch import watch
from .errors import EmqError

app = typer.Typer(
    name="emq",
    help="A job queue on Valkey or Redis, from the shell.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for verb in (
    cli_looks.stats, cli_looks.peek, cli_looks.job, cli_looks.dead, cli_looks.lanes, watch,
    cli_moves.requeue, cli_moves.remove, cli_moves.purge, cli_moves.pause, cli_moves.resume,
    cli_moves.limit, cli_moves.drain, cli_moves.obliterate,
):  # fmt: skip
    app.command()(verb)
app.add_typer(native_cli.app, name="native")


def main() -> None:
    """Run the command line."""
    try:
        app()
    except EmqError as error:
        typer.echo(f"emq: {error}", err=True)
        raise SystemExit(1) from None
