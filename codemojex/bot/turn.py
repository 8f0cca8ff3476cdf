"""One update's turn: what a handler may use, and what it leaves behind for after the commit."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection
from telegram import Chat, Message, User

from codemojex.play import outbox, players, rooms
from codemojex.play.games import GameOptions
from codemojex.play.guesses import Limits
from codemojex.play.outbox import NoticeRef
from codemojex.texts import Texts


@dataclass(frozen=True, slots=True)
class Rules:
    """What is the same for every update.

    Attributes:
        limits: how often and how many times a player may guess.
        mint: makes the next id of a namespace.
        dice: draws secrets; the system's secure random in production.
        defaults: level, mode, theme and clock of a bare `/new`.
        fixed_secret: the secret of every new game, for play on one machine only.
    """

    limits: Limits
    mint: Callable[[str], str]
    dice: random.Random
    defaults: GameOptions = field(default_factory=GameOptions)
    fixed_secret: tuple[str, ...] | None = None


@dataclass(slots=True)
class Effects:
    """What has to happen once the transaction is committed: guesses to queue, chats to tell."""

    guesses: list[tuple[str, bytes]] = field(default_factory=list)
    notices: list[NoticeRef] = field(default_factory=list)

    def add(self, other: Effects) -> None:
        """Append another turn's effects."""
        self.guesses += other.guesses
        self.notices += other.notices


@dataclass(slots=True)
class Turn:
    """The context python-telegram-bot's handlers pass to their callback, for one update."""

    tx: AsyncConnection
    now: datetime
    rules: Rules
    texts: Texts
    update_id: int
    args: list[str] = field(default_factory=list)  # filled in by CommandHandler
    effects: Effects = field(default_factory=Effects)

    async def player(self, user: User) -> players.Player:
        """The sender as a player, met for the first time or again."""
        person = players.Person(
            id=user.id,
            first_name=user.first_name,
            last_name=user.last_name,
            username=user.username,
            language=user.language_code,
        )
        return await players.seen(self.tx, person, self.now)

    async def room(self, chat: Chat) -> rooms.Room:
        """The room of a private chat."""
        ref = rooms.ChatRef(id=chat.id, type=chat.type, title=chat.effective_name, thread_id=None)
        return await rooms.enter(self.tx, ref, self.now)

    async def reply(self, message: Message, text: str) -> None:
        """Answer a message; the answer is committed with everything else this update does."""
        ref = await outbox.write(
            self.tx,
            self.rules.mint,
            self.now,
            chat_id=message.chat_id,
            kind="text",
            data={"text": text},
        )
        self.effects.notices.append(ref)
