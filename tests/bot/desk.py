"""A desk: the intake on a database, people and groups that write to it as Telegram would tell, and what it answers."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from telegram import Bot, ChatMember, ChatMemberMember, User

import emq
from codemojex.bot.intake import AfterCommit, Intake
from codemojex.bot.turn import Rules
from codemojex.play import scores, settlement
from codemojex.play.guesses import Limits
from codemojex.play.keys import CallbackAnswer
from codemojex.play.outbox import NoticeRef
from codemojex.play.payloads import GuessJob
from codemojex.store import schema
from codemojex.store.engine import Store
from codemojex.texts import catalogs
from codemojex.texts.markup import plain
from tests.play.makers import rows

T0 = datetime(2026, 11, 29, 12, tzinfo=UTC)
BOT_ID = 7_000_000_001
BOT_NAME = "codemojex_bot"
SECRET = "🍎🍌🍇🍓🍒🍍"
NEAR = "🍌🍎🍇🍓🍒🍍"
MISS = "🥝🍑🍋🍉🍈🍐"
ADA, BO, CY = 5_000_000_101, 5_000_000_102, 5_000_000_103
NAMES = {ADA: "Ada", BO: "Bo", CY: "Cy"}
FRUIT = -1_009_000_000_001

Raw = dict[str, Any]


class AdminBot(Bot):
    """A bot that knows who the admins of its groups are, and sends nothing."""

    def __init__(self, admins: dict[int, list[int]]) -> None:
        super().__init__(f"{BOT_ID}:noTokenOfAnyBotInTheWorld0000000000")
        self._bot_user = User(BOT_ID, "codemojex", True, username=BOT_NAME, can_read_all_group_messages=False)
        self._admins = admins

    async def get_chat_administrators(self, chat_id: int, **_: Any) -> tuple[ChatMember, ...]:
        ids = self._admins.get(chat_id, [])
        return tuple(ChatMemberMember(User(id, "Admin", False)) for id in ids)


@dataclass
class Desk:
    """What came in, what was left to be done after each commit, and what lies in the database.

    Attributes:
        now: what the bot's clock says; messages are dated by it.
        fixed: the secret of every new game.
    """

    store: Store
    limits: Limits = field(default_factory=lambda: Limits(per_second=0))
    now: datetime = T0
    fixed: str = SECRET
    tz: str = "UTC"
    admins: dict[int, list[int]] = field(default_factory=dict)
    queued: list[GuessJob] = field(default_factory=list)
    answers: list[CallbackAnswer] = field(default_factory=list)
    told: list[NoticeRef] = field(default_factory=list)
    rereads: int = 0
    mint: Callable[[str], str] = emq.mint
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1_000))

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """A new intake, which remembers nothing of the last one."""
        self.bot = AdminBot(self.admins)
        rules = Rules(
            self.limits,
            self.mint,
            random.Random(7),
            fixed_secret=tuple(self.fixed),
            clock=lambda: self.now,
            tz=self.tz,
        )
        after = AfterCommit(self.queued.extend, self.told.extend, self.answers.extend, self._reread)
        self.intake = Intake(self.store, self.bot, rules, after)

    def _reread(self) -> None:
        self.rereads += 1

    async def take(self, *updates: Raw) -> None:
        """A batch of updates."""
        await self.intake.take(updates)

    # -- what people do ------------------------------------------------------------------------

    async def private(self, who: int, *texts: str, **more: Any) -> None:
        """Messages of a person in their chat with the bot, in one batch."""
        await self.take(*(self.message(who, text, **more) for text in texts))

    async def group(self, who: int, *texts: str, **more: Any) -> None:
        """Messages of a person in the group Fruit, in one batch."""
        await self.take(*(self.message(who, text, FRUIT, **more) for text in texts))

    async def tap(self, who: int, data: str, chat: int | None = None) -> str:
        """A tap on a button; the answer shown over it, empty when it only stopped the clock."""
        raw = self.callback(who, data, chat)
        await self.take(raw)
        [answer] = [answer for answer in self.answers if answer.id == raw["callback_query"]["id"]]
        return answer.text or ""

    def message(self, who: int, text: str, chat: int | None = None, **more: Any) -> Raw:
        """An update with a new message; ``more`` goes into the message."""
        number = next(self.numbers)
        message: Raw = {
            "message_id": number,
            "date": int(self.now.timestamp()),
            "chat": chat_of(who if chat is None else chat),
            "from": person(who),
            "text": text,
        }
        if text.startswith("/"):
            command = text.split()[0]
            message["entities"] = [{"type": "bot_command", "offset": 0, "length": len(command)}]
        return {"update_id": number, "message": message | more}

    def callback(self, who: int, data: str, chat: int | None = None) -> Raw:
        """An update with a tap."""
        number = next(self.numbers)
        message = {
            "message_id": 90,
            "date": int(self.now.timestamp()),
            "chat": chat_of(who if chat is None else chat),
            "from": {"id": BOT_ID, "is_bot": True, "first_name": "codemojex"},
            "text": "board",
        }
        query = {"id": str(number), "from": person(who), "chat_instance": "-11", "data": data}
        return {"update_id": number, "callback_query": query | {"message": message}}

    def member(self, chat: int, who: int, before: str, after: str) -> Raw:
        """An update that says that the bot's place in a chat has changed."""
        number = next(self.numbers)
        bot = {"id": BOT_ID, "is_bot": True, "first_name": "codemojex"}
        change = {
            "chat": chat_of(chat),
            "from": person(who),
            "date": int(self.now.timestamp()),
            "old_chat_member": state(bot, before),
            "new_chat_member": state(bot, after),
        }
        return {"update_id": number, "my_chat_member": change}

    # -- what came of it -----------------------------------------------------------------------

    async def guesses(self) -> list[str]:
        """The symbols of every admitted guess, in order."""
        found = await rows(self.store, schema.guesses)
        return [row.symbols for row in sorted(found, key=lambda row: (row.game_id, row.ordinal))]

    async def games(self, **where: Any) -> list[Any]:
        """Rows of games, in the order in which they were opened."""
        return await rows(self.store, schema.games, **where)

    async def game(self, chat: int) -> Any:
        """The newest game of a chat's own room."""
        [room] = await rows(self.store, schema.rooms, chat_id=chat)
        return (await self.games(room_id=room.id))[-1]

    async def score(self) -> None:
        """Score every guess that is queued and settle what ends by it, as the worker does."""
        ids = [job.id for job in self.queued]
        scored = await self.store.transact(lambda tx: scores.score(tx, ids, self.now, emq.mint))
        for game_id in scored.to_settle:
            await self.store.transact(
                lambda tx, game_id=game_id: settlement.settle(tx, game_id, self.now, emq.mint, tz=self.tz)
            )

    async def notices(self, chat: int | None = None) -> list[Any]:
        """Rows of the outbox, in order."""
        found = await rows(self.store, schema.notices)
        return [row for row in found if chat is None or row.chat_id == chat]

    async def hears(self, chat: int) -> list[str]:
        """What a chat is told, in order and without markup; a card is called by its name."""
        said = []
        for row in await self.notices(chat):
            data = json.loads(row.data)
            said.append("[card]" if row.kind == "card" else plain(catalogs.of("en").notice(row.kind, data)))
        return said

    async def last(self, chat: int) -> str:
        """The newest of these."""
        return (await self.hears(chat))[-1]

    async def outcomes(self, updates: Sequence[Raw]) -> list[str]:
        """What the table `updates` says of these, in their order."""
        seen = {row.update_id: row.outcome for row in await rows(self.store, schema.updates)}
        return [seen.get(update["update_id"], "nothing") for update in updates]


def person(who: int) -> Raw:
    """Somebody as Telegram describes them."""
    return {"id": who, "is_bot": False, "first_name": NAMES.get(who, f"P{who}"), "language_code": "en"}


def chat_of(id: int) -> Raw:
    """A private chat, or a group."""
    if id > 0:
        return {"id": id, "type": "private", "first_name": NAMES.get(id, f"P{id}")}
    return {"id": id, "type": "supergroup", "title": "Fruit"}


def state(bot: Raw, status: str) -> Raw:
    """A chat member of the bot."""
    made: Raw = {"user": bot, "status": status}
    if status == "kicked":
        made["until_date"] = 0
    if status == "administrator":
        rights = (
            "can_be_edited",
            "is_anonymous",
            "can_manage_chat",
            "can_delete_messages",
            "can_manage_video_chats",
            "can_restrict_members",
            "can_promote_members",
            "can_change_info",
            "can_invite_users",
            "can_post_stories",
            "can_edit_stories",
            "can_delete_stories",
        )
        made |= dict.fromkeys(rights, False)
    return made
