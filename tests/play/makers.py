"""Makers: a game in any state in one call, and short words for what happens in it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Table as SqlTable
from sqlalchemy import select

from codemojex.game.keyboards import Mode
from codemojex.play import daily, games, members, players, rooms, scores, settlement, votes
from codemojex.play.games import GameOptions, GameView
from codemojex.play.guesses import Guesses, Limits, Receipt, Source
from codemojex.play.players import Person, Player
from codemojex.play.rooms import ChatRef, Room
from codemojex.store import schema
from codemojex.store.engine import Store

T0 = datetime(2026, 12, 1, 12, tzinfo=UTC)
SECRET = "🍎🍌🍇🍓🍒🍍"
NEAR = "🍌🍎🍇🍓🍒🍍"  # 560
FAR = "🍍🍒🍓🍇🍌🍎"  # 240
MISS = "🥝🍑🍋🍉🍈🍐"  # 0
NEAR_TOO = "🍎🍇🍌🍓🍒🍍"  # 560
FAR_TOO = "🍎🍌🥝🍑🍋🍇"  # 240
# Nobody may guess the same twice in a game: a hundred that differ, 0 each, the first of them MISS.
WRONG = tuple("".join(six) for six in itertools.islice(itertools.permutations(MISS), 100))
NONCE = "00112233445566778899aabbccddeeff"

ADA = Person(5_000_000_101, "Ada", "Lovelace", "ada", "en")
BO = Person(5_000_000_102, "Bo")
CY = Person(5_000_000_103, "Cy")
GROUP = -1_009_000_000_001

EASY_GOING = Limits(per_second=0)

_ids = itertools.count(1)


def mint(namespace: str) -> str:
    """The next id of this test process."""
    return f"{namespace}{next(_ids):011d}"


@dataclass
class Table:
    """A room with an open game, and who plays there."""

    store: Store
    room: Room
    game: GameView
    people: dict[int, Player]
    limits: Limits = EASY_GOING
    now: datetime = T0
    messages: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def ada(self) -> Player:
        """The first player."""
        return self.people[ADA.id]

    def chat_of(self, person: Person) -> int:
        """Where somebody plays: the room's chat, or their own where it has none."""
        return person.id if self.room.chat_id is None else self.room.chat_id

    def at(self, seconds: float) -> datetime:
        """So long after the game was opened."""
        return self.now + timedelta(seconds=seconds)

    async def join(self, person: Person) -> None:
        """Somebody else plays here, too."""
        self.people[person.id] = await self.store.transact(lambda tx: players.seen(tx, person, self.now))

    async def guess(
        self,
        symbols: str = NEAR,
        person: Person = ADA,
        *,
        message_id: int | None = None,
        seconds: float = 1,
        chat_id: int | None = None,
        limits: Limits | None = None,
        update_id: int | None = None,
    ) -> Receipt:
        """Submit a guess as ``person`` in a transaction of its own."""
        source = Source(
            chat_id=self.chat_of(person) if chat_id is None else chat_id,
            message_id=next(self.messages) if message_id is None else message_id,
            at=self.at(seconds),
            update_id=update_id,
        )

        async def submit(tx):
            admission = Guesses(tx, self.at(seconds), mint, limits or self.limits)
            return await admission.submit(self.game, self.people[person.id], list(symbols), source)

        return await self.store.transact(submit)

    async def admit(self, *entries: tuple[str, Person]) -> list[Receipt]:
        """Submit guesses in one transaction, in this order."""

        async def submit(tx):
            admission = Guesses(tx, self.at(1), mint, self.limits)
            sources = [Source(self.chat_of(person), next(self.messages), self.at(1)) for _, person in entries]
            return [
                await admission.submit(self.game, self.people[person.id], list(symbols), source)
                for (symbols, person), source in zip(entries, sources, strict=True)
            ]

        return await self.store.transact(submit)

    async def score(self, *receipts: Receipt | str, seconds: float = 5) -> scores.ScoredBatch:
        """Score guesses in one batch."""
        ids = [receipt if isinstance(receipt, str) else receipt.id for receipt in receipts]
        return await self.store.transact(lambda tx: scores.score(tx, ids, self.at(seconds), mint))

    async def settle(self, cause: games.Cause | None = None, seconds: float = 6) -> settlement.Settled | None:
        """Settle the game."""
        return await self.store.transact(
            lambda tx: settlement.settle(tx, self.game.id, self.at(seconds), mint, cause)
        )

    async def give_up(
        self, person: Person = ADA, *, admin: bool = False, seconds: float = 6
    ) -> settlement.Settled | votes.Vote:
        """Give the game up, or vote for it."""
        player = self.people[person.id]
        return await self.store.transact(
            lambda tx: votes.give_up(tx, self.room, player, self.at(seconds), mint, admin=admin)
        )

    async def row(self) -> Any:
        """The game's row."""
        return (await rows(self.store, schema.games, id=self.game.id))[0]

    async def guesses(self) -> list[Any]:
        """The game's guesses in the order of admission."""
        found = await rows(self.store, schema.guesses, game_id=self.game.id)
        return sorted(found, key=lambda row: row.ordinal)


async def seat(
    store: Store,
    people: Sequence[Person] = (ADA,),
    *,
    mode: Mode = Mode.CLASSIC,
    secret: str = SECRET,
    minutes: int | None = None,
    limits: Limits = EASY_GOING,
    chat: ChatRef | None = None,
    room: Room | None = None,
) -> Table:
    """A room with an open game: the first person's private chat, or ``chat``, or ``room``."""
    where = chat or ChatRef(people[0].id, "private", people[0].first_name)

    async def make(tx):
        known = {person.id: await players.seen(tx, person, T0) for person in people}
        here = room or await rooms.enter(tx, where, T0)
        options = GameOptions(mode=mode, minutes=minutes, fixed_secret=tuple(secret))
        first = known[people[0].id]
        game = await games.open_game(tx, here, first, options, T0, random.Random(1), NONCE, limits)
        return here, game, known

    return Table(store, *await store.transact(make), limits=limits)


async def group(store: Store, people: Sequence[Person] = (ADA, BO, CY), **options: Any) -> Table:
    """A group with an open game without a clock that matters."""
    return await seat(store, people, chat=ChatRef(GROUP, "supergroup", "Fruit"), **options)


async def circle(store: Store, people: Sequence[Person] = (ADA, BO, CY), **options: Any) -> Table:
    """A room that friends have joined by its code, with an open game; each plays in their own chat."""

    async def gather(tx):
        known = [await players.seen(tx, person, T0) for person in people]
        room = await members.open_link(tx, known[0], T0, random.Random(people[0].id))
        for player in known[1:]:
            await members.join(tx, player, room.code, T0)
        return room

    return await seat(store, people, room=await store.transact(gather), **options)


async def puzzle(store: Store, people: Sequence[Person] = (ADA, BO, CY), **options: Any) -> Table:
    """The puzzle of the day of `T0`, a pegs game of eight guesses each unless told otherwise."""
    options = {"mode": Mode.PEGS, **options}
    day = daily.local_day(T0, "UTC")

    async def found(tx):
        await tx.execute(schema.rooms.insert(), {"kind": "daily", "title": day, "day": day, "created_at": T0})
        return await daily.room_of(tx, day)

    return await seat(store, people, room=await store.transact(found), **options)


async def rows(store: Store, table: SqlTable, **where: Any) -> list[Any]:
    """Rows of a table, in the order of their key."""
    query = select(table).order_by(*table.primary_key.columns)
    for name, value in where.items():
        query = query.where(table.c[name] == value)

    async def read(tx):
        return list(await tx.execute(query))

    return await store.read(read)
