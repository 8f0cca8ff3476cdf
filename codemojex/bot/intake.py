"""A batch of updates, one transaction: every effect and its "seen" mark together, or none.

Each update runs inside a savepoint. One that raises is rolled back alone, recorded with what it
said, and passed over: it must never stop its neighbours. An outage of the database is nobody's
fault and fails the batch as a whole, unconfirmed, so that Telegram sends it again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

import structlog
from sqlalchemy.ext.asyncio import AsyncConnection
from telegram import Bot, Update

from codemojex.bot.acts import Act, actor_of, acts_of, rates, time_of
from codemojex.bot.admins import AdminIds, Admins
from codemojex.bot.answering import answer_refusal, unanswered
from codemojex.bot.floods import Floods, Weighing
from codemojex.bot.handlers import Handler, handlers
from codemojex.bot.marks import RawUpdate, chat_of, check_ids, is_id, mark_of
from codemojex.bot.memory import Memory, guessers, is_plain
from codemojex.bot.plain import in_the_way, read_shot
from codemojex.bot.speech import Speech
from codemojex.bot.turn import Effects, Rules, Turn
from codemojex.game.refusals import GameRefused, GuessRefused, TooFast, TooMuch
from codemojex.play import updates
from codemojex.play.keys import CallbackAnswer
from codemojex.play.outbox import NoticeRef
from codemojex.play.payloads import GuessJob
from codemojex.play.volleys import Shot, Volleys
from codemojex.store.engine import Store, StoreDown, is_outage

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
    """Who is told about a committed batch: the burst buffer, the notifier, whoever answers taps.

    Attributes:
        guesses, notices, answers: what the batch left to be queued, told and answered.
        reread: a commit's answer was lost, so rows may lie there that nobody was told of.
    """

    guesses: Callable[[Sequence[GuessJob]], None]
    notices: Callable[[Sequence[NoticeRef]], None]
    answers: Callable[[Sequence[CallbackAnswer]], None]
    reread: Callable[[], None]


@dataclass(slots=True)
class _Batch:
    """A batch while it is handled.

    Attributes:
        weighing: how often everybody acts.
        volley: plain messages that wait to be admitted together.
    """

    tx: AsyncConnection
    now: datetime
    admins: AdminIds
    raws: Sequence[RawUpdate]
    memory: Memory
    weighing: Weighing
    effects: Effects = field(default_factory=Effects)
    outcomes: list[Outcome] = field(default_factory=list)
    volley: list[tuple[Shot, RawUpdate, updates.Mark]] = field(default_factory=list)
    _speech: Speech | None = None

    async def turn(self, raw: RawUpdate, rules: Rules) -> Turn:
        """The turn of one update."""
        if self._speech is None:
            self._speech = await Speech.of(self.tx, self.raws)
        texts = self._speech.texts(raw)
        private = chat_of(raw).get("type") == "private"
        return Turn(self.tx, self.now, rules, texts, raw["update_id"], private, self.memory, self.admins)


class Intake:
    """Turns raw updates into committed effects."""

    def __init__(self, store: Store, bot: Bot, rules: Rules, after: AfterCommit) -> None:
        self.counts: dict[Outcome, int] = dict.fromkeys(Outcome, 0)
        self.admitted = 0  # guesses
        self._store = store
        self._bot = bot
        self._rules = rules
        self._after = after
        self._admins = Admins(bot)
        self._floods = Floods(rates(rules.acts_per_second))
        self._doubt = False
        self._handlers: list[Handler] = handlers()

    async def take(self, batch: Sequence[RawUpdate]) -> int | None:
        """Handle and commit ``batch``; on return Telegram may be told to forget it.

        Returns:
            The offset that confirms the batch; None when no update in it has an id to confirm it by.

        Raises:
            StoreDown: the database did not answer; nothing of the batch is committed.
        """
        usable = [raw for raw in batch if is_id(raw.get("update_id"))]
        if len(usable) < len(batch):
            log.error("updates without a usable id were passed over", updates=len(batch) - len(usable))
        if not usable:
            return None
        admins = await self._admins.of(usable)
        try:
            work = await self._store.transact(lambda tx: self._handle_all(tx, usable, admins))
        except StoreDown:
            self._doubt = True
            raise
        if self._doubt:
            self._doubt = False
            self._after.reread()
        self._floods.keep(work.weighing)
        for outcome in work.outcomes:
            self.counts[outcome] += 1
        self.admitted += len(work.effects.guesses)
        self._after.guesses(work.effects.guesses)
        self._after.notices(work.effects.notices)
        self._after.answers(work.effects.answers)
        return 1 + max(int(raw["update_id"]) for raw in usable)

    async def _handle_all(self, tx: AsyncConnection, batch: Sequence[RawUpdate], admins: AdminIds) -> _Batch:
        memory, weighing = Memory(guessers(batch)), self._floods.weighing()
        work = _Batch(tx, self._rules.clock(), admins, batch, memory, weighing)
        marks = [mark_of(raw) for raw in batch]
        known = await updates.seen(tx, marks)
        for raw, mark in zip(batch, marks, strict=True):
            if known.has(mark):
                work.outcomes.append(Outcome.DUPLICATE)
                work.effects.answers += unanswered(raw, ())
                continue
            known.add(mark)
            shot = read_shot(raw)
            if shot is not None:
                work.volley.append((shot, raw, mark))
                continue
            if in_the_way(raw, (shot for shot, *_ in work.volley)):
                await self._fire(work)
            await self._handle(work, raw, mark)
        await self._fire(work)
        return work

    async def _fire(self, work: _Batch) -> None:
        """Admit the plain guesses that wait, in their order: together as far as they are ordinary, else one by one."""
        while work.volley:
            jobs = await self._admit(work)
            # Whatever ends a volley is looked at alone; where one came to nothing, each by itself shows why.
            end = len(work.volley) if jobs is None else len(jobs) + 1
            admitted = jobs or []
            alone = work.volley[len(admitted) : end]
            del work.volley[:end]
            work.effects.guesses += admitted
            work.outcomes += [Outcome.HANDLED] * len(admitted)
            for _, raw, mark in alone:
                await self._handle(work, raw, mark)

    async def _admit(self, work: _Batch) -> list[GuessJob] | None:
        """Admit the head of the volley; None, and nothing of it, where something came between."""
        rules = self._rules
        volleys = Volleys(work.tx, work.now, rules.mint, rules.limits, rules.tz)
        try:
            async with work.tx.begin_nested():
                jobs = await volleys.admit([shot for shot, *_ in work.volley])
                marks = [mark for *_, mark in work.volley[: len(jobs)]]
                await updates.record_all(work.tx, marks, Outcome.HANDLED, work.now)
        except Exception as error:
            if is_outage(error):
                raise
            # Another transaction was faster, or one of them is poison.
            log.info("guesses are admitted one by one", guesses=len(work.volley), error=type(error).__name__)
            return None
        return jobs

    async def _handle(self, work: _Batch, raw: RawUpdate, mark: updates.Mark) -> None:
        """One update by itself, with its mark."""
        turn = await work.turn(raw, self._rules)
        outcome = await self._handle_one(turn, raw, work.weighing)
        await updates.record(work.tx, mark, outcome, work.now)
        if outcome is Outcome.POISON:
            turn.effects = Effects()
        turn.effects.answers += unanswered(raw, turn.effects.answers)
        work.effects.add(turn.effects)
        work.outcomes.append(outcome)

    async def _handle_one(self, turn: Turn, raw: RawUpdate, weighing: Weighing) -> Outcome:
        try:
            async with turn.tx.begin_nested():
                outcome = await self._dispatch(turn, raw, weighing)
        except Exception as error:
            if is_outage(error):
                raise
            turn.memory.forget()
            # The text of the error may quote the update, and that is the player's; it goes to the
            # table, not to the log.
            log.error("an update was set aside", update=raw["update_id"], error=type(error).__name__)
            await updates.poisoned(
                turn.tx, raw["update_id"], repr(error), json.dumps(raw, ensure_ascii=False), turn.now
            )
            return Outcome.POISON
        if not is_plain(raw):
            turn.memory.forget()
        return outcome

    async def _dispatch(self, turn: Turn, raw: RawUpdate, weighing: Weighing) -> Outcome:
        check_ids(raw)
        update = Update.de_json(raw, self._bot)
        for handler in self._handlers:
            check = handler.check_update(update)
            if check is None or check is False:
                continue
            handler.collect_additional_context(turn, update, None, check)  # type: ignore[arg-type]
            return await self._call(handler, update, turn, weighing)
        return Outcome.IGNORED if _known_kind(update) else Outcome.UNKNOWN

    async def _call(self, handler: Handler, update: Update, turn: Turn, weighing: Weighing) -> Outcome:
        actor, acts, at = actor_of(update), acts_of(update, handler), time_of(update, turn.now)
        try:
            if actor is not None:
                weighing.weigh(actor, acts, at)
            await handler.callback(update, turn)
        except (GuessRefused, GameRefused) as refusal:
            if actor is not None and not acts and not isinstance(refusal, TooFast):
                refusal = _weighed(refusal, weighing, actor, at)
            await answer_refusal(update, turn, refusal)
            return Outcome.REFUSED
        return Outcome.HANDLED


def _weighed(
    refusal: GuessRefused | GameRefused, weighing: Weighing, actor: int, at: datetime
) -> GuessRefused | GameRefused:
    """What to answer to a guess that is none: why, or that these are too many."""
    try:
        weighing.weigh(actor, [Act.MISTAKE], at)
    except TooMuch as flood:
        return flood
    return refusal


def _known_kind(update: Update) -> bool:
    """Whether python-telegram-bot knows what this update carries."""
    return any(getattr(update, name) is not None for name in Update.ALL_TYPES)
