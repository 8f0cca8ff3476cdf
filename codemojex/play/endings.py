"""What is told when a game ends: the code and who found it, to everybody in the chat where they played."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select, union
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import Mode
from codemojex.play.games import Cause
from codemojex.play.outbox import Draft
from codemojex.play.rooms import RoomKind
from codemojex.play.standings import Place, Standings
from codemojex.store.columns import AnyRow
from codemojex.store.schema import guesses, members


async def endings(
    tx: AsyncConnection, game: AnyRow, reason: Cause, winner: Place | None, table: Standings
) -> list[Draft]:
    """The notices of a game's end: one for the room's chat, or one for each of its players.

    Args:
        game: the game's row with its room's ``kind``, ``chat_id``, ``thread_id`` and ``day``.
        table: its standings with every guess scored.
    """
    told = {
        "reason": str(reason),
        "winner": None if winner is None else winner.name,
        "winner_id": None if winner is None else winner.player_id,
        "secret": list(game.secret),
        "nonce": game.nonce,
        "commitment": game.commitment,
        "mode": game.mode,
        "room": game.kind,
        "day": game.day,
    }
    shown = await _revealed(tx, game) if game.mode == Mode.BLIND else {}
    # Telegram gives a private chat the id of the person in it.
    places = {place.player_id: place for place in table.places}
    return [
        Draft(
            chat_id,
            "ended",
            told | _mine(places.get(chat_id), winner, table) | {"revealed": shown.get(chat_id)},
            thread_id=game.thread_id,
            game_id=game.id,
        )
        for chat_id in await _chats(tx, game, table)
    ]


def _mine(place: Place | None, winner: Place | None, table: Standings) -> dict[str, Any]:
    """How the one did whose chat this is; nothing of the kind in a group's."""
    return {
        "you_won": winner is not None and winner is place,
        "guesses": place.guesses if place else 0,
        "best": place.best if place else None,
        "exact": place.exact if place else None,
        "misplaced": place.misplaced if place else None,
        "hints": place.hints if place else 0,
        "rank": place.rank if place else None,
        "of": table.placed,
    }


async def _chats(tx: AsyncConnection, game: AnyRow, table: Standings) -> list[int]:
    """Where an end is told. Somebody who asked to be forgotten has an id below 0, and no chat."""
    if game.chat_id is not None:
        return [game.chat_id]
    if game.kind == RoomKind.DAILY:
        return sorted(place.player_id for place in table.places if place.player_id > 0)
    present = select(members.c.player_id).where(
        members.c.room_id == game.room_id, members.c.left_at.is_(None)
    )
    played = select(guesses.c.player_id).where(guesses.c.game_id == game.id)
    everybody = (await tx.execute(union(present, played))).scalars()
    return sorted(player_id for player_id in everybody if player_id > 0)


async def _revealed(tx: AsyncConnection, game: AnyRow) -> dict[int, list[list[Any]]]:
    """What a blind game kept back: by player, their guesses that count with their points, in order."""
    query = (
        select(guesses.c.player_id, guesses.c.symbols, guesses.c.points)
        .where(guesses.c.game_id == game.id, guesses.c.late.is_(False))
        .order_by(guesses.c.player_id, guesses.c.number)
    )
    found: dict[int, list[list[Any]]] = {}
    for row in await tx.execute(query):
        found.setdefault(row.player_id, []).append([row.symbols, row.points])
    return found
