"""Where raw updates come from: `getUpdates`, through python-telegram-bot's own HTTP layer.

`Bot.get_updates` parses a whole batch at once, so one update it cannot read would hide ninety-nine
good ones. Here a batch stays raw; each update is parsed where its failure can be set aside.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import urlencode

from telegram.error import TelegramError

from codemojex.bot.marks import RawUpdate
from codemojex.calls import Calls

# What the game listens to; Telegram keeps everything else to itself.
ALLOWED_UPDATES = ("message", "edited_message", "callback_query", "my_chat_member")


class UpdateSource:
    """`getUpdates` of one bot, confirming only what the caller says is committed."""

    def __init__(self, api_url: str, token: str, *, poll_s: int = 25) -> None:
        self._url = f"{api_url}/bot{token}/getUpdates"
        self._poll_s = poll_s
        self._request = Calls()

    async def open(self) -> None:
        """Make the HTTP client ready; nothing is sent."""
        await self._request.initialize()

    async def close(self) -> None:
        """Close the HTTP client."""
        await self._request.shutdown()

    async def fetch(
        self, offset: int | None, *, limit: int = 100, held_s: int | None = None
    ) -> Sequence[RawUpdate]:
        """The next updates from ``offset`` on; asking for an offset confirms everything before it.

        Args:
            offset: the first update id wanted, or None before any was seen.
            limit: at most this many, 1 to 100.
            held_s: for how many seconds Telegram holds the answer while there are none; None: as long as is usual.

        Raises:
            telegram.error.TelegramError: as any call of python-telegram-bot.
        """
        poll_s = self._poll_s if held_s is None else min(held_s, self._poll_s)
        query: dict[str, object] = {
            "timeout": poll_s,
            "limit": limit,
            "allowed_updates": json.dumps(ALLOWED_UPDATES),
        }
        if offset is not None:
            query["offset"] = offset
        result = await self._request.post(f"{self._url}?{urlencode(query)}", read_timeout=poll_s + 10.0)
        if not isinstance(result, list) or not all(isinstance(raw, dict) for raw in result):
            raise TelegramError("getUpdates answered with something that is no list of updates")
        return result
