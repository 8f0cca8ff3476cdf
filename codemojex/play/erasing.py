"""Erasing what tells of a person beside the games: notices, marks of updates, what could not be handled."""

from __future__ import annotations

import html
import json
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play.outbox import WAITS, dumped
from codemojex.play.players import Player
from codemojex.store.schema import cards, guesses, notices, poison, told_once, updates

REASON = "forgotten"
_NAMES = ("name", "winner")  # the keys of notices that hold somebody's name


async def erase_notices(tx: AsyncConnection, player: Player, nobody: int, now: datetime) -> None:
    """Leave nothing of a person in the outbox; ``nobody`` takes their place where a row has to stay.

    What waits for them is dropped. What waits for others is told without their name. What was told is never
    read again, so its words go.
    """
    theirs = notices.c.chat_id == player.id
    await tx.execute(delete(notices).where(theirs, WAITS, notices.c.guess_id.is_(None)))
    dropped = {"failure": REASON, "failed_at": now, "sending_at": None}
    await tx.execute(update(notices).where(theirs, WAITS).values(**dropped))
    mentioned = or_(theirs, notices.c.player_id == player.id, _mentions(player, nobody))
    await _rename(tx, player, nobody, WAITS & mentioned)
    await tx.execute(update(notices).where(~WAITS, mentioned).values(data="{}"))
    await tx.execute(update(notices).where(notices.c.player_id == player.id).values(player_id=nobody))
    own_cards = select(cards.c.id).where(cards.c.player_id == player.id)
    await tx.execute(update(notices).where(notices.c.card_id.in_(own_cards)).values(card_id=None))
    await tx.execute(update(notices).where(theirs).values(chat_id=nobody, reply_to=None, message_id=None))


async def erase_traces(tx: AsyncConnection, player_id: int) -> None:
    """Take a person out of the marks of updates, of what was told once, and of updates that were poison.

    An update that comes again is still known by its own number.
    """
    number = str(player_id)
    unmarked = {"chat_id": None, "message_id": None}
    await tx.execute(update(updates).where(updates.c.chat_id == player_id).values(**unmarked))
    named = told_once.c.subject.endswith(f":{number}", autoescape=True)
    await tx.execute(delete(told_once).where(or_(told_once.c.chat_id == player_id, named)))
    poisonous = or_(poison.c.raw.contains(number), poison.c.error.contains(number))
    await tx.execute(update(poison).where(poisonous).values(raw="", error=REASON))


def _mentions(player: Player, nobody: int) -> ColumnElement[bool]:
    """Whether a notice tells of a person: by their id, or by their name among what a game of theirs tells."""
    played = select(guesses.c.game_id).where(guesses.c.player_id == nobody)
    named = or_(*(notices.c.data.contains(word, autoescape=True) for word in _spellings(player.name)))
    return or_(notices.c.data.contains(str(player.id)), notices.c.game_id.in_(played) & named)


def _spellings(name: str) -> list[str]:
    """A name as it stands in JSON, as itself and in HTML."""
    spelled = {name, html.escape(name), html.escape(name, quote=False)}
    return sorted(json.dumps(text, ensure_ascii=False)[1:-1] for text in spelled)


async def _rename(tx: AsyncConnection, player: Player, nobody: int, which: ColumnElement[bool]) -> None:
    """Take a person out of notices that others are yet to be told."""
    found = (await tx.execute(select(notices.c.id, notices.c.data).where(which))).all()
    if found:
        named = update(notices).where(notices.c.id == bindparam("notice")).values(data=bindparam("said"))
        told = [dumped(_without(json.loads(row.data), player, nobody)) for row in found]
        await tx.execute(
            named, [{"notice": row.id, "said": said} for row, said in zip(found, told, strict=True)]
        )


def _without(told: Any, player: Player, nobody: int) -> Any:
    """``told`` with ``nobody`` for the person, and nothing where their name stands beside their id."""
    if isinstance(told, dict):
        here = player.id in told.values()
        return {
            key: "" if here and key in _NAMES and value == player.name else _without(value, player, nobody)
            for key, value in told.items()
        }
    if isinstance(told, list):
        here = player.id in told
        return ["" if here and value == player.name else _without(value, player, nobody) for value in told]
    if isinstance(told, str):
        return told.replace(str(player.id), str(nobody))
    return nobody if told == player.id else told
