"""People who play."""

from __future__ import annotations

import asyncio
import itertools
import random
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select

from codemojex.game.keyboards import keyboard
from codemojex.store import schema
from tests.faults.stage import Stage
from tests.system.deployment import until

KEYS = keyboard().chars
_names = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Sent:
    """A guess that somebody sent."""

    chat_id: int
    message_id: int
    symbols: str


@dataclass
class Player:
    """Somebody with the bot in a private chat; no two of their guesses are the same."""

    stage: Stage
    id: int
    dice: random.Random
    used: set[str] = field(default_factory=set)
    heard: int = 0

    @classmethod
    async def meet(cls, stage: Stage, dice: random.Random) -> Player:
        made = await stage.control("POST", "people", {"name": f"P{next(_names)}", "language_code": "en"})
        return cls(stage, made["id"], dice)

    async def say(self, text: str, chat: int | None = None) -> int:
        """Send a message; its id."""
        body = {"text": text} | ({} if chat is None else {"chat": chat})
        return int((await self.stage.control("POST", f"people/{self.id}/send", body))["message_id"])

    async def guess(self, chat: int | None = None) -> Sent:
        """Send six emojis nobody has sent before."""
        while True:
            six = "".join(self.dice.sample(KEYS, 6))
            if six not in self.used:
                break
        return await self.guess_exactly(six, chat)

    async def guess_exactly(self, six: str, chat: int | None = None) -> Sent:
        self.used.add(six)
        return Sent(self.id if chat is None else chat, await self.say(six, chat), six)

    async def play(self) -> None:
        """Open a game, and wait until it is there."""
        await self.say("/new")
        await until(self.has_a_game, f"{self.id} has a game", 45)

    async def secret(self) -> str:
        """The secret of their open game, which nobody but a test may read."""
        return str((await self._games())[-1].secret)

    async def has_a_game(self) -> bool:
        """Whether a game of theirs is open."""
        return bool(await self._games())

    async def _games(self) -> list[Any]:
        games, rooms = schema.games.c, schema.rooms.c
        query = (
            select(games.secret)
            .join(schema.rooms, rooms.id == games.room_id)
            .where(rooms.chat_id == self.id, games.state == "open")
            .order_by(games.id)
        )
        return await self.stage.store.read(lambda tx: rows_of(tx, query))


async def rows_of(tx: Any, query: Any) -> list[Any]:
    """The rows a query finds."""
    return list(await tx.execute(query))


async def together(*coroutines: Any) -> list[Any]:
    """Do all at once; the first failure is raised when all have ended."""
    results = await asyncio.gather(*coroutines, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results
