"""What a person has played last."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import games as games_
from codemojex.play.games import GameView
from codemojex.play.literals import IS_CLOSED
from codemojex.play.rooms import RoomKind
from codemojex.store.schema import finishes, games, rooms


async def ended(tx: AsyncConnection, player_id: int, room_ids: Collection[int]) -> GameView | None:
    """The game that ended last, of these rooms or of the dailies the person has played in; None: there is none."""
    dailies = (
        select(finishes.c.game_id)
        .join(games, games.c.id == finishes.c.game_id)
        .join(rooms, rooms.c.id == games.c.room_id)
        .where(finishes.c.player_id == player_id, rooms.c.kind == RoomKind.DAILY)
    )
    query = (
        select(games.c.id)
        .where(games.c.state == IS_CLOSED, or_(games.c.room_id.in_(room_ids), games.c.id.in_(dailies)))
        .order_by(games.c.closed_at.desc(), games.c.id.desc())
        .limit(1)
    )
    found = (await tx.execute(query)).scalar_one_or_none()
    return None if found is None else await games_.game(tx, found)
