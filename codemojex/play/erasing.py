"""Erasing what tells of a person beside the games: notices, marks of updates, what could not be handled.

Every statement finds its rows through an index of a person, a chat or a game, or among the few that wait: nobody
else's history is read. Replies that were told keep no words (see `handover`), so whom they named does not matter.
"""

from __future__ import annotations

import html
import json
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import handover, told_once
from codemojex.play.outbox import WAITS, dumped
from codemojex.play.players import Player
from codemojex.play.rooms import RoomKind
from codemojex.store.columns import AnySelect
from codemojex.store.schema import OF_OTHERS, cards, games, guesses, notices, poison, rooms, updates
from codemojex.store.schema import told_once as told

REASON = "forgotten"
_NAMES = ("name", "winner")  # the keys of notices that hold somebody's name


async def erase_notices(tx: AsyncConnection, player: Player, nobody: int, now: datetime) -> None:
    """Leave nothing of a person in the outbox; ``nobody`` takes their place where a row has to stay.

    What waits for them is dropped. What waits for others is told without their name. What was told is never
    read again, so its words go.
    """
    theirs = notices.c.chat_id == player.id
    await tx.execute(delete(notices).where(theirs, WAITS, notices.c.guess_id.is_(None)))
    await handover.drop_chat(tx, player.id, REASON, now)
    by_id = notices.c.player_id == player.id
    await _rename(tx, player, nobody, by_id | _mentions(player, nobody))
    in_their_games = notices.c.game_id.in_(_played(nobody)) & _names(player)
    for told_of in (by_id, theirs & OF_OTHERS, in_their_games):
        await tx.execute(update(notices).where(~WAITS, told_of).values(data="{}"))
    own_cards = select(cards.c.id).where(cards.c.player_id == player.id)
    await tx.execute(update(notices).where(notices.c.card_id.in_(own_cards)).values(card_id=None))
    await tx.execute(update(notices).where(by_id).values(player_id=nobody))
    # None of these is its own player's any more, so the index of what was told to others has them all.
    nowhere = {"chat_id": nobody, "reply_to": None, "message_id": None}
    await tx.execute(update(notices).where(theirs, OF_OTHERS).values(**nowhere))


async def erase_traces(tx: AsyncConnection, player_id: int) -> None:
    """Take a person out of the marks of updates, of what was told once, and of updates that were poison.

    An update that comes again is still known by its own number.
    """
    number = str(player_id)
    unmarked = {"chat_id": None, "message_id": None}
    await tx.execute(update(updates).where(updates.c.chat_id == player_id).values(**unmarked))
    named = told.c.subject.in_([told_once.about(subject, player_id) for subject in told_once.OF_EACH])
    for theirs in (told.c.chat_id == player_id, named):
        await tx.execute(delete(told).where(theirs))
    poisonous = or_(poison.c.raw.contains(number), poison.c.error.contains(number))
    await tx.execute(update(poison).where(poisonous).values(raw="", error=REASON))


def _mentions(player: Player, nobody: int) -> ColumnElement[bool]:
    """Whether a notice tells of a person: by their id, or by their name among what a game of theirs tells."""
    by_name = notices.c.game_id.in_(_played(nobody)) & _names(player)
    return or_(notices.c.data.contains(str(player.id)), by_name)


def _names(player: Player) -> ColumnElement[bool]:
    """Whether a notice holds a person's id or name."""
    words = [str(player.id), *_spellings(player.name)]
    return or_(*(notices.c.data.contains(word, autoescape=True) for word in words))


def _played(nobody: int) -> AnySelect:
    """Games in which they guessed and others were told of it. Of the puzzle of a day only its player hears."""
    query = select(guesses.c.game_id).join(games, games.c.id == guesses.c.game_id)
    return query.join(rooms, rooms.c.id == games.c.room_id).where(
        guesses.c.player_id == nobody, rooms.c.kind != RoomKind.DAILY
    )


def _spellings(name: str) -> list[str]:
    """A name as it stands in JSON, as itself and in HTML."""
    spelled = {name, html.escape(name), html.escape(name, quote=False)}
    return sorted(json.dumps(text, ensure_ascii=False)[1:-1] for text in spelled)


async def _rename(tx: AsyncConnection, player: Player, nobody: int, which: ColumnElement[bool]) -> None:
    """Take a person out of notices that others are yet to be told."""
    found = (await tx.execute(select(notices.c.id, notices.c.data).where(WAITS, which))).all()
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
