"""`codemojex swarm`: the command line."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from codemojex import loops


def swarm(
    rate: Annotated[float, typer.Option(help="Guesses a second, in all.")] = 50.0,
    seconds: Annotated[float, typer.Option(help="For how long they are sent.")] = 30.0,
    players: Annotated[int, typer.Option(help="How many players; 0: as many as the rate needs.")] = 0,
    members: Annotated[int, typer.Option(help="Players in each group.")] = 20,
    private: Annotated[float, typer.Option(help="Weight of guesses in private chats.")] = 6.0,
    groups: Annotated[float, typer.Option(help="Weight of guesses in groups.")] = 3.0,
    daily: Annotated[float, typer.Option(help="Weight of guesses at the puzzle of the day.")] = 1.0,
    limits: Annotated[
        bool, typer.Option("--limits", help="Keep the players' pace and Telegram's budgets of messages.")
    ] = False,
    workers: Annotated[int, typer.Option(help="Scoring workers.")] = 1,
    patience: Annotated[float, typer.Option(help="Seconds an answer may take.")] = 30.0,
    telegram: Annotated[
        str | None,
        typer.Option(help="A local Telegram that runs already, with its bot, like http://127.0.0.1:8081."),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(help="DATABASE_URL on this machine; without it a SQLite file, gone afterwards."),
    ] = None,
    redis: Annotated[
        str | None, typer.Option(help="REDIS_URL on this machine; without it an embedded server.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of what players do.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object instead of lines.")] = False,
) -> None:
    """Have simulated players guess, at a set rate, and say what the system bears.

    Starts everything on this machine: a Telegram of its own, the bot, workers, a queue server and a database; or plays
    against a local Telegram that runs already. Other machines are refused. Exit code 1 when a guess has no answer or a
    promise is broken.
    """
    from rich.console import Console

    from codemojex.swarm.options import Shares, SwarmOptions
    from codemojex.swarm.running import swarm as play_swarm
    from codemojex.swarm.watch import Watch

    options = SwarmOptions(
        rate=rate,
        seconds=seconds,
        players=players,
        members=members,
        shares=Shares(private, groups, daily),
        limits=limits,
        workers=workers,
        patience_s=patience,
        telegram=telegram,
        database=database,
        redis=redis,
        seed=seed,
    )
    with Watch(Console(stderr=True), f"{options.seats} players, {rate:g} guesses a second") as watch:
        report = loops.run(lambda: play_swarm(options, watch))
    typer.echo(json.dumps(report.as_dict(), ensure_ascii=False) if as_json else report.text())
    if report.broken:
        raise SystemExit(1)
