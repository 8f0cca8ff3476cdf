"""What the database knows and no player is told: secrets, guesses, winners."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import BigInteger, String, exists, select
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.game.scoring import CRACKED
from codemojex.store.schema import cards, finishes, games, guesses, metadata, players, rooms

_FINISHED = ("player_id", "points", "rank", "guesses", "hints", "won")


@dataclass(frozen=True, slots=True)
class Played:
    """A game as it is stored.

    Attributes:
        chat_id, thread_id: its room's; no chat for a link room and a daily.
        code, day: of a link room, of a daily.
        secret: six emojis one after another.
        state: open or closed.
    """

    id: int
    room_id: int
    kind: str
    chat_id: int | None
    thread_id: int
    code: str | None
    day: str | None
    mode: str
    level: str
    theme: str
    keyboard: str
    secret: str
    nonce: str
    commitment: str
    state: str
    winner_id: int | None
    closed_reason: str | None
    opened_at: datetime
    closes_at: datetime | None
    closed_at: datetime | None

    @property
    def open(self) -> bool:
        """True while it takes guesses."""
        return self.state == "open"


@dataclass(frozen=True, slots=True)
class Guessed:
    """An admitted guess as it is stored; ``points`` is None before it is scored."""

    id: str
    game_id: int
    player_id: int
    chat_id: int
    message_id: int
    ordinal: int
    number: int
    symbols: str
    points: int | None
    exact: int | None
    misplaced: int | None
    late: bool


@dataclass(frozen=True, slots=True)
class Finished:
    """How a player ended a game that is over: ``points`` less hints, ``rank`` None without points."""

    name: str
    player_id: int
    points: int
    rank: int | None
    guesses: int
    hints: int
    won: bool


async def all_games(tx: AsyncConnection) -> list[Played]:
    """Every game, in the order they were opened."""
    names = ("kind", "chat_id", "thread_id", "code", "day")
    columns = [rooms.c[name] if name in names else games.c[name] for name in Played.__dataclass_fields__]
    query = select(*columns).join(rooms, rooms.c.id == games.c.room_id).order_by(games.c.id)
    return [Played(**row._mapping) for row in await tx.execute(query)]


async def guesses_of(tx: AsyncConnection, game_id: int) -> list[Guessed]:
    """The guesses of one game, in the order of admission."""
    query = select(*(guesses.c[name] for name in Guessed.__dataclass_fields__))
    query = query.where(guesses.c.game_id == game_id).order_by(guesses.c.ordinal)
    return [Guessed(**row._mapping) for row in await tx.execute(query)]


async def finishes_of(tx: AsyncConnection, game_id: int) -> list[Finished]:
    """How the players of a closed game ended it, best first."""
    columns = [players.c.first_name.label("name"), *(finishes.c[name] for name in _FINISHED)]
    query = select(*columns).join(players, players.c.id == finishes.c.player_id)
    query = query.where(finishes.c.game_id == game_id).order_by(finishes.c.rank.nulls_last(), players.c.id)
    return [Finished(**row._mapping) for row in await tx.execute(query)]


async def any_unqueued(tx: AsyncConnection) -> bool:
    """Whether a guess is not known to be in the queue."""
    return (await tx.execute(select(exists().where(guesses.c.enqueued_at.is_(None))))).scalar_one()


async def crackers_of(tx: AsyncConnection) -> set[tuple[int, int]]:
    """Who has cracked which game, as (player id, game id)."""
    query = select(guesses.c.player_id, guesses.c.game_id).where(guesses.c.points == CRACKED)
    return {(row.player_id, row.game_id) for row in await tx.execute(query)}


async def board_of(tx: AsyncConnection, game_id: int) -> int | None:
    """The message that shows the board of a game in a group; None when none does."""
    query = select(cards.c.message_id).where(cards.c.game_id == game_id, cards.c.kind == "board")
    return (await tx.execute(query)).scalars().first()


async def mentions_of(tx: AsyncConnection, telegram_id: int) -> list[str]:
    """Every column, as ``table.column``, that holds this id of a person or a chat, or a text with it."""
    columns = [column for table in metadata.sorted_tables for column in table.columns]
    found = []
    for column in columns:
        if isinstance(column.type, BigInteger):
            condition = column == telegram_id
        elif isinstance(column.type, String):
            condition = column.contains(str(telegram_id))
        else:
            continue
        if (await tx.execute(select(exists().where(condition)))).scalar_one():
            found.append(f"{column.table.name}.{column.name}")
    return found
