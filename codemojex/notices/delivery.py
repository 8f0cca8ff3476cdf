"""One message to Telegram, and what its answer means for the notices in it.

Telegram's answers fall into a few kinds and the rest of the outbound path knows only those. The dangerous one
is `Unknown`: the message may or may not have been accepted, so it may be sent once more and never again. An
error is `Unknown` unless something proves the opposite; a refused connection, a connection that was never
established and an error answered by Telegram do.
"""

from __future__ import annotations

import asyncio

import httpx
from telegram import Bot
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

from codemojex.calls import NO_CONNECTION, trouble
from codemojex.flood import wait_s
from codemojex.notices.outgoing import (
    Blocked,
    Moved,
    Outcome,
    Outgoing,
    Rejected,
    Sent,
    Unknown,
    Unsent,
    Vanished,
)
from codemojex.notices.requests import request

# A bot makes its requests through `calls`, or through the library's own httpx.
_NO_CONNECTION = (*NO_CONNECTION, httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)
_VANISHED = ("message to edit not found", "message can't be edited", "message_id_invalid")


class TokenRefused(InvalidToken):
    """Telegram does not know the bot's token; nothing can be sent until the operator sets another."""

    def __init__(self) -> None:
        super().__init__(
            "Telegram refuses the bot's token. Set TELEGRAM_TOKEN to the one @BotFather shows for this bot "
            "(it may have been revoked), check TELEGRAM_API_URL, and start again; what waits is kept."
        )


async def deliver(bot: Bot, message: Outgoing, limit_s: float) -> Outcome:
    """Send ``message`` once; markup that Telegram cannot parse goes again as plain text, once.

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
    for markup in (True, False):
        try:
            return Sent(await request(bot, message, limit_s, markup=markup))
        except BadRequest as error:
            if not markup or "can't parse entities" not in error.message.lower():
                return _refused(error, message)
        except TelegramError as error:
            return _understood(error)
    raise AssertionError("unreachable")


def _refused(error: BadRequest, message: Outgoing) -> Outcome:
    said = error.message.lower()
    if "message is not modified" in said:
        return Sent(message.edits)
    if message.edits is not None and any(words in said for words in _VANISHED):
        return Vanished(error.message)
    return Rejected(error.message)


def _understood(error: TelegramError) -> Outcome:
    if isinstance(error, InvalidToken):
        raise TokenRefused from None  # its own text may carry the token
    if isinstance(error, ChatMigrated):
        return Moved(error.new_chat_id)
    if isinstance(error, Forbidden):
        return Blocked(error.message)
    if isinstance(error, RetryAfter):
        return Unsent(wait_s(error), unreachable=False, reason="flood wait")
    cause = error.__cause__
    if isinstance(cause, _NO_CONNECTION):
        return Unsent(None, unreachable=True, reason=trouble(error))
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
