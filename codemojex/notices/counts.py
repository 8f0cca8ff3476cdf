"""What a notifier has done, counted and, where an operator should know, logged."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from codemojex.notices.delivery import Blocked, Rejected, Sent, Unknown, Unsent
from codemojex.notices.teller import Told

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class NoticeCounts:
    """Since the notifier started; every number only grows.

    Attributes:
        messages, notices: told, and how many notices those messages held.
        repeated: sends of something that may have arrived before.
        unknown: answers lost.
        unsent: sends that surely did not arrive, flood waits among them.
        flood_waits: 429 answers.
        rejected: messages Telegram will never take.
        blocked: chats that take nothing from this bot.
    """

    messages: int = 0
    notices: int = 0
    repeated: int = 0
    unknown: int = 0
    unsent: int = 0
    flood_waits: int = 0
    rejected: int = 0
    blocked: int = 0

    def note(self, chat_id: int, told: Told) -> None:
        """Count one turn."""
        message = told.message
        if message is None:
            return
        self.repeated += message.attempt > 1
        match told.outcome:
            case Sent():
                self.messages += 1
                self.notices += len(message.ids)
            case Unsent(wait_s=wait_s):
                self.unsent += 1
                self.flood_waits += wait_s is not None
            case Unknown(reason=reason):
                self.unknown += 1
                log.warning("an answer of Telegram was lost", chat=chat_id, reason=reason)
            case Rejected(reason=reason):
                self.rejected += 1
                log.error("Telegram takes no such message", chat=chat_id, reason=reason)
            case Blocked(reason=reason):
                self.blocked += 1
                log.info("a chat takes nothing from this bot", chat=chat_id, reason=reason)
