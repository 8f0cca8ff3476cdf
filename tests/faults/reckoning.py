"""What must have become of every message that was sent: admitted once, scored once, told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import exists, func, select

from codemojex.notices.settling import ANSWER_LOST, MOST_SENDS
from codemojex.store import schema
from tests.faults.crowd import Sent, rows_of
from tests.faults.stage import Stage
from tests.system.deployment import until


@dataclass(frozen=True, slots=True)
class Findings:
    """What became of guesses.

    Attributes:
        guesses: how many were sent.
        lost: neither admitted nor refused, not scored, or not told; and how far each has come.
        doubled: admitted more than once, or under two messages.
        repeated: messages with results that a chat has got once more, word for word.
        told_again: the guesses in those.
        thrice: messages that came more often than twice.
        unheard: guesses whose result was sent twice, and neither time did Telegram answer, or get it.
    """

    guesses: int
    lost: dict[Sent, str] = field(default_factory=dict)
    doubled: dict[Sent, str] = field(default_factory=dict)
    repeated: list[str] = field(default_factory=list)
    told_again: set[Sent] = field(default_factory=set)
    thrice: list[str] = field(default_factory=list)
    unheard: list[Sent] = field(default_factory=list)

    @property
    def broken(self) -> list[str]:
        """What no fault excuses, a line each."""
        ends = [*self.lost.items(), *self.doubled.items()]
        return [*(f"{guess} {end}" for guess, end in ends), *self.thrice]


async def all_told(stage: Stage, sent: list[Sent], within_s: float = 120.0) -> None:
    """Wait until every one of these guesses is scored and told, or was refused."""
    guesses, notices = schema.guesses.c, schema.notices.c
    given_up = exists().where(notices.guess_id == guesses.id, notices.failure.is_not(None))
    untold = select(func.count()).where(guesses.told_at.is_(None), ~given_up)

    async def told() -> bool:
        # Cheap things first: to look at thousands of guesses ten times a second is a fault of its own.
        if (await stage.control("GET", "health"))["pending"]:
            return False
        return not (await stage.store.read(lambda tx: rows_of(tx, untold)))[0][0]

    try:
        await until(told, "every guess is told", within_s)
    except AssertionError as error:
        left = await open_ends(stage, sent)
        raise AssertionError(f"{error}: {len(left)} are not: {list(left.items())[:5]}") from None
    left = await open_ends(stage, sent)
    assert left == {}, f"{len(left)} are not told"


async def open_ends(stage: Stage, sent: list[Sent]) -> dict[Sent, str]:
    """Guesses that are neither told nor refused yet, and how far each is."""
    admitted, outcomes = await _rows(stage, sent)
    found = {}
    for guess in sent:
        rows = admitted.get((guess.chat_id, guess.message_id), [])
        outcome = outcomes.get((guess.chat_id, guess.message_id))
        if rows and any(row.told_at is None or row.scored_at is None for row in rows):
            found[guess] = "is scored" if rows[0].scored_at else "is admitted"
        elif not rows and outcome != "refused":
            found[guess] = f"is {outcome or 'not received'}"
    return found


async def findings(stage: Stage, sent: list[Sent], heard: Mapping[int, int] | None = None) -> Findings:
    """Look at the database and at what Telegram has shown, once everything has come to rest.

    Args:
        heard: how much each chat had been shown before (see `listen`); None looks at everything.
    """
    admitted, _ = await _rows(stage, sent)
    found = Findings(len(sent), await open_ends(stage, sent))
    for guess in sent:
        rows = admitted.get((guess.chat_id, guess.message_id), [])
        if len(rows) > 1:
            found.doubled[guess] = f"stands {len(rows)} times"
    unheard = await _unheard(stage)
    for chat_id in sorted({guess.chat_id for guess in sent}):
        if chat_id < 0:
            continue  # a board is edited, and shows a guess for as long as there is room
        texts = await _texts(stage, chat_id, (heard or {}).get(chat_id, 0))
        mine = [guess for guess in sent if guess.chat_id == chat_id]
        told = "\n".join(texts)
        results = [text for text in texts if any(guess.symbols in text for guess in mine)]
        for text, times in Counter(results).items():
            found.repeated.extend([text] * (times - 1))
            if times > 1:
                found.told_again.update(guess for guess in mine if guess.symbols in text)
            if times > 2:
                found.thrice.append(f"{chat_id} was told {times} times: {text!r:.80}")
        for guess in mine:
            rows = admitted.get((chat_id, guess.message_id), [])
            if rows and guess.symbols not in told:
                if rows[0].id in unheard:
                    found.unheard.append(guess)
                else:
                    found.lost[guess] = "is not shown"
    return found


async def _unheard(stage: Stage) -> set[str]:
    """Guesses that count as told because their message was sent for the last time, and not answered."""
    notices = schema.notices.c
    query = select(notices.guess_id).where(notices.failure == ANSWER_LOST, notices.sends >= MOST_SENDS)
    return {row.guess_id for row in await stage.store.read(lambda tx: rows_of(tx, query))}


async def listen(stage: Stage, chats: Iterable[int]) -> dict[int, int]:
    """How much these chats have been shown so far."""
    return {chat_id: len(await stage.control("GET", _inbox(chat_id))) for chat_id in chats}


async def _texts(stage: Stage, chat_id: int, since: int) -> list[str]:
    """The messages the bot has sent to a chat; what became of one by edits is not looked at."""
    events = await stage.control("GET", f"{_inbox(chat_id)}?since={since}")
    return [event["text"] for event in events if event["kind"] == "message" and event["text"]]


def _inbox(chat_id: int) -> str:
    return f"people/{chat_id}/inbox" if chat_id > 0 else f"groups/{chat_id}/inbox"


async def _rows(
    stage: Stage, sent: list[Sent]
) -> tuple[dict[tuple[int, int], list[Any]], dict[tuple[int, int], str]]:
    """The guesses of these messages, and what became of the updates."""
    guesses, updates = schema.guesses.c, schema.updates.c
    ids = sorted({guess.message_id for guess in sent})
    low, high = (ids[0], ids[-1]) if ids else (0, -1)
    chats = sorted({guess.chat_id for guess in sent})

    async def look(tx: Any) -> Any:
        columns = guesses.id, guesses.chat_id, guesses.message_id, guesses.scored_at, guesses.told_at
        mine = select(*columns).where(guesses.chat_id.in_(chats), guesses.message_id.between(low, high))
        seen = select(updates.chat_id, updates.message_id, updates.outcome).where(
            updates.chat_id.in_(chats), updates.message_id.between(low, high)
        )
        return await rows_of(tx, mine), await rows_of(tx, seen)

    rows, outcomes = await stage.store.read(look)
    admitted: dict[tuple[int, int], list[Any]] = {}
    for row in rows:
        admitted.setdefault((row.chat_id, row.message_id), []).append(row)
    return admitted, {(row.chat_id, row.message_id): row.outcome for row in outcomes}


async def at_rest(stage: Stage, within_s: float = 90.0) -> None:
    """Wait until nothing is on its way: no update at Telegram, no notice in the outbox."""
    pending = select(func.count()).where(
        schema.notices.c.sent_at.is_(None), schema.notices.c.failure.is_(None)
    )

    async def resting() -> bool:
        if (await stage.control("GET", "health"))["pending"]:
            return False
        return not (await stage.store.read(lambda tx: rows_of(tx, pending)))[0][0]

    await until(resting, "everything comes to rest", within_s)


async def sent_often(stage: Stage) -> int:
    """Notices that were handed to Telegram twice."""
    query = select(func.count()).where(schema.notices.c.sends > 1)
    return int((await stage.store.read(lambda tx: rows_of(tx, query)))[0][0])


async def set_aside(stage: Stage) -> int:
    """Updates that no handler could deal with."""
    query = select(func.count()).select_from(schema.poison)
    return int((await stage.store.read(lambda tx: rows_of(tx, query)))[0][0])
