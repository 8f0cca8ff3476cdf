"""Who is told: in which language, and whether the bot may write to them at all."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import players as players_
from codemojex.play import rooms
from codemojex.play.languages import DEFAULT, spoken
from codemojex.store.lists import listed
from codemojex.store.schema import chats, players, updates


@dataclass(frozen=True, slots=True)
class Addressee:
    """A chat as the sender of messages sees it.

    Attributes:
        language: one that is spoken here.
        reachable: False when it takes nothing from this bot.
        sees_all: the bot is shown every message of this group, as far as it was told.
    """

    language: str = DEFAULT
    reachable: bool = True
    sees_all: bool = False


async def of(tx: AsyncConnection, chat_ids: Collection[int]) -> dict[int, Addressee]:
    """Each chat, a private one (its id is the person's) or a group (below 0); one query for each kind."""
    found = dict.fromkeys(chat_ids, Addressee())
    people = [id for id in found if id > 0]
    if people:
        for person in await tx.execute(_PEOPLE, {"ids": people}):
            language = person.locale or spoken(person.language)
            found[person.id] = Addressee(language, person.unreachable_at is None)
    groups = [id for id in found if id < 0]
    if groups:
        for group in await tx.execute(_GROUPS, {"ids": groups}):
            reachable = group.unreachable_at is None
            found[group.id] = Addressee(group.locale or DEFAULT, reachable, bool(group.sees_all))
    return found


_PEOPLE = select(players.c.id, players.c.locale, players.c.language, players.c.unreachable_at).where(
    listed(players.c.id, "ids")
)
_GROUPS = select(chats.c.id, chats.c.locale, chats.c.unreachable_at, chats.c.sees_all).where(
    listed(chats.c.id, "ids")
)


async def lost(tx: AsyncConnection, chat_id: int, since: datetime, now: datetime) -> None:
    """Note that a chat refused a message that was handed over at ``since``.

    One that was heard of after that is back already, and stays reachable.
    """
    if chat_id > 0:
        heard = select(players.c.id).where(players.c.id == chat_id, players.c.seen_at > since)
    else:
        heard = select(updates.c.update_id).where(updates.c.chat_id == chat_id, updates.c.seen_at > since)
    if (await tx.execute(heard.limit(1))).first() is not None:
        return
    if chat_id > 0:
        await players_.unreachable(tx, chat_id, now)
    else:
        await rooms.unreachable(tx, chat_id, now)
