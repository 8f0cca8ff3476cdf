"""What a notifier has done, counted and, where an operator should know, logged."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from codemojex.notices.outgoing import Blocked, Moved, Overslept, Rejected, Sent, Unknown, Unsent, Vanished
from codemojex.notices.teller import Told

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class NoticeCounts:
    """Since the notifier started; every number only grows.

    Attributes:
        messages, notices: told, and how many notices those messages held.
        edits: of those messages, edits of one sent before.
        repeated: sends of something that may have arrived before.
        unknown: answers lost.
        unsent: sends that surely did not arrive, flood waits among them.
        flood_waits: 429 answers.
        overslept: messages that were not handed over because too much time had passed since they were taken.
        rejected: messages Telegram will never take.
        blocked: chats that take nothing from this bot.
        moved: groups that answered under another id.
        vanished: messages that could not be edited any more.
        reactions: emojis put under messages.
    """

    messages: int = 0
    notices: int = 0
    edits: int = 0
    repeated: int = 0
    unknown: int = 0
    unsent: int = 0
    flood_waits: int = 0
    overslept: int = 0
    rejected: int = 0
    blocked: int = 0
    moved: int = 0
    vanished: int = 0
    reactions: int = 0

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
                self.edits += message.edits is not None
            case Unsent(wait_s=wait_s):
                self.unsent += 1
                self.flood_waits += wait_s is not None
            case Overslept():
                self.overslept += 1
                if self.overslept.bit_count() == 1:  # the 1st, 2nd, 4th, 8th …: it comes in storms
                    log.warning("messages are taken too slowly to be sent", so_far=self.overslept)
            case Unknown(reason=reason):
                self.unknown += 1
                log.warning("an answer of Telegram was lost", chat=chat_id, reason=reason)
            case Rejected(reason=reason):
                self.rejected += 1
                log.error("Telegram takes no such message", chat=chat_id, reason=reason)
            case Blocked(reason=reason):
                self.blocked += 1
                log.info("a chat takes nothing from this bot", chat=chat_id, reason=reason)
            case Moved():
                self.moved += 1
                log.info("a group has another id", chat=chat_id)
            case Vanished(reason=reason):
                self.vanished += 1
                log.info("a message to be edited is gone", chat=chat_id, reason=reason)
