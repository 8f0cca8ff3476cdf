"""The `emq` command. Each verb is thin; an error is one line on stderr: exit code 1, or 2 for what was typed wrong."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, NoReturn

import typer

from . import cli_looks, cli_moves, native_cli
from .cli_watch import watch
from .errors import EmqError
from .keyspace import VERSION

app = typer.Typer(name="emq", no_args_is_help=True, pretty_exceptions_enable=False)
for verb in (
    cli_looks.stats, cli_looks.peek, cli_looks.job, cli_looks.dead, cli_looks.lanes, watch,
    cli_moves.requeue, cli_moves.remove, cli_moves.purge, cli_moves.pause, cli_moves.resume,
    cli_moves.limit, cli_moves.drain, cli_moves.obliterate,
):  # fmt: skip
    app.command()(verb)
app.add_typer(native_cli.app, name="native")


def _say_version(asked: bool) -> None:
    if asked:
        typer.echo(f"emq {version('codemojex')}, wire protocol {VERSION}")
        raise typer.Exit


@app.callback()
def emq(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Say the version and exit."),
    ] = False,
) -> None:
    """A job queue on Valkey or Redis, from the shell."""


def main() -> None:
    """Run the command line."""
    try:
        code = app(prog_name="emq", standalone_mode=False)
    except EmqError as error:
        _leave(str(error), 1)
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        sentence = error.format_message().rstrip(".")
        # Without a sentence it is the help of a group of verbs, which was shown.
        _leave(f"{sentence}; see {context.command_path if context else 'emq'} --help" if sentence else "", 2)
    except typer.Abort:
        _leave("nothing was done", 1)
    raise SystemExit(code or 0)


def _leave(sentence: str, code: int) -> NoReturn:
    if sentence:
        typer.echo(f"emq: {sentence}", err=True)
    raise SystemExit(code) from None
