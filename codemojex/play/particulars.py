"""Whose guesses need a second look before they are admitted, asked for many at once.

Nearly everybody has no pins and plays in the chat they write in. One question for a whole batch of messages
finds the others, so that a storm of guesses costs no statement each for what hardly anybody uses.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import literal, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play.literals import IS_OPEN
from codemojex.store.lists import listed
from codemojex.store.schema import games, members, pins, players


@dataclass(frozen=True, slots=True)
class Particulars:
    """What is special about some people.

    Attributes:
        elsewhere: in private, their guesses may go to the daily or to a link room; `daily.where` knows.
        pinned: they have pins in an open game.
    """

    elsewhere: frozenset[int] = frozenset()
    pinned: frozenset[int] = frozenset()


async def particulars(tx: AsyncConnection, player_ids: Collection[int]) -> Particulars:
    """What is special about these people; one statement for all."""
    elsewhere: set[int] = set()
    pinned: set[int] = set()
    for player_id, is_pin in await tx.execute(_SPECIAL, {"players": sorted(player_ids)}):
        (pinned if is_pin else elsewhere).add(player_id)
    return Particulars(frozenset(elsewhere), frozenset(pinned))


def _special() -> Any:
    begun = select(players.c.id, literal(False)).where(
        listed(players.c.id, "players"), players.c.daily.is_not(None)
    )
    joined = select(members.c.player_id, literal(False)).where(
        listed(members.c.player_id, "players"), members.c.left_at.is_(None)
    )
    pinning = (
        select(pins.c.player_id, literal(True))
        .join(games, games.c.id == pins.c.game_id)
        .where(listed(pins.c.player_id, "players"), games.c.state == IS_OPEN)
    )
    return union_all(begun, joined, pinning)


_SPECIAL = _special()
