"""What became of a message, written down: who is told, what goes again, who moved, who is gone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from codemojex.minting import mint
from codemojex.notices.outgoing import (
    Blocked,
    Moved,
    Outcome,
    Outgoing,
    Overslept,
    Rejected,
    Sent,
    Unknown,
    Unsent,
    Vanished,
)
from codemojex.play import addressees, handover, migration, showing
from codemojex.store import schema

MOST_SENDS = 2
ANSWER_LOST = "answer lost"


async def settle(
    tx: AsyncConnection, message: Outgoing, outcome: Outcome, now: datetime, tz: str = "UTC"
) -> None:
    """Write down what became of a message; writing it twice changes nothing more.

    Args:
        tz: DAILY_TZ.
    """
    match outcome:
        case Sent(message_id=message_id):
            await settle_told(tx, [(message, message_id)], now)
        case Unsent() | Overslept():
            await _unsent(tx, message)
        case Unknown() if message.attempt >= MOST_SENDS:
            await handover.sent(tx, message.ids, None, now, ANSWER_LOST)
        case Unknown():
            await _release(tx, message, message.attempt)
        case Rejected(reason=reason):
            await handover.failed(tx, message.ids, reason, now)
        case Blocked(reason=reason):
            await handover.drop_chat(tx, message.chat_id, reason, now, written_by=message.taken_at)
            await addressees.lost(tx, message.chat_id, message.taken_at, now)
        case Moved(chat_id=new):
            await _unsent(tx, message)
            await migration.move_chat(tx, message.chat_id, new, now, mint, tz)
        case Vanished():
            await _unsent(tx, message)
            if message.card_id is not None and message.edits is not None:
                await showing.vanished(tx, message.card_id, message.edits)


async def settle_told(
    tx: AsyncConnection, told: Sequence[tuple[Outgoing, int | None]], now: datetime
) -> None:
    """Write down that these messages arrived, each with its number where that is known; as `settle` of each."""
    await handover.sent_all(tx, {id: number for message, number in told for id in message.ids}, now)
    cards = [
        (message.card_id, message.chat_id, number)
        for message, number in sorted(told, key=lambda each: each[0].chat_id)
        if message.card_id is not None
    ]
    await showing.shown(tx, cards, now)


async def _unsent(tx: AsyncConnection, message: Outgoing) -> None:
    """The message surely did not leave: its notices wait as if it had not been tried."""
    if message.card_id is not None:
        await showing.give_back(tx, message.ids, message.attempt)
    await _release(tx, message, message.attempt - 1)


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
