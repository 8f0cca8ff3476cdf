"""What an error of Telegram proves."""

from __future__ import annotations

from datetime import timedelta

import aiohttp
import httpx
import pytest
from aiohttp.client_reqrep import ConnectionKey
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from codemojex.notices.delivery import deliver
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
from codemojex.texts.markup import Html
from tests.notices.desk import NOON


class FakeBot:
    """Raises what a test wants; what python-telegram-bot raises for what was measured there."""

    base_url = "http://telegram.invalid/bot"

    def __init__(self, error: Exception) -> None:
        self.request = self
        self._error = error

    async def post(self, *_: object, **__: object) -> None:
        raise self._error


NOT_CONNECTED = aiohttp.ClientConnectorError(
    ConnectionKey("telegram.invalid", 443, True, True, None, None, None), OSError("refused")
)


def caused(error: TelegramError, cause: Exception) -> TelegramError:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (caused(TimedOut(), httpx.ConnectTimeout("")), Unsent),
        (caused(TimedOut("Pool timeout"), httpx.PoolTimeout("")), Unsent),
        (caused(TimedOut(), httpx.ReadTimeout("")), Unknown),
        (caused(TimedOut(), httpx.WriteTimeout("")), Unknown),
        (TimedOut(), Unknown),
        (caused(NetworkError("httpx.ConnectError"), httpx.ConnectError("")), Unsent),
        (caused(NetworkError("httpx.ReadError"), httpx.ReadError("")), Unknown),
        (caused(NetworkError("httpx.RemoteProtocolError"), httpx.RemoteProtocolError("")), Unknown),
        (caused(NetworkError("httpx.WriteError"), httpx.WriteError("")), Unknown),
        (caused(NetworkError("ClientConnectorError"), NOT_CONNECTED), Unsent),
        (caused(TimedOut(), aiohttp.ConnectionTimeoutError()), Unsent),
        (caused(TimedOut(), aiohttp.SocketTimeoutError()), Unknown),
        (caused(NetworkError("ServerDisconnectedError"), aiohttp.ServerDisconnectedError()), Unknown),
        (caused(NetworkError("ClientOSError"), aiohttp.ClientOSError()), Unknown),
        (caused(NetworkError("ClientPayloadError"), aiohttp.ClientPayloadError()), Unknown),
        (caused(NetworkError("Unknown error in HTTP implementation"), RuntimeError()), Unknown),
        (NetworkError("Internal Server Error"), Unsent),
        (caused(NetworkError("Bad Gateway. Parsing failed"), TelegramError("Invalid")), Unsent),
        (Conflict("Conflict"), Unsent),
        (RetryAfter(timedelta(seconds=5)), Unsent),
        (Forbidden("Forbidden: bot was blocked by the user"), Blocked),
        (BadRequest("Chat not found"), Rejected),
        (BadRequest("Message is not modified"), Sent),
        (BadRequest("Message to edit not found"), Rejected),
        (ChatMigrated(-1001), Moved),
        (TelegramError("Invalid server response"), Unknown),
    ],
    ids=lambda value: f"{value!r}:{getattr(value, '__cause__', None)!r}"[:60],
)
async def test_only_what_proves_that_nothing_was_sent_counts_as_unsent(
    error: TelegramError, kind: type[Outcome]
) -> None:
    # given
    message = Outgoing(1, 0, ("JOB00000000001",), 1, NOON, Html("hello"))

    # when
    outcome = await deliver(FakeBot(error), message, 1.0)  # type: ignore[arg-type]

    # then
    assert type(outcome) is kind
    if isinstance(error, RetryAfter):
        assert outcome == Unsent(5.0, unreachable=False, reason="flood wait")


@pytest.mark.parametrize(
    ("description", "outcome"),
    [
        ("Message is not modified: specified new message content is the same", Sent(9)),
        ("Message to edit not found", Vanished("Message to edit not found")),
        ("Message can't be edited", Vanished("Message can't be edited")),
        ("MESSAGE_ID_INVALID", Vanished("MESSAGE_ID_INVALID")),
        ("Chat not found", Rejected("Chat not found")),
    ],
)
async def test_an_edit_that_cannot_be_made_says_whether_a_new_message_helps(
    description: str, outcome: Outcome
) -> None:
    # given
    message = Outgoing(1, 0, ("JOB00000000001",), 1, NOON, Html("hello"), card_id=3, edits=9)

    # when / then
    assert await deliver(FakeBot(BadRequest(description)), message, 1.0) == outcome  # type: ignore[arg-type]
