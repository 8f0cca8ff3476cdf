"""Everything that is stored about a person, as they may have it: plain values, times in UTC."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CompoundSelect, case, select, union
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play.literals import IS_CLOSED
from codemojex.store.columns import AnySelect
from codemojex.store.schema import (
    OF_OTHERS,
    drafts,
    finishes,
    games,
    guesses,
    hints,
    members,
    notices,
    pins,
    players,
    rooms,
    seasons,
    told_once,
    updates,
    votes,
)


async def export(tx: AsyncConnection, player_id: int) -> dict[str, Any]:
    """What is stored about a person, by subject; each a list of rows, empty where there is nothing.

    Scores of open games are left out: a blind game has not told them yet.
    """
    return {subject: await _rows(tx, query) for subject, query in _queries(player_id).items()}


def _queries(player_id: int) -> dict[str, AnySelect]:
    ended = games.c.state == IS_CLOSED
    scores = (case((ended, guesses.c[name])).label(name) for name in ("points", "exact", "misplaced", "late"))
    return {
        "player": select(players).where(players.c.id == player_id),
        "rooms": (
            select(rooms.c.code, members.c.joined_at, members.c.left_at)
            .join(rooms, rooms.c.id == members.c.room_id)
            .where(members.c.player_id == player_id)
            .order_by(members.c.joined_at)
        ),
        "games": (
            select(games.c.id, games.c.mode, games.c.level, games.c.theme, games.c.opened_at)
            .add_columns(games.c.closed_at, games.c.closed_reason)
            .add_columns(
                (games.c.opened_by == player_id).label("opened_by_you"),
                (games.c.winner_id == player_id).label("won_by_you"),
            )
            .where(games.c.id.in_(_games_of(player_id)))
            .order_by(games.c.id)
        ),
        "guesses": (
            select(guesses.c.game_id, guesses.c.number, guesses.c.symbols, guesses.c.chat_id)
            .add_columns(guesses.c.message_id, guesses.c.admitted_at, *scores)
            .join(games, games.c.id == guesses.c.game_id)
            .where(guesses.c.player_id == player_id)
            .order_by(guesses.c.id)
        ),
        **{table.name: _mine(table, player_id) for table in (pins, hints, votes, drafts, finishes, seasons)},
        "messages": (
            select(notices.c.kind, notices.c.created_at, notices.c.sent_at)
            .where(notices.c.id.in_(_notices_to(player_id)))
            .order_by(notices.c.id)
        ),
        "told_once": select(told_once).where(told_once.c.chat_id == player_id),
        "updates": (
            select(updates.c.update_id, updates.c.kind, updates.c.message_id, updates.c.seen_at)
            .where(updates.c.chat_id == player_id)
            .order_by(updates.c.update_id)
        ),
    }


def _games_of(player_id: int) -> CompoundSelect[int]:
    """Ids of the games somebody has to do with; each part has an index, which one condition for all would not use."""
    guessed = select(guesses.c.game_id).where(guesses.c.player_id == player_id)
    had = (select(games.c.id).where(who == player_id) for who in (games.c.opened_by, games.c.winner_id))
    return union(guessed, *had)


def _notices_to(player_id: int) -> CompoundSelect[str]:
    """Ids of what somebody was told: about themselves, or about others."""
    here = notices.c.chat_id == player_id
    return union(
        *(select(notices.c.id).where(here, who) for who in (notices.c.player_id == player_id, OF_OTHERS))
    )


def _mine(table: Any, player_id: int) -> AnySelect:
    columns = [column for column in table.c if column.name != "player_id"]
    return select(*columns).where(table.c.player_id == player_id).order_by(*table.primary_key.columns)


async def _rows(tx: AsyncConnection, query: AnySelect) -> list[dict[str, Any]]:
    return [{name: _plain(value) for name, value in row._mapping.items()} for row in await tx.execute(query)]


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
