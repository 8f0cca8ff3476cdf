"""One update's turn: what a handler may use, and what it leaves behind for after the commit."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection
from telegram import Chat, Message, User

from codemojex.bot.admins import AdminIds
from codemojex.bot.memory import Memory
from codemojex.game.pins import NO_PINS, Slots
from codemojex.game.refusals import DayOver, NoGame
from codemojex.play import daily, games, outbox, pins, players, rooms
from codemojex.play.games import GameOptions, GameView
from codemojex.play.guesses import Limits
from codemojex.play.keys import CallbackAnswer
from codemojex.play.outbox import Draft, NoticeRef
from codemojex.play.particulars import particulars
from codemojex.play.payloads import GuessJob
from codemojex.texts import Texts

# Telegram shows no more of the answer to a button.
_TOAST = 200


@dataclass(frozen=True, slots=True)
class Rules:
    """What is the same for every update.

    Attributes:
        limits: how often and how many times a player may guess.
        mint: makes the next id of a namespace.
        dice: draws secrets, codes and hints; the system's secure random in production.
        defaults: level, mode, theme and clock of a bare `/new`.
        fixed_secret: the secret of every new game, for play on one machine only.
        clock: aware UTC.
        tz: DAILY_TZ, whose days the daily and the boards go by.
        acts_per_second: how often one person may act beside guessing, see `acts`; 0 lifts it.
    """

    limits: Limits
    mint: Callable[[str], str]
    dice: random.Random
    defaults: GameOptions = field(default_factory=GameOptions)
    fixed_secret: tuple[str, ...] | None = None
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    tz: str = "UTC"
    acts_per_second: float = 0.0


@dataclass(slots=True)
class Effects:
    """What has to happen once the transaction is committed: guesses to queue, chats to tell, taps to answer."""

    guesses: list[GuessJob] = field(default_factory=list)
    notices: list[NoticeRef] = field(default_factory=list)
    answers: list[CallbackAnswer] = field(default_factory=list)

    def add(self, other: Effects) -> None:
        """Append another turn's effects."""
        self.guesses += other.guesses
        self.notices += other.notices
        self.answers += other.answers


@dataclass(slots=True)
class Turn:
    """The context python-telegram-bot's handlers pass to their callback, for one update.

    Attributes:
        texts: in the language of the chat.
        private: it comes from somebody's own chat with the bot.
        memory: shared by the turns of a batch.
        admins: of the groups in which this batch holds something that only they may do.
    """

    tx: AsyncConnection
    now: datetime
    rules: Rules
    texts: Texts
    update_id: int
    private: bool
    memory: Memory
    admins: AdminIds = field(default_factory=dict)
    args: list[str] = field(default_factory=list)  # filled in by CommandHandler
    matches: Any = None  # filled in by CallbackQueryHandler
    effects: Effects = field(default_factory=Effects)

    async def player(self, user: User) -> players.Player:
        """The sender as a player, met for the first time or again."""
        met = (user.id, self.private)
        known = self.memory.players.get(met)
        if known is None:
            person = players.Person(
                id=user.id,
                first_name=user.first_name,
                last_name=user.last_name,
                username=user.username,
                language=user.language_code,
            )
            known = await players.seen(self.tx, person, self.now, private=self.private)
            self.memory.players[met] = known
        return known

    async def room(self, chat: Chat, thread_id: int = 0) -> rooms.Room:
        """The room of a chat, or of a topic in it."""
        here = (chat.id, thread_id)
        known = self.memory.rooms.get(here)
        if known is None:
            ref = rooms.ChatRef(chat.id, chat.type, chat.effective_name, thread_id or None)
            known = self.memory.rooms[here] = await rooms.enter(self.tx, ref, self.now)
        return known

    async def focus(self, message: Message, player: players.Player) -> rooms.Room:
        """The room that a guess in this message goes to.

        Raises:
            DayOver: it was meant for a daily that is closed.
        """
        room = await self.room(message.chat, thread_of(message))
        if room.kind is not rooms.RoomKind.PRIVATE or not await self._is_elsewhere(player.id):
            return room
        known = self.memory.focus.get(player.id)
        if known is None:
            known = await daily.where(self.tx, player.id, room, message.date, self.rules.tz)
            # How far somebody is in their daily changes with each guess.
            if known.kind is not rooms.RoomKind.DAILY:
                self.memory.focus[player.id] = known
        return known

    async def playing(self, message: Message, player: players.Player) -> GameView:
        """The open game that this message is about.

        Raises:
            DayOver: there is none, but a daily that the player has not finished in its day.
            NoGame: there is none.
        """
        room = await self.focus(message, player)
        game = await self.running(room)
        if game is not None:
            return game
        if self.private:
            day = await daily.over(self.tx, player.id, message.date, self.rules.tz)
            if day is not None:
                raise DayOver(day)
        raise NoGame

    async def running(self, room: rooms.Room) -> GameView | None:
        """The open game of a room."""
        if room.id not in self.memory.games:
            self.memory.games[room.id] = await games.running(self.tx, room)
        return self.memory.games[room.id]

    async def pinned(self, game: GameView, player: players.Player) -> Slots:
        """What the player has pinned in a game: six places, None where nothing is."""
        await self._look()
        special = self.memory.particulars
        if special is not None and player.id in self.memory.guessers and player.id not in special.pinned:
            return NO_PINS
        return await pins.pinned(self.tx, game.id, player.id)

    def is_admin(self, chat: Chat, user_id: int) -> bool:
        """Whether somebody decides for a group; one who writes as the group itself does."""
        return user_id in self.admins.get(chat.id, frozenset())

    async def reply(self, message: Message, text: str, markup: Mapping[str, Any] | None = None) -> None:
        """Answer a message where it was written; in a group, as a reply to it."""
        data = {"text": text} if markup is None else {"text": text, "markup": markup}
        await self.tell(message, "text", data)

    async def tell(self, message: Message, kind: str, data: Mapping[str, Any]) -> None:
        """Answer a message with a notice of any kind; it is committed with everything else this update does."""
        alone = message.chat.type == Chat.PRIVATE
        draft = Draft(
            chat_id=message.chat_id,
            kind=kind,
            data=data,
            thread_id=thread_of(message),
            reply_to=None if alone else message.message_id,
        )
        await self.write(draft)

    async def write(self, *drafts: Draft) -> None:
        """Put notices into the outbox of any chat."""
        self.noted(*await outbox.write_many(self.tx, self.rules.mint, self.now, drafts))

    def noted(self, *refs: NoticeRef | None) -> None:
        """Have the chats of these notices told once the transaction is committed; None is passed over."""
        self.effects.notices += [ref for ref in refs if ref is not None]

    def answer(self, query_id: str, text: str | None = None, *, alert: bool = False) -> None:
        """Answer a tap on a button, once the transaction is committed."""
        shown = None if text is None else text if len(text) <= _TOAST else text[: _TOAST - 1] + "…"
        self.effects.answers.append(CallbackAnswer(query_id, shown, alert))

    async def _is_elsewhere(self, player_id: int) -> bool:
        """Whether it takes a closer look to know where somebody's private guesses go."""
        await self._look()
        special = self.memory.particulars
        return special is None or player_id not in self.memory.guessers or player_id in special.elsewhere

    async def _look(self) -> None:
        if self.memory.particulars is None and self.memory.guessers:
            self.memory.particulars = await particulars(self.tx, self.memory.guessers)


def thread_of(message: Message) -> int:
    """The topic of a message; 0 outside of topics and in the General one, which takes no id when answered."""
    return message.message_thread_id or 0 if message.is_topic_message else 0
