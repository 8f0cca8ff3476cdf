"""Players: people who have written to the bot."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import null, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.store.schema import players
from codemojex.store.upsert import upsert

_TOLD = ("first_name", "last_name", "username", "language", "seen_at")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody as Telegram describes them."""

    id: int
    first_name: str
    last_name: str | None = None
    username: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody the game knows. The name is shown literally, so escape it.

    Attributes:
        mode: the default mode they have chosen in /settings; None: classic.
        daily: the day whose puzzle their plain guesses go to; None for none.
    """

    id: int
    first_name: str
    last_name: str | None
    username: str | None
    language: str | None
    created_at: datetime
    seen_at: datetime
    mode: str | None = None
    daily: str | None = None

    @property
    def name(self) -> str:
        """First and last name as Telegram tells them, uncut; may look blank."""
        return full_name(self.first_name, self.last_name)


def full_name(first: str, last: str | None) -> str:
    """The two parts of a name as one."""
    return f"{first} {last}" if last else first


def told_of(person: Person) -> dict[str, Any]:
    """What Telegram tells of somebody, as it is stored."""
    return {
        "first_name": person.first_name,
        "last_name": person.last_name,
        "username": person.username,
        "language": person.language[:35] if person.language else None,
    }


async def seen(tx: AsyncConnection, person: Person, now: datetime, *, private: bool = True) -> Player:
    """The player behind ``person``, met now: created or brought up to date.

    Args:
        private: they wrote to the bot itself, so it may write to them again; who blocked it can still be met
            in a group.
    """
    told = told_of(person) | {"seen_at": now}
    met = await tx.execute(_meet(tx.dialect.name, private), {"id": person.id, "created_at": now, **told})
    row = met.one()
    return Player(id=person.id, created_at=row.created_at, mode=row.mode, daily=row.daily, **told)


async def is_known(tx: AsyncConnection, player_id: int) -> bool:
    """Whether they have ever written to this bot."""
    return await tx.scalar(select(players.c.id).where(players.c.id == player_id)) is not None


async def unreachable(tx: AsyncConnection, player_id: int, now: datetime) -> None:
    """Note that the player takes no messages; kept until they write in private again. An unknown id is fine."""
    await tx.execute(
        update(players)
        .where(players.c.id == player_id, players.c.unreachable_at.is_(None))
        .values(unreachable_at=now)
    )


@cache
def _meet(dialect: str, private: bool) -> Any:
    """Write a person down, or what has changed about them; what else is known of them."""
    met = upsert(dialect, players)
    changed = {name: met.excluded[name] for name in _TOLD}
    if private:
        changed["unreachable_at"] = null()
    met = met.on_conflict_do_update(index_elements=["id"], set_=changed)
    return met.returning(players.c.created_at, players.c.mode, players.c.daily)
