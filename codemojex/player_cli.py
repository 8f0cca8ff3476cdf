"""`codemojex player pause|resume|paused`: a player whose guesses wait until an operator says so."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import typer

from codemojex.settings import read_settings

T = TypeVar("T")

app = typer.Typer(help="Pause a player, and let them go on.", no_args_is_help=True)

# Telegram's ids have at most 52 significant bits; those of forgotten players are negative.
PlayerId = Annotated[int, typer.Argument(min=-(2**61), max=2**61, help="The player's Telegram id.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object a line, for programs.")]


@app.command()
def pause(player: PlayerId, as_json: Json = False) -> None:
    """Score no more of a player's guesses: they are admitted and wait. Those in hand are still scored.

    It holds until `resume`, through restarts of everything but a queue server that loses its data.
    """
    from codemojex.guess_lanes import GuessLanes

    async def steer(lanes: GuessLanes) -> int:
        await lanes.pause(player)
        return await lanes.waiting(player)

    waiting = _on_the_queue(steer)
    _say(player, True, waiting, as_json)
    if asyncio.run(_is_known(player)) is False:
        typer.echo(
            f"codemojex: nobody with the id {player} has written to this bot yet. "
            f"If that is a slip: codemojex player resume {'-- ' if player < 0 else ''}{player}",
            err=True,
        )


@app.command()
def resume(player: PlayerId, as_json: Json = False) -> None:
    """Score a player's guesses again, those that wait first."""
    from codemojex.guess_lanes import GuessLanes

    async def steer(lanes: GuessLanes) -> int:
        await lanes.resume(player)
        return await lanes.waiting(player)

    _say(player, False, _on_the_queue(steer), as_json)


@app.command()
def paused(as_json: Json = False) -> None:
    """List the players who are paused, and how many of their guesses wait."""
    from codemojex.guess_lanes import GuessLanes

    async def look(lanes: GuessLanes) -> list[tuple[int, int]]:
        return [(player, await lanes.waiting(player)) for player in await lanes.paused()]

    found = _on_the_queue(look)
    for player, waiting in found:
        _say(player, True, waiting, as_json)
    if not found and not as_json:
        typer.echo("nobody is paused")


def _on_the_queue(work: Callable[..., Awaitable[T]]) -> T:
    """What ``work`` finds out from the queue of guesses."""
    settings = read_settings()

    async def ask() -> T:
        from codemojex.connections import open_queue_server
        from codemojex.guess_lanes import GuessLanes

        async with open_queue_server(settings) as (queue, _):
            return await work(GuessLanes(queue, settings.guess_queue))

    return asyncio.run(ask())


async def _is_known(player: int) -> bool | None:
    """Whether a player is in the database; None when it does not answer: pausing needs the queue alone."""
    from codemojex.connections import open_database
    from codemojex.play.players import is_known
    from codemojex.store.errors import StoreError

    try:
        async with open_database(read_settings()) as store:
            return await store.read(lambda tx: is_known(tx, player))
    except StoreError:
        return None


def _say(player: int, is_paused: bool, waiting: int, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"player": player, "paused": is_paused, "waiting": waiting}))
    else:
        typer.echo(f"{player} is {'paused' if is_paused else 'served'}, {waiting} guesses wait")
