"""Who may decide for a group: asked of Telegram before a batch is handled, never while its transaction is open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import structlog
from telegram import Bot
from telegram.error import TelegramError

from codemojex.bot.marks import RawUpdate, is_id, part, text_of
from codemojex.calls import trouble

log = structlog.get_logger(__name__)

# What an admin may do in a group, and others may not, or only together.
COMMANDS = frozenset({"giveup", "settings"})
BUTTONS = ("s:",)

AdminIds = Mapping[int, frozenset[int]]

_GROUPS = ("group", "supergroup")  # no set: a raw update may say something that cannot be in one
_KEPT_S = 60.0
_LIMIT_S = 2.0
_MOST = 1_000


class Admins:
    """The admins of the groups in which a batch holds something that only they may do.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, bot: Bot, clock: Callable[[], float] = time.monotonic) -> None:
        self._bot = bot
        self._clock = clock
        self._known: dict[int, tuple[float, frozenset[int]]] = {}

    async def of(self, batch: Sequence[RawUpdate]) -> AdminIds:
        """The ids of the admins of each group where ``batch`` needs them.

        A list is a minute old at most. All are asked for at once, for two seconds in all: a group for which
        Telegram does not answer is missing, and has no admins this time.
        """
        chats = wanted(batch)
        if not chats:
            return {}
        now = self._clock()
        self._known = {chat: known for chat, known in self._known.items() if now - known[0] < _KEPT_S}
        unknown = [chat for chat in chats if chat not in self._known][:_MOST]
        if unknown:
            await self._ask(unknown, now)
        return {chat: self._known[chat][1] for chat in chats if chat in self._known}

    async def _ask(self, chats: Iterable[int], now: float) -> None:
        tasks = [asyncio.create_task(self._one(chat)) for chat in chats]
        done, late = await asyncio.wait(tasks, timeout=_LIMIT_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        if late:
            log.warning("Telegram does not say in time who the admins are", chats=len(late))
        for chat, ids in (task.result() for task in done):
            if ids is not None and len(self._known) < _MOST:
                self._known[chat] = now, ids

    async def _one(self, chat: int) -> tuple[int, frozenset[int] | None]:
        try:
            members = await self._bot.get_chat_administrators(chat, read_timeout=_LIMIT_S)
        except TelegramError as error:
            log.warning("Telegram does not say who the admins are", error=trouble(error))
            return chat, None
        return chat, frozenset(member.user.id for member in members)


def wanted(batch: Iterable[RawUpdate]) -> list[int]:
    """The groups in which somebody asks for what only an admin may do, each once."""
    chats = (_chat(raw) for raw in batch if _is_command(raw) or _is_button(raw))
    found = (chat["id"] for chat in chats if chat.get("type") in _GROUPS and is_id(chat.get("id")))
    return list(dict.fromkeys(found))


def _is_command(raw: RawUpdate) -> bool:
    first = text_of(raw)[:64].partition(" ")[0]
    return first.startswith("/") and first[1:].partition("@")[0].lower() in COMMANDS


def _is_button(raw: RawUpdate) -> bool:
    data = part(raw, "callback_query").get("data")
    return isinstance(data, str) and data.startswith(BUTTONS)


def _chat(raw: RawUpdate) -> RawUpdate:
    message = part(raw, "message") or part(part(raw, "callback_query"), "message")
    return part(message, "chat")
