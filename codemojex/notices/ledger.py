"""What the database says of notices: which go next, that they are on their way, and what became of them.

Every send is written down before it starts (``sends`` + 1, ``sending_at``), so a process that dies in between
leaves a notice in doubt, never a notice sent without a trace. A notice in doubt is left alone while its
sender may still be alive, then sent once more; twice is the end of it, whatever the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.notices.clock import Clock
from codemojex.notices.delivery import Blocked, Outcome, Outgoing, Rejected, Sent, Unknown, Unsent
from codemojex.notices.gathering import Gathering
from codemojex.notices.letters import Letter, compose
from codemojex.play import outbox, players
from codemojex.play.outbox import Notice
from codemojex.store import schema
from codemojex.store.engine import Store, TryAgain
from codemojex.texts import Texts

MOST_SENDS = 2
ANSWER_LOST = "answer lost"
UNREACHABLE = "unreachable"
UNREADABLE = "unreadable"

_BATCH = 64  # chats in one transaction
_HEAD = 50  # notices of a chat looked at for one message


@dataclass(frozen=True, slots=True)
class Taken:
    """The next message of a chat.

    Attributes:
        message: marked as being sent, and nobody else's for now; None when there is nothing to send.
        more: whether the chat has more to be told after it.
        wait_s: None, or seconds after which to look again because another sender may be at it.
        send_by: monotonic seconds after which the message must not be handed to Telegram any more.
    """

    message: Outgoing | None
    more: bool = False
    wait_s: float | None = None
    send_by: float = float("-inf")


class Ledger:
    """Takes messages out of the database and writes down what became of them, many chats at a time."""

    def __init__(
        self, store: Store, texts: Texts, clock: Clock, abandoned_s: float, send_limit_s: float
    ) -> None:
        self._store = store
        self._texts = texts
        self._clock = clock
        self._abandoned = timedelta(seconds=abandoned_s)
        self._send_within_s = abandoned_s - send_limit_s
        self._taking: Gathering[int, Taken] = Gathering(self._take_all, _BATCH)
        self._settling: Gathering[tuple[Outgoing, Outcome], None] = Gathering(self._settle_all, _BATCH)

    async def take(self, chat_id: int) -> Taken:
        """Mark the next message of a chat as being sent and return it.

        Raises:
            StoreDown: nothing is marked.
        """
        return await self._taking.ask(chat_id)

    async def settle(self, message: Outgoing, outcome: Outcome) -> None:
        """Write down what became of a message; safe to repeat until it is written.

        Raises:
            StoreDown: nothing is known to be written.
        """
        await self._settling.ask((message, outcome))

    async def chats(self, limit: int, after: int | None) -> list[int]:
        """Chats with something to be told, by id from above ``after`` on, at most ``limit``.

        Raises:
            StoreDown: the database does not answer.
        """
        return await self._store.read(lambda tx: outbox.chats_waiting(tx, limit, after))

    async def close(self) -> None:
        """Finish the transactions in flight and give up the rest."""
        await self._taking.close()
        await self._settling.close()

    async def _take_all(self, chat_ids: Sequence[int]) -> list[Taken]:
        async def take(tx: AsyncConnection) -> list[Taken]:
            send_by, now = self._clock.monotonic() + self._send_within_s, self._clock.now()
            gone = await _unreachable(tx, chat_ids)
            taken: dict[int, Taken] = {}
            # In one order everywhere, so that two notifiers never wait for each other's rows in a ring.
            for chat_id in sorted(set(chat_ids)):
                if chat_id in gone:
                    await outbox.drop_chat(tx, chat_id, UNREACHABLE, now)
                    taken[chat_id] = Taken(None)
                else:
                    taken[chat_id] = await self._take(tx, chat_id, now, send_by)
            return [taken[chat_id] for chat_id in chat_ids]

        return await self._store.transact(take)

    async def _take(self, tx: AsyncConnection, chat_id: int, now: datetime, send_by: float) -> Taken:
        waiting = await outbox.waiting(tx, chat_id, _HEAD)
        spent = [n for n in waiting if n.sends >= MOST_SENDS and not self._in_flight(n, now)]
        if spent:
            await outbox.sent(tx, [n.id for n in spent], None, now, ANSWER_LOST)
        head: list[Notice] = []
        for notice in waiting:
            if self._in_flight(notice, now):
                break
            if notice.sends < MOST_SENDS:
                head.append(notice)
        letter = compose(head, self._texts)
        if letter.unreadable:
            await outbox.failed(tx, letter.unreadable, UNREADABLE, now)
        if letter.message is None:
            return self._nothing(waiting, now)
        await _mark(tx, head, letter, now)
        left = len(waiting) - len(spent) - len(letter.message.ids) - len(letter.unreadable)
        return Taken(letter.message, more=left > 0 or len(waiting) == _HEAD, send_by=send_by)

    def _nothing(self, waiting: Sequence[Notice], now: datetime) -> Taken:
        """Nothing to send now: nothing waits, or the head is in another sender's hands."""
        for notice in waiting:
            if notice.sending_at is not None and self._in_flight(notice, now):
                age = now - notice.sending_at
                return Taken(None, more=True, wait_s=(self._abandoned - age).total_seconds())
        return Taken(None, more=len(waiting) == _HEAD)

    def _in_flight(self, notice: Notice, now: datetime) -> bool:
        """True while whoever took the notice may still be sending it."""
        return notice.sending_at is not None and now - notice.sending_at < self._abandoned

    async def _settle_all(self, settled: Sequence[tuple[Outgoing, Outcome]]) -> list[None]:
        async def settle(tx: AsyncConnection) -> None:
            now = self._clock.now()
            for message, outcome in sorted(settled, key=lambda pair: pair[0].chat_id):
                await _settle(tx, message, outcome, now)

        await self._store.transact(settle)
        return [None] * len(settled)


async def _unreachable(tx: AsyncConnection, chat_ids: Sequence[int]) -> set[int]:
    """The private chats among these whose player takes no messages until they write again."""
    players_ = schema.players.c
    query = select(players_.id).where(players_.id.in_(chat_ids), players_.unreachable_at.is_not(None))
    return set((await tx.execute(query)).scalars())


async def _mark(tx: AsyncConnection, head: Sequence[Notice], letter: Letter, now: datetime) -> None:
    """Mark all of a message's notices as being sent, or none."""
    ids = letter.message.ids if letter.message else ()
    seen = [notice for notice in head if notice.id in ids]
    if len(await outbox.sending(tx, seen, now)) != len(seen):
        raise TryAgain("another sender was faster")


async def _settle(tx: AsyncConnection, message: Outgoing, outcome: Outcome, now: datetime) -> None:
    match outcome:
        case Sent(message_id=message_id):
            await outbox.sent(tx, message.ids, message_id, now)
        case Unsent():
            await _release(tx, message, message.attempt - 1)
        case Unknown() if message.attempt >= MOST_SENDS:
            await outbox.sent(tx, message.ids, None, now, ANSWER_LOST)
        case Unknown():
            await _release(tx, message, message.attempt)
        case Rejected(reason=reason):
            await outbox.failed(tx, message.ids, reason, now)
        case Blocked(reason=reason):
            await outbox.drop_chat(tx, message.chat_id, reason, now)
            await players.unreachable(tx, message.chat_id, now)


async def _release(tx: AsyncConnection, message: Outgoing, sends: int) -> None:
    """Nobody sends these notices any more; ``sends`` counts the times they may have arrived.

    Left as they are where somebody else has taken them meanwhile.
    """
    row = schema.notices.c
    await tx.execute(
        update(schema.notices)
        .where(row.id.in_(message.ids), row.sends == message.attempt, row.sent_at.is_(None))
        .values(sends=sends, sending_at=None)
    )
