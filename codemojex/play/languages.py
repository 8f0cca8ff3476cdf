"""Which language a chat is spoken to in: the one chosen in /settings, else the one Telegram tells."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.store.lists import listed
from codemojex.store.schema import chats, players

DEFAULT = "en"
LANGUAGES = (DEFAULT, "ru")


def spoken(code: str | None) -> str:
    """The language for what Telegram calls ``code``, like ``ru-RU``; English for whatever is not spoken here."""
    known = (code or "").lower().replace("_", "-").split("-")[0]
    return known if known in LANGUAGES else DEFAULT


async def of(tx: AsyncConnection, ids: Collection[int]) -> dict[int, str]:
    """The language of each chat; English for one that is not known.

    Args:
        ids: of private chats (the ids of the people in them) and of groups (below 0).
    """
    return dict.fromkeys(ids, DEFAULT) | await known(tx, ids)


async def known(tx: AsyncConnection, ids: Collection[int]) -> dict[int, str]:
    """The language of each chat that is known; the others are left out."""
    found: dict[int, str] = {}
    people, groups = [id for id in ids if id > 0], [id for id in ids if id < 0]
    if people:
        rows = await tx.execute(_PEOPLE, {"ids": people})
        found |= {row.id: row.locale or spoken(row.language) for row in rows}
    if groups:
        found |= {row.id: row.locale or DEFAULT for row in await tx.execute(_GROUPS, {"ids": groups})}
    return found


_PEOPLE = select(players.c.id, players.c.locale, players.c.language).where(listed(players.c.id, "ids"))
_GROUPS = select(chats.c.id, chats.c.locale).where(listed(chats.c.id, "ids"))


async def adopt(tx: AsyncConnection, chat_id: int, code: str | None) -> None:
    """Give a group that has no language yet the one of whoever added the bot or opened a game there."""
    undecided = chats.c.id == chat_id, chats.c.locale.is_(None)
    await tx.execute(update(chats).where(*undecided).values(locale=spoken(code)))
