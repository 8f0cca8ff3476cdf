"""One message to Telegram, and what its answer means for the notices in it.

Telegram's answers fall into five kinds and the rest of the outbound path knows only those. The dangerous one
is `Unknown`: the message may or may not have been accepted, so it may be sent once more and never again. An
error is `Unknown` unless something proves the opposite; a refused connection, a connection that was never
established and an error answered by Telegram do.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import httpx
from telegram import Bot, LinkPreviewOptions, Message, ReplyParameters
from telegram.constants import ParseMode
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from codemojex.flood import wait_s
from codemojex.texts.markup import Html, plain

_NO_CONNECTION = (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)


class TokenRefused(InvalidToken):
    """Telegram does not know the bot's token; nothing can be sent until the operator sets another."""

    def __init__(self) -> None:
        super().__init__(
            "Telegram refuses the bot's token. Set TELEGRAM_TOKEN to the one @BotFather shows for this bot "
            "(it may have been revoked), check TELEGRAM_API_URL, and start again; what waits is kept."
        )


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message: the notices it tells, how often they will have been sent with it, and how it looks."""

    chat_id: int
    thread_id: int
    ids: tuple[str, ...]
    attempt: int
    text: Html
    markup: dict[str, Any] | None = None
    reply_to: int | None = None


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


Outcome = Sent | Unsent | Unknown | Rejected | Blocked


async def deliver(bot: Bot, message: Outgoing, limit_s: float) -> Outcome:
    """Send ``message`` once, with at most one more request where an answer proved that it was not taken.

    Markup that Telegram cannot parse goes again as plain text, once; a chat that became a supergroup gets it
    under its new id, once.

    Args:
        limit_s: seconds for all of it, from connecting to the answer; past it the answer counts as lost.

    Raises:
        TokenRefused: 401 or 404.
    """
    try:
        async with asyncio.timeout(limit_s):
            return await _deliver(bot, message, limit_s)
    except TimeoutError:
        return Unknown("no answer in time")


async def _deliver(bot: Bot, message: Outgoing, limit_s: float) -> Outcome:
    chat_id, markup = message.chat_id, True
    for last in (False, True):
        try:
            return Sent((await _send(bot, message, chat_id, markup, limit_s)).message_id)
        except ChatMigrated as error:
            if last:
                return Rejected(str(error))
            chat_id = error.new_chat_id
        except BadRequest as error:
            if last or "can't parse entities" not in error.message.lower():
                return _refused(error)
            markup = False
        except TelegramError as error:
            return _understood(error)
    raise AssertionError("unreachable")


async def _send(bot: Bot, message: Outgoing, chat_id: int, markup: bool, limit_s: float) -> Message:
    reply = message.reply_to
    return await bot.send_message(
        chat_id,
        message.text if markup else plain(message.text),
        parse_mode=ParseMode.HTML if markup else None,
        message_thread_id=message.thread_id or None,
        link_preview_options=_NO_PREVIEW,
        reply_parameters=ReplyParameters(reply, allow_sending_without_reply=True) if reply else None,
        # A connection that is not established in half the time is known not to have carried anything.
        connect_timeout=limit_s / 2,
        pool_timeout=limit_s / 2,
        read_timeout=limit_s,
        write_timeout=limit_s,
        api_kwargs={"reply_markup": message.markup} if message.markup else None,
    )


def _refused(error: BadRequest) -> Outcome:
    if "message is not modified" in error.message.lower():
        return Sent(None)
    return Rejected(error.message)


def _understood(error: TelegramError) -> Outcome:
    if isinstance(error, InvalidToken):
        raise TokenRefused from None  # its own text may carry the token
    if isinstance(error, Forbidden):
        return Blocked(error.message)
    if isinstance(error, RetryAfter):
        return Unsent(wait_s(error), unreachable=False, reason="flood wait")
    cause = error.__cause__
    if isinstance(cause, _NO_CONNECTION):
        return Unsent(None, unreachable=True, reason=type(cause).__name__)
    if isinstance(cause, httpx.PoolTimeout):
        return Unsent(None, unreachable=False, reason="every connection is in use")
    if _answered(error):
        return Unsent(None, unreachable=False, reason=error.message[:200])
    return Unknown(type(cause or error).__name__)


def _answered(error: TelegramError) -> bool:
    """True when Telegram itself said that it did not do it: a status of 409 or 5xx."""
    if isinstance(error, TimedOut) or not isinstance(error, NetworkError | Conflict):
        return False
    # python-telegram-bot gives the same class to a broken connection; that one has a cause of its own.
    return error.__cause__ is None or isinstance(error.__cause__, TelegramError)
