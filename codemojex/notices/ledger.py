"""What the database says of notices: which go next, that they are on their way, and what became of them.

Every send is written down before it starts (``sends`` + 1, ``sending_at``), so a process that dies in between
leaves a notice in doubt, never a notice sent without a trace. A notice in doubt is left alone while its
sender may still be alive, then sent once more; twice is the end of it, whatever the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.gathering import Gathering
from codemojex.notices.clock import Clock
from codemojex.notices.looking import Look, Patience, draw, mark
from codemojex.notices.options import NotifierOptions
from codemojex.notices.outgoing import Moved, Outcome, Outgoing, Overslept, Sent, Unsent, Vanished
from codemojex.notices.piles import piles
from codemojex.notices.settling import settle, settle_told
from codemojex.play import addressees, handover, outbox, showing
from codemojex.play.cards import Card
from codemojex.store.engine import Store, StoreDown
from codemojex.texts import Texts

UNREACHABLE = "unreachable"

# A language as it is written in the database -> what is said in it.
Voices = Callable[[str], Texts]

_BATCH = 500  # chats in one transaction


@dataclass(frozen=True, slots=True)
class Taken:
    """The next message of a chat.

    Attributes:
        message: marked as being sent, and nobody else's for now; None when there is nothing to send.
        more: whether the chat may have more to be told right after it.
        wait_s: None, or seconds after which to look again, because another sender may be at it or a card has just
            been shown.
        send_by: monotonic seconds after which the message must not be handed to Telegram any more.
    """

    message: Outgoing | None
    more: bool = False
    wait_s: float | None = None
    send_by: float = float("-inf")


class Ledger:
    """Takes messages out of the database and writes down what became of them, many chats at a time."""

    def __init__(self, store: Store, voices: Voices, clock: Clock, options: NotifierOptions) -> None:
        self._store = store
        self._voices = voices
        self._clock = clock
        self._tz = options.tz
        self._patience = Patience(
            timedelta(seconds=options.abandoned_s), timedelta(seconds=options.budgets.board_rest_s)
        )
        self._send_within_s = options.abandoned_s - options.send_limit_s
        self._taking: Gathering[int, Taken] = Gathering(self._take_all, _BATCH, (StoreDown,))
        self._settling: Gathering[tuple[Outgoing, Outcome], None] = Gathering(
            self._settle_all, _BATCH, (StoreDown,)
        )

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
            send_by, now = self._send_by(), self._clock.now()
            about = await addressees.of(tx, chat_ids)
            boards = await _boards(tx, [id for id, chat in about.items() if id < 0 and chat.reachable])
            gone = sorted(id for id, chat in about.items() if not chat.reachable)
            for chat_id in gone:
                await handover.drop_chat(tx, chat_id, UNREACHABLE, now)
            # In one order everywhere, so that two notifiers never wait for each other's rows in a ring.
            there = sorted(set(about) - set(gone))
            looks: dict[int, Look] = {}
            for chat_id, found in (await piles(tx, there, boards)).items():
                chat = about[chat_id]
                texts = self._voices(chat.language)
                looks[chat_id] = look = Look(tx, texts, now, self._patience, chat.sees_all)
                await look.take(found)
            await draw(tx, list(looks.values()), now)
            # Letters are marked when all is read, which on a slow database takes a good part of the time to send them.
            late, letters = self._send_by(), [letter for look in looks.values() for letter in look.letters]
            await mark(tx, letters, self._clock.now())
            taken = dict.fromkeys(gone, Taken(None))
            for chat_id, look in looks.items():
                by = late if look.message is not None and look.message.card_id is None else send_by
                taken[chat_id] = Taken(look.message, look.more, look.wait_s, by)
            return [taken[chat_id] for chat_id in chat_ids]

        return await self._store.transact(take)

    def _send_by(self) -> float:
        """Until when what is marked now belongs to nobody else."""
        return self._clock.monotonic() + self._send_within_s

    async def _settle_all(self, settled: Sequence[tuple[Outgoing, Outcome]]) -> list[None]:
        async def settle_each(tx: AsyncConnection) -> None:
            now = self._clock.now()
            told, others = [], []
            for message, outcome in settled:
                if isinstance(outcome, Sent):
                    told.append((message, outcome.message_id))
                else:
                    others.append((message, outcome))
            # First what may have to wait for somebody who writes a refresh, and who may want a guess that is told here.
            for message, outcome in sorted(others, key=_order):
                await settle(tx, message, outcome, now, self._tz)
            await settle_told(tx, told, now)

        await self._store.transact(settle_each)
        return [None] * len(settled)


def _order(settled: tuple[Outgoing, Outcome]) -> tuple[bool, int]:
    message, outcome = settled
    return not isinstance(outcome, Unsent | Overslept | Moved | Vanished), message.chat_id


async def _boards(tx: AsyncConnection, groups: Sequence[int]) -> dict[int, list[Card]]:
    """The boards for which something waits, by chat; private chats have none and cost no look."""
    found: dict[int, list[Card]] = {}
    for card in await showing.boards_in(tx, groups) if groups else ():
        found.setdefault(card.chat_id, []).append(card)
    return found
