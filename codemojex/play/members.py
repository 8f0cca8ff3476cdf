"""Link rooms: friends join by a code and each play in their own chat. A person is in one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import bindparam, null, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.refusals import NoSuchRoom
from codemojex.game.secret import Dice
from codemojex.play.players import Player, full_name
from codemojex.play.rooms import COLUMNS, Room, RoomKind, as_room
from codemojex.store.columns import AnySelect
from codemojex.store.engine import TryAgain
from codemojex.store.schema import members, players, rooms
from codemojex.store.upsert import upsert

# Without what is taken for something else: 0 and O, 1, I and L.
ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
CODE_LENGTH = 6
_DRAWS = 5


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody in a link room. The name is shown literally, so escape it."""

    player_id: int
    name: str


async def open_link(tx: AsyncConnection, player: Player, now: datetime, dice: Dice) -> Room:
    """The link room ``player`` is in; a new one, which they join, when they are in none."""
    await _lock(tx, player.id)
    present = await joined(tx, player.id)
    if present is not None:
        return present
    room = await _open(tx, now, dice)
    await _enter(tx, room, player.id, now)
    return room


async def join(tx: AsyncConnection, player: Player, code: str, now: datetime) -> Room:
    """Enter the room with ``code``, in whatever case it was typed, and leave the one before.

    Raises:
        NoSuchRoom: no room has this code; the person stays where they were.
    """
    row = (await tx.execute(_LINK.where(rooms.c.code == code.strip().upper()))).one_or_none()
    if row is None:
        raise NoSuchRoom(code)
    room = as_room(row)
    await _lock(tx, player.id)
    present = await joined(tx, player.id)
    if present is None or present.id != room.id:
        await _go(tx, player.id, now)
        await _enter(tx, room, player.id, now)
    return room


async def leave(tx: AsyncConnection, player: Player, now: datetime) -> Room | None:
    """Leave the link room ``player`` is in; that room, None when they were in none."""
    await _lock(tx, player.id)
    present = await joined(tx, player.id)
    if present is not None:
        await _go(tx, player.id, now)
    return present


async def joined(tx: AsyncConnection, player_id: int) -> Room | None:
    """The link room a person is in."""
    row = (await tx.execute(_JOINED, {"player": player_id})).one_or_none()
    return None if row is None else as_room(row)


async def present(tx: AsyncConnection, room_id: int) -> list[Member]:
    """Who is in a link room, in the order in which they came."""
    query = (
        select(players.c.id, players.c.first_name, players.c.last_name)
        .join(members, members.c.player_id == players.c.id)
        .where(members.c.room_id == room_id, _PRESENT)
        .order_by(members.c.joined_at, players.c.id)
    )
    return [Member(row.id, full_name(row.first_name, row.last_name)) for row in await tx.execute(query)]


async def chats_of(tx: AsyncConnection, room_id: int) -> list[int]:
    """The private chats of those who are in a link room; Telegram gives each the id of its person."""
    return [member.player_id for member in await present(tx, room_id)]


_PRESENT = members.c.left_at.is_(None)
_LINK: AnySelect = select(*COLUMNS).where(rooms.c.kind == RoomKind.LINK)
_JOINED = _LINK.join(members, members.c.room_id == rooms.c.id).where(
    members.c.player_id == bindparam("player"), _PRESENT
)


async def _lock(tx: AsyncConnection, player_id: int) -> None:
    """Hold the person's row: two joins of one person, in two processes, happen one after the other."""
    await tx.execute(select(players.c.id).where(players.c.id == player_id).with_for_update(key_share=True))


async def _open(tx: AsyncConnection, now: datetime, dice: Dice) -> Room:
    for _ in range(_DRAWS):
        code = "".join(dice.sample(ALPHABET, CODE_LENGTH))
        # The title is no person's name: it would outlive their wish to be forgotten.
        values = {"kind": RoomKind.LINK, "title": code, "code": code, "created_at": now}
        id = (await tx.execute(_found(tx.dialect.name), values)).scalar_one_or_none()
        if id is not None:
            return Room(id, RoomKind.LINK, None, 0, code, code)
    raise TryAgain("every code that was drawn belongs to a room already")


async def _enter(tx: AsyncConnection, room: Room, player_id: int, now: datetime) -> None:
    values = {"room_id": room.id, "player_id": player_id, "joined_at": now}
    await tx.execute(_come(tx.dialect.name), values)


async def _go(tx: AsyncConnection, player_id: int, now: datetime) -> None:
    here = members.c.player_id == player_id, _PRESENT
    await tx.execute(update(members).where(*here).values(left_at=now))


@cache
def _found(dialect: str) -> Any:
    """A room with a code of its own; no row comes back where the code is taken."""
    return upsert(dialect, rooms).on_conflict_do_nothing(index_elements=["code"]).returning(rooms.c.id)


@cache
def _come(dialect: str) -> Any:
    """Come into a room, for the first time or again."""
    coming = upsert(dialect, members)
    again = {"joined_at": coming.excluded.joined_at, "left_at": null()}
    return coming.on_conflict_do_update(index_elements=["room_id", "player_id"], set_=again)
