"""What waits for one chat, as the next message: notices rendered at send time and merged while they fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from codemojex.notices.outgoing import Document, Outgoing
from codemojex.play.outbox import Notice
from codemojex.texts import Texts
from codemojex.texts.markup import Html, fits

log = structlog.get_logger(__name__)

_GAP = "\n\n"
_ANSWER, _DOCUMENT = "text", "document"


@dataclass(frozen=True, slots=True)
class Letter:
    """The head of a chat's outbox.

    Attributes:
        message: what to send next, or None when nothing of it can be told.
        unreadable: ids of notices no sentence exists for; they must not hold up the rest.
    """

    message: Outgoing | None
    unreadable: tuple[str, ...]


def compose(waiting: Sequence[Notice], texts: Texts, now: datetime) -> Letter:
    """Merge the head of ``waiting`` (one chat, in order) into one message within Telegram's limits.

    Notices stay together when they go to the same topic, were sent equally often before (so that a repeated
    message repeats nothing else) and fit. One with buttons ends its message, a document is one of its own; only
    a lone notice is a reply. Answers in the same words, as to a flood, are said once.
    """
    message: Outgoing | None = None
    first: Notice | None = None
    unreadable: list[str] = []
    answers: set[str] = set()
    for notice in waiting:
        text = _rendered(notice, texts)
        if text is None:
            unreadable.append(notice.id)
            continue
        if message is None or first is None:
            message, first = _alone(notice, text, now), notice
        else:
            longer = _merged(message, first, notice, None if text in answers else text)
            if longer is None:
                break
            message = longer
        if notice.kind == _ANSWER:
            answers.add(text)
        if message.markup is not None or message.document is not None:
            break
    return Letter(message, tuple(unreadable))


def _alone(notice: Notice, text: Html, now: datetime) -> Outgoing:
    # A guess that was put together with buttons has no message: its number is below 0.
    guess = notice.reply_to
    return Outgoing(
        chat_id=notice.chat_id,
        thread_id=notice.thread_id,
        ids=(notice.id,),
        attempt=notice.sends + 1,
        taken_at=now,
        text=text,
        markup=notice.data.get("markup"),
        reply_to=guess if guess is not None and guess > 0 else None,
        document=_document(notice),
    )


def _document(notice: Notice) -> Document | None:
    if notice.kind != _DOCUMENT:
        return None
    return Document(notice.data["name"], notice.data["content"].encode())


def _merged(message: Outgoing, first: Notice, notice: Notice, text: Html | None) -> Outgoing | None:
    """``message`` with one more notice in it, or None when it has to wait for the next.

    Args:
        text: None when the message says it already.
    """
    longer = message.text if text is None else Html(f"{message.text}{_GAP}{text}")
    alike = (notice.thread_id, notice.sends) == (first.thread_id, first.sends)
    if not alike or notice.kind == _DOCUMENT or not fits(longer):
        return None
    return replace(
        message,
        ids=(*message.ids, notice.id),
        text=longer,
        markup=notice.data.get("markup"),
        reply_to=None,
    )


def _rendered(notice: Notice, texts: Texts) -> Html | None:
    try:
        if _document(notice) is not None:
            return Html("")
        return texts.notice(notice.kind, notice.data)
    except Exception as error:
        # One row of a kind this version does not know must not silence its chat for good. The data is not
        # logged: it may name a secret.
        log.error("a notice cannot be told", notice=notice.id, kind=notice.kind, error=type(error).__name__)
        return None
