"""The `codemojex` command. Each verb is thin; a known error is one line on stderr and exit code 1."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from importlib.metadata import version
from typing import Annotated, Any

import structlog
import typer
from typer.core import TyperGroup

from codemojex import cli_errors, loops, player_cli
from codemojex.settings import Settings, read_settings
from codemojex.streams import make_streams_usable
from codemojex.swarm import command
from codemojex.unread import unread_names

log = structlog.get_logger(__name__)

_SAMPLE = 5

Json = Annotated[bool, typer.Option("--json", help="One JSON object instead of lines.")]

# As `--help` lists them: what is needed most comes first.
_ORDER = ("play", "up", "bot", "worker", "db", "doctor", "audit", "repair", "player", "swarm")


class _Ordered(TyperGroup):
    """The commands in the order of `_ORDER`."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, those of `_ORDER` first."""
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))


app = typer.Typer(
    name="codemojex",
    cls=_Ordered,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
db = typer.Typer(help="The database's schema.", no_args_is_help=True)
app.add_typer(db, name="db")
app.add_typer(player_cli.app, name="player")
app.command("swarm")(command.swarm)


def main() -> None:
    """Run the command line."""
    make_streams_usable()
    # Games that run and their secrets lie in the home folder; nobody else on this machine may read them.
    os.umask(0o077)
    cli_errors.run(app)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(version("codemojex"))
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which.")
    ] = False,
) -> None:
    """Crack a hidden code of six emojis: a Telegram game, its workers and its tools."""


def _settings(**overrides: object) -> Settings:
    from codemojex.logs import start_logs

    settings = read_settings(**overrides)
    start_logs(settings)
    for unread in unread_names():
        if unread.meant is not None:
            log.warning("a name in .env is not read", name=unread.name, meant=unread.meant)
    return settings


def _run(bot: bool, worker: bool) -> None:
    settings = _settings()
    from codemojex.running import Roles, run

    loops.run(lambda: run(settings, Roles(bot=bot, worker=worker)))


@app.command()
def bot() -> None:
    """Run the bot: receive messages, admit guesses, send the answers."""
    _run(bot=True, worker=False)


@app.command()
def worker() -> None:
    """Run a scoring worker. Any number may run, on any machine that reaches the two servers."""
    _run(bot=False, worker=True)


@app.command()
def up() -> None:
    """Run the bot and a scoring worker in one supervised process."""
    _run(bot=True, worker=True)


@app.command()
def play(
    secret: Annotated[
        str, typer.Option(help="Fix the secret of every game whose keyboard has these six emojis.")
    ] = "",
    keyboard: Annotated[str, typer.Option(help="easy, normal or hard: 8, 12 or 18 emojis.")] = "normal",
    mode: Annotated[str, typer.Option(help="classic, pegs or blind.")] = "classic",
    theme: Annotated[str, typer.Option(help="The set of emojis.")] = "fruit",
    ephemeral: Annotated[bool, typer.Option("--ephemeral", help="Keep nothing afterwards.")] = False,
    web: Annotated[bool, typer.Option("--web", help="Chat on a page in a browser: several people.")] = False,
) -> None:
    """Play here and now: the whole system on this machine, with a Telegram of its own.

    With a terminal it is a chat. With --web it is a page for a browser on this machine, where several people
    play in private and in groups, until Ctrl-C. With piped input each line is sent as a message and the replies are
    printed; the program ends when the input has ended and every guess has its answer.
    """
    from codemojex.play_options import PlayOptions
    from codemojex.playing import play_here

    options = PlayOptions(secret, keyboard, mode, theme, ephemeral, web)
    raise SystemExit(loops.run(lambda: play_here(options)))


@db.command("upgrade")
def db_upgrade() -> None:
    """Create the schema, or bring it up to date. Safe to run again."""
    settings = _settings()
    from codemojex.store import revision

    if settings.database_url is None:
        settings.make_home()
    before_after = revision.upgrade(settings.store_url)
    typer.echo(before_after)


@db.command("check")
def db_check() -> None:
    """Say whether the schema fits this version of the code; exit code 1 when it does not."""
    settings = _settings()

    async def check() -> str:
        from codemojex.connections import open_database
        from codemojex.store import revision

        async with open_database(settings):
            return f"the schema is {revision.head()}, as this version expects"

    typer.echo(loops.run(check))


@app.command()
def doctor(as_json: Json = False) -> None:
    """Check settings, database, queue, token and privacy mode; say what to do about each finding.

    Exit code 1 when a check failed.
    """
    settings = _settings()
    from codemojex.doctor import Level, examine

    findings = loops.run(lambda: examine(settings))
    failed = any(finding.level is Level.FAILED for finding in findings)
    if as_json:
        told = {"ok": not failed, "findings": [asdict(finding) for finding in findings]}
        typer.echo(json.dumps(told, ensure_ascii=False))
    else:
        signs = {Level.OK: "ok    ", Level.NOTE: "note  ", Level.FAILED: "FAILED"}
        for finding in findings:
            typer.echo(f"{signs[finding.level]} {finding.what}: {finding.seen}")
            if finding.cure:
                typer.echo(f"         {finding.cure}")
    if failed:
        raise SystemExit(1)


@app.command()
def audit(
    as_json: Json = False,
) -> None:
    """Count admitted, queued, scored and told guesses, and name every promise that does not hold.

    Safe on a live system. Exit code 1 when a promise is broken.
    """
    settings = _settings()

    async def examine() -> Any:
        from codemojex.auditing import examine as audit_all
        from codemojex.connections import open_database
        from codemojex.store.clock import SharedClock

        async with open_database(settings) as store:
            return await audit_all(store, settings, (await SharedClock.of(store))())

    report = loops.run(examine)
    if as_json:
        typer.echo(json.dumps(report.as_dict(), ensure_ascii=False))
    else:
        for name, count in report.counts.items():
            typer.echo(f"{name:<16} {count:>9}")
        for bad in report.violations:
            typer.echo(f"BROKEN {bad.name}: {bad.count} (for example {', '.join(map(str, bad.samples))})")
        if report.unasked:
            typer.echo(f"the queue was not asked: {report.unasked}")
        typer.echo(f"it took {report.took_s:.1f} s")
        if not report.violations:
            typer.echo("every promise holds")
    if report.violations:
        raise SystemExit(1)


@app.command()
def repair(
    apply: Annotated[bool, typer.Option("--apply", help="Do it; without this nothing is changed.")] = False,
    as_json: Json = False,
) -> None:
    """Say what the sweep should have put right and has not, by the lines of the audit; with --apply, put it right.

    Safe on a live system, and safe to run again. What only a person can decide is left alone.
    """
    settings = _settings()

    async def mend() -> list[Any]:
        from codemojex.connections import open_database
        from codemojex.repair import repair as mend_all
        from codemojex.store.clock import SharedClock

        async with open_database(settings) as store:
            return await mend_all(store, settings, (await SharedClock.of(store))(), apply=apply)

    repairs = loops.run(mend)
    if as_json:
        typer.echo(json.dumps({"applied": apply, "repairs": [asdict(each) for each in repairs]}))
        return
    for each in repairs:
        some = ", ".join(each.ids[:_SAMPLE]) + (" …" if len(each.ids) > _SAMPLE else "")
        typer.echo(f"{each.line:<26} {len(each.ids):>6}  {each.deed}: {some}")
    if not repairs:
        typer.echo("there is nothing to repair")
    elif not apply:
        typer.echo("nothing was changed; `codemojex repair --apply` does it")


if __name__ == "__main__":
    main()
