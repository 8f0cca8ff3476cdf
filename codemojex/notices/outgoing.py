"""A message on its way to Telegram, and the kinds of answers there are for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from codemojex.texts.markup import Html


@dataclass(frozen=True, slots=True)
class Document:
    """A file, whole in memory."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Reaction:
    """An emoji under somebody's message; worth a request only where there is nothing better to do."""

    message_id: int
    emoji: str


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message: the notices it tells, how often they will have been sent with it, and how it looks.

    Attributes:
        ids: notices, attempt: how often each was handed over, this time counted.
        taken_at: when it was taken to be sent, aware UTC.
        reply_to: message in the same chat, None for none.
        card_id: the card it shows; edits: the message that shows that card now, None: it is sent anew.
        document: sent with ``text`` under it.
        reaction: what else may be done when this is told.
    """

    chat_id: int
    thread_id: int
    ids: tuple[str, ...]
    attempt: int
    taken_at: datetime
    text: Html
    markup: dict[str, Any] | None = None
    reply_to: int | None = None
    card_id: int | None = None
    edits: int | None = None
    document: Document | None = None
    reaction: Reaction | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """Telegram has it; ``message_id`` is None when the answer does not say which message it became."""

    message_id: int | None


@dataclass(frozen=True, slots=True)
class Unsent:
    """Telegram surely does not have it; it may go again.

    Attributes:
        wait_s: Telegram's own word on how long this chat has to wait, or None: back off.
        unreachable: no connection came about, so no other chat can be reached either.
        reason: for the log.
    """

    wait_s: float | None
    unreachable: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Overslept:
    """It was never handed over: this process was so slow that another may be sending the same by now."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody can tell whether Telegram has it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """Telegram will never take this message."""

    reason: str


@dataclass(frozen=True, slots=True)
class Blocked:
    """The chat takes nothing from this bot: blocked, kicked or deleted."""

    reason: str


@dataclass(frozen=True, slots=True)
class Moved:
    """Telegram does not have it: the group became a supergroup, under another id."""

    chat_id: int


@dataclass(frozen=True, slots=True)
class Vanished:
    """Telegram does not have it: the message to be edited is gone, or can be edited no more."""

    reason: str


Outcome = Sent | Unsent | Overslept | Unknown | Rejected | Blocked | Moved | Vanished
