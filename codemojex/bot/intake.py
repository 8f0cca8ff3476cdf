"""A batch of updates, one transaction: every effect and its "seen" mark together, or none.

Each update runs inside a savepoint. One that raises is rolled back alone, recorded with what it
said, and passed over: it must never stop its neighbours. An outage of the database is nobody's
fault and fails the batch as a whole, unconfirmed, so that Telegram sends it again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection
from telegram import Bot, Update
from telegram.ext import BaseHandler

from codemojex.bot.handlers import handlers
from codemojex.bot.source import RawUpdate
from codemojex.bot.turn import Effects, Rules, Turn
from codemojex.game.refusals import GameRefused, GuessRefused
from codemojex.play import updates
from codemojex.store.engine import Store, StoreDown, is_outage
from codemojex.texts import Texts

log = structlog.get_logger(__name__)


class Outcome(StrEnum):
    """What became of an update; the word stands in the `updates` table."""

    HANDLED = "handled"
    REFUSED = "refused"
    DUPLICATE = "duplicate"
    IGNORED = "ignored"
    UNKNOWN = "unknown"
    POISON = "poison"


@dataclass(frozen=True, slots=True)
class AfterCommit:
    """Who is told about a committed batch: the burst buffer and the notifier.

    Attributes:
        guesses, notices: what the batch left to be queued and told.
        reread: a commit's answer was lost, so rows may lie there that nobody was told of.
    """

    guesses: Callable[[Sequence[tuple[str, bytes]]], None]
    notices: Callable[[Sequence[Any]], None]
    reread: Callable[[], None]


class Intake:
    """Turns raw updates into committed effects."""

    def __init__(self, store: Store, bot: Bot, rules: Rules, texts: Texts, after: AfterCommit) -> None:
        self.counts: dict[Outcome, int] = dict.fromkeys(Outcome, 0)
        self._store = store
        self._bot = bot
        self._rules = rules
        self._texts = texts
        self._after = after
        self._doubt = False
        self._handlers: list[BaseHandler[Update, Any, Any]] = handlers()

    async def take(self, batch: Sequence[RawUpdate]) -> None:
        """Handle and commit ``batch``; on return Telegram may be told to forget it.

        Raises:
            StoreDown: the database did not answer; nothing of the batch is committed.
        """
        usable = [raw for raw in batch if is_id(raw.get("update_id"))]
        if len(usable) < len(batch):
            log.error("updates without a usable id were passed over", updates=len(batch) - len(usable))
        try:
            effects, outcomes = await self._store.transact(lambda tx: self._handle_all(tx, usable))
        except StoreDown:
            self._doubt = True
            raise
        if self._doubt:
            self._doubt = False
            self._after.reread()
        for outcome in outcomes:
            self.counts[outcome] += 1
        self._after.guesses(effects.guesses)
        self._after.notices(effects.notices)

    async def _handle_all(
        self, tx: AsyncConnection, batch: Sequence[RawUpdate]
    ) -> tuple[Effects, list[Outcome]]:
        effects, outcomes = Effects(), []
        now = datetime.now(UTC)
        known = await updates.seen(tx, [_mark(raw) for raw in batch])
        for raw in batch:
            mark = _mark(raw)
            if known.has(mark):
                outcomes.append(Outcome.DUPLICATE)
                continue
            known.add(mark)
            turn = Turn(tx, now, self._rules, self._texts, raw["update_id"])
            outcome = await self._handle_one(turn, raw)
            if outcome is not Outcome.POISON:
                effects.add(turn.effects)
            await updates.record(tx, mark, outcome, now)
            outcomes.append(outcome)
        return effects, outcomes

    async def _handle_one(self, turn: Turn, raw: RawUpdate) -> Outcome:
        try:
            async with turn.tx.begin_nested():
                return await self._dispatch(turn, raw)
        except Exception as error:
            if is_outage(error):
                raise
            # The text of the error may quote the update, and that is the player's; it goes to the
            # table, not to the log.
            log.error("an update was set aside", update=raw["update_id"], error=type(error).__name__)
            await updates.poisoned(
                turn.tx, raw["update_id"], repr(error), json.dumps(raw, ensure_ascii=False), turn.now
            )
            return Outcome.POISON

    async def _dispatch(self, turn: Turn, raw: RawUpdate) -> Outcome:
        _check_ids(raw)
        update = Update.de_json(raw, self._bot)
        for handler in self._handlers:
            check = handler.check_update(update)
            if check is None or check is False:
                continue
            handler.collect_additional_context(turn, update, None, check)  # type: ignore[arg-type]
            return await self._call(handler, update, turn)
        return Outcome.IGNORED if _known_kind(update) else Outcome.UNKNOWN

    async def _call(self, handler: BaseHandler[Update, Any, Any], update: Update, turn: Turn) -> Outcome:
        try:
            await handler.callback(update, turn)
        except (GuessRefused, GameRefused) as refusal:
            said = self._texts.refused(refusal)
            if said is not None and update.message is not None:
                await turn.reply(update.message, said)
            return Outcome.REFUSED
        return Outcome.HANDLED


def _mark(raw: RawUpdate) -> updates.Mark:
    """What makes an update the same as another: its id, or for a message its chat and message id."""
    kind = next((name for name in raw if name != "update_id"), "")
    message = _part(raw, kind) if kind == "message" else {}
    chat_id, message_id = _part(message, "chat").get("id"), message.get("message_id")
    if not (is_id(chat_id) and is_id(message_id)):
        chat_id = message_id = None
    storable = kind[:64].encode("utf-8", "replace").decode()
    return updates.Mark(raw["update_id"], storable, chat_id, message_id)


def _check_ids(raw: RawUpdate) -> None:
    """Refuse an update whose chat, sender or message could never be stored under its id.

    Raises:
        ValueError: one of them is no 64-bit whole number.
    """
    for kind in ("message", "my_chat_member"):
        part = _part(raw, kind)
        found = [
            part.get("message_id", 0),
            _part(part, "chat").get("id", 0),
            _part(part, "from").get("id", 0),
        ]
        if not all(map(is_id, found)):
            raise ValueError(f"a {kind} with ids that are no 64-bit whole numbers")


def _part(raw: RawUpdate, name: str) -> dict[str, Any]:
    """An object inside another, or an empty one where something else stands."""
    part = raw.get(name)
    return part if isinstance(part, dict) else {}


def is_id(value: object) -> bool:
    """A whole number that fits the database's 64 bits."""
    return type(value) is int and -(2**63) <= value < 2**63


def _known_kind(update: Update) -> bool:
    """Whether python-telegram-bot knows what this update carries."""
    return any(getattr(update, name) is not None for name in Update.ALL_TYPES)
