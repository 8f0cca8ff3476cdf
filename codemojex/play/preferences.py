"""What people and groups have chosen in /settings: a language, and the mode of their next games."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, Literal

from sqlalchemy import Table, bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.keyboards import Mode
from codemojex.game.refusals import BadOption
from codemojex.play.languages import LANGUAGES
from codemojex.store.schema import chats, players


class Keep(Enum):
    """Says that a choice stays as it is, since None takes it back."""

    KEEP = "keep"


KEEP: Literal[Keep.KEEP] = Keep.KEEP


@dataclass(frozen=True, slots=True)
class Preferences:
    """What was chosen.

    Attributes:
        locale: one of `languages.LANGUAGES`; None: whatever `languages.of` finds.
        mode: None: classic.
    """

    locale: str | None = None
    mode: Mode | None = None


async def of_player(tx: AsyncConnection, player_id: int) -> Preferences:
    """What a person has chosen; nothing for one who is not known."""
    return await _of(tx, players, player_id)


async def of_chat(tx: AsyncConnection, chat_id: int) -> Preferences:
    """What a group has chosen; nothing for one that is not known."""
    return await _of(tx, chats, chat_id)


async def set_player(
    tx: AsyncConnection,
    player_id: int,
    *,
    locale: str | Keep | None = KEEP,
    mode: Mode | Keep | None = KEEP,
) -> Preferences:
    """Choose for a person; what they have chosen now.

    Args:
        locale, mode: None takes an earlier choice back.

    Raises:
        BadOption: the language is not spoken here.
    """
    return await _set(tx, players, player_id, locale, mode)


async def set_chat(
    tx: AsyncConnection,
    chat_id: int,
    *,
    locale: str | Keep | None = KEEP,
    mode: Mode | Keep | None = KEEP,
) -> Preferences:
    """Choose for a group; what it has chosen now. Who may do that, the caller knows.

    Raises:
        BadOption: the language is not spoken here.
    """
    return await _set(tx, chats, chat_id, locale, mode)


async def _of(tx: AsyncConnection, table: Table, id: int) -> Preferences:
    row = (await tx.execute(_chosen(table), {"id": id})).one_or_none()
    if row is None:
        return Preferences()
    return Preferences(row.locale, None if row.mode is None else Mode(row.mode))


@cache
def _chosen(table: Table) -> Any:
    return select(table.c.locale, table.c.mode).where(table.c.id == bindparam("id"))


async def _set(
    tx: AsyncConnection, table: Table, id: int, locale: str | Keep | None, mode: Mode | Keep | None
) -> Preferences:
    chosen: dict[str, Any] = {"locale": locale, "mode": mode}
    changed = {name: value for name, value in chosen.items() if value is not KEEP}
    if isinstance(locale, str) and locale not in LANGUAGES:
        raise BadOption(locale)
    if changed:
        await tx.execute(update(table).where(table.c.id == id).values(**changed))
    return await _of(tx, table, id)
