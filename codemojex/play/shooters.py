"""Who guesses in a volley: players that are known, and those who write in a group for the first time."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, exists, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.pace import Pace
from codemojex.play.literals import IS_OPEN
from codemojex.play.players import Person, told_of
from codemojex.store.columns import AnyRow, AnySelect
from codemojex.store.lists import listed
from codemojex.store.schema import games, members, pins, players


@dataclass(slots=True, eq=False)
class Shooter:
    """A player, and their pace after the shots looked at so far.

    Attributes:
        told: what Telegram tells of them, as it is stored.
        daily: the day whose puzzle their private guesses go to; None for none.
        special: their guesses need a closer look.
        new: they are not stored yet.
    """

    id: int
    told: dict[str, Any]
    pace: Pace
    daily: str | None = None
    special: bool = False
    new: bool = False

    def is_ordinary(self, person: Person) -> bool:
        """Nothing about them has changed, and nothing is special."""
        return not self.special and self.told == told_of(person)


async def known(tx: AsyncConnection, ids: Iterable[int]) -> dict[int, Shooter]:
    """Who of these people is known, locked in the order of their ids; see `locks`."""
    return {row.id: _known(row) for row in await tx.execute(_KNOWN, {"players": sorted(ids)})}


def newcomer(person: Person) -> Shooter:
    """Somebody nobody here has met: their first guess makes them a player, as it does one at a time."""
    return Shooter(person.id, told_of(person), Pace(), new=True)


async def welcome(tx: AsyncConnection, people: Collection[Shooter], now: datetime) -> None:
    """Store those who are new.

    Raises:
        IntegrityError: another transaction met one of them meanwhile.
    """
    new = {each.id: each for each in people if each.new}
    if new:
        met = {"created_at": now, "seen_at": now}
        await tx.execute(_WELCOME, [{"id": id, **each.told, **met} for id, each in sorted(new.items())])
        for each in new.values():
            each.new = False


async def remember(tx: AsyncConnection, people: Collection[Shooter], now: datetime, *, paced: bool) -> None:
    """Note that they were seen, and their pace where one is kept."""
    seen = {each.id: each for each in people}
    if not paced:
        await tx.execute(_SEEN, {"players": sorted(seen), "now": now})
        return
    paces = [
        {"player": id, "now": now, "tokens": each.pace.tokens, "at": each.pace.at, "told": each.pace.told}
        for id, each in sorted(seen.items())
    ]
    await tx.execute(_PACED, paces)


def _known(row: AnyRow) -> Shooter:
    told = {name: getattr(row, name) for name in ("first_name", "last_name", "username", "language")}
    special = row.unreachable_at is not None or row.joined or row.pinning
    return Shooter(row.id, told, Pace(row.pace_tokens, row.pace_at, row.pace_told), row.daily, special)


def _people() -> AnySelect:
    joined = exists().where(members.c.player_id == players.c.id, members.c.left_at.is_(None))
    pinning = exists().where(
        pins.c.player_id == players.c.id, games.c.id == pins.c.game_id, games.c.state == IS_OPEN
    )
    row = players.c
    return (
        select(row.id, row.first_name, row.last_name, row.username, row.language, row.unreachable_at)
        .add_columns(row.daily, row.pace_tokens, row.pace_at, row.pace_told)
        .add_columns(joined.label("joined"), pinning.label("pinning"))
        .where(listed(row.id, "players"))
        .order_by(row.id)
        .with_for_update(of=players, key_share=True)
    )


_KNOWN = _people()
_WELCOME = insert(players)
_SEEN = update(players).where(listed(players.c.id, "players")).values(seen_at=bindparam("now"))
_PACED = (
    update(players)
    .where(players.c.id == bindparam("player"))
    .values(
        seen_at=bindparam("now"),
        pace_tokens=bindparam("tokens"),
        pace_at=bindparam("at"),
        pace_told=bindparam("told"),
    )
)
