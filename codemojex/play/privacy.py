"""What somebody may ask about what is stored: to have it, and to have it forgotten.

Games that others played keep their guesses: a player without a name takes them over, and the rest is gone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Column, Table, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.play import erasing, scores, settlement
from codemojex.play.dossier import export
from codemojex.play.games import Cause
from codemojex.play.literals import IS_OPEN
from codemojex.play.locks import lock_player
from codemojex.play.minting import Mint
from codemojex.play.outbox import NoticeRef
from codemojex.play.players import Player
from codemojex.play.pseudonyms import pseudonym
from codemojex.play.rooms import RoomKind
from codemojex.store.schema import (
    cards,
    drafts,
    finishes,
    games,
    guesses,
    hints,
    members,
    pins,
    players,
    rooms,
    seasons,
    votes,
)

__all__ = ["Forgotten", "export", "forget"]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Somebody who is not known any more.

    Attributes:
        notices: what others are told because of that.
    """

    notices: list[NoticeRef] = field(default_factory=list)


# What a pseudonym takes over: the record of games, which are others' games too.
_KEPT: tuple[Column[int | None] | Column[int], ...] = (
    guesses.c.player_id,
    games.c.opened_by,
    games.c.winner_id,
    hints.c.player_id,
    votes.c.player_id,
    finishes.c.player_id,
    drafts.c.player_id,  # emptied: a composed guess is known by its draft's number, never to be given again
)
# What goes.
_GONE: tuple[Table, ...] = (pins, members, seasons)


async def forget(
    tx: AsyncConnection, player: Player, now: datetime, mint: Mint, tz: str = "UTC"
) -> Forgotten:
    """Forget a person: afterwards no row of any table holds their id, their name or what they have chosen.

    Their own game is given up. Games of several go on with the guesses they have made, and finished ones keep
    them. What the caller writes after this (an answer, the mark of the update that asked) is erased by
    `sweep.forget_strangers` once it is told.

    Args:
        tz: DAILY_TZ, by which the seasons of a game that ends here count.
    """
    await lock_player(tx, player.id)
    told = await _finish(tx, player, now, mint, tz)
    nobody = pseudonym()
    await tx.execute(players.insert().values(id=nobody, first_name="", created_at=now, seen_at=now))
    for column in _KEPT:
        await tx.execute(update(column.table).where(column == player.id).values({column.name: nobody}))
    for column in (guesses.c.chat_id, rooms.c.chat_id):
        await tx.execute(update(column.table).where(column == player.id).values(chat_id=nobody))
    await tx.execute(update(rooms).where(rooms.c.chat_id == nobody).values(title=""))
    await tx.execute(update(drafts).where(drafts.c.player_id == nobody).values(symbols=""))
    for table in _GONE:
        await tx.execute(delete(table).where(table.c.player_id == player.id))
    await erasing.erase_notices(tx, player, nobody, now)
    await tx.execute(delete(cards).where(cards.c.player_id == player.id))
    await erasing.erase_traces(tx, player.id)
    await tx.execute(delete(players).where(players.c.id == player.id))
    return Forgotten([ref for ref in told if ref.chat_id != player.id])


async def _finish(tx: AsyncConnection, player: Player, now: datetime, mint: Mint, tz: str) -> list[NoticeRef]:
    """Score what they have guessed, end what ends by that, and give their own game up."""
    waiting = select(guesses.c.id).where(guesses.c.player_id == player.id, guesses.c.scored_at.is_(None))
    scored = await scores.score(tx, list((await tx.execute(waiting)).scalars()), now, mint)
    told, ends = scored.notices, dict.fromkeys(sorted(scored.to_settle))
    own = (
        select(games.c.id)
        .join(rooms, rooms.c.id == games.c.room_id)
        .where(rooms.c.chat_id == player.id, rooms.c.kind == RoomKind.PRIVATE, games.c.state == IS_OPEN)
    )
    ends |= dict.fromkeys((await tx.execute(own)).scalars(), Cause.GAVE_UP)
    for game_id, cause in ends.items():
        settled = await settlement.settle(tx, game_id, now, mint, cause, tz)
        told += [] if settled is None else settled.notices
    return told
