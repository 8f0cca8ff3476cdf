"""The updates a bot has not confirmed yet, handed out as getUpdates does.

Nothing is confirmed by being delivered: an update leaves only when a later getUpdates asks for an
offset above it. One poller at a time: a second one ends the first with 409.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count, islice
from typing import Any

from codemojex.localtg.errors import CONFLICT, WEBHOOK_ACTIVE, Refusal

Raw = dict[str, Any]

KINDS = frozenset(
    [
        "message",
        "edited_message",
        "channel_post",
        "edited_channel_post",
        "business_connection",
        "business_message",
        "edited_business_message",
        "deleted_business_messages",
        "message_reaction",
        "message_reaction_count",
        "inline_query",
        "chosen_inline_result",
        "callback_query",
        "shipping_query",
        "pre_checkout_query",
        "purchased_paid_media",
        "poll",
        "poll_answer",
        "my_chat_member",
        "chat_member",
        "chat_join_request",
        "chat_boost",
        "removed_chat_boost",
    ]
)
# What a bot gets only when it asks by name.
_ON_REQUEST = frozenset({"chat_member", "message_reaction", "message_reaction_count"})
_LONGEST_POLL_S = 50
_MOST = 100


@dataclass(slots=True)
class _Waiting:
    update: Raw
    sticky: bool = False
    """Injected by a test with an id of its own: an offset confirms it only once it was delivered."""


class UpdateQueue:
    """Unconfirmed updates in order, and the one poll that may be held."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[int, _Waiting] = OrderedDict()
        """By place in the line: ids may repeat, when a test injects an update once more."""
        self._places = count()
        self._held: asyncio.Future[bool] | None = None
        self._refused = _ON_REQUEST
        self.allowed: list[str] = []
        """The kinds the bot asked for last; empty means Telegram's default."""
        self.courier: Callable[[int, Raw], None] | None = None
        """Gets each new update with its place, while a webhook is set; nobody may poll then."""

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def held(self) -> bool:
        """True while a poll waits for the next update."""
        return self._held is not None and not self._held.done()

    def pending(self) -> list[Raw]:
        """Every unconfirmed update, oldest first."""
        return [entry.update for entry in self._waiting.values()]

    def push(self, update: Raw, *, sticky: bool = False) -> bool:
        """Queue ``update`` unless the bot said it does not want its kind; True when queued."""
        kind = next((key for key in update if key != "update_id"), "")
        if not sticky and kind in self._refused:
            return False
        place = next(self._places)
        self._waiting[place] = _Waiting(update, sticky)
        if self.courier is not None:
            self.courier(place, update)
        self._release(True)
        return True

    def allow(self, kinds: Iterable[str]) -> None:
        """Queue only these kinds from now on; what is queued already stays."""
        self.allowed = [kind for kind in kinds if kind in KINDS]
        self._refused = KINDS - set(self.allowed) if self.allowed else _ON_REQUEST

    def clear(self) -> int:
        """Forget everything that waits (drop_pending_updates); how many there were."""
        count = len(self._waiting)
        self._waiting.clear()
        return count

    def in_line(self) -> list[tuple[int, Raw]]:
        """Every unconfirmed update with its place in the line, oldest first."""
        return [(place, entry.update) for place, entry in self._waiting.items()]

    def done(self, place: int) -> None:
        """Confirm the update at this place: a webhook took it."""
        self._waiting.pop(place, None)

    async def take(self, offset: int, limit: int, timeout_s: float) -> list[Raw]:
        """Confirm what is below ``offset``, then hand out up to ``limit`` updates, waiting for the first.

        Raises:
            Refusal: 409, when another poll came, or a webhook was set, while this one was held; at once
                while a webhook is set.
        """
        if self.courier is not None:
            raise Refusal(409, WEBHOOK_ACTIVE)
        self.end_poll(CONFLICT)
        self._confirm(offset)
        if not self._waiting and timeout_s > 0:
            await self._hold(min(timeout_s, _LONGEST_POLL_S))
        # A poll may be held while a test withdraws updates; what is there now is what counts.
        batch = list(islice(self._waiting.values(), limit if 0 < limit <= _MOST else _MOST))
        for entry in batch:
            entry.sticky = False
        return [entry.update for entry in batch]

    def hang_up(self) -> None:
        """End a held poll at once with an empty answer."""
        self._release(False)

    def _confirm(self, offset: int) -> None:
        if offset < 0:
            while len(self._waiting) > -offset:
                self._waiting.popitem(last=False)
        elif offset > 0:
            while self._waiting and self._confirmed(next(iter(self._waiting.values())), offset):
                self._waiting.popitem(last=False)
            # Injected ids need not ascend, so a confirmed one may stand behind one that is not.
            if any(self._confirmed(entry, offset) for entry in islice(self._waiting.values(), _MOST)):
                kept = ((p, e) for p, e in self._waiting.items() if not self._confirmed(e, offset))
                self._waiting = OrderedDict(kept)

    @staticmethod
    def _confirmed(entry: _Waiting, offset: int) -> bool:
        return not entry.sticky and int(entry.update["update_id"]) < offset

    async def _hold(self, timeout_s: float) -> None:
        held: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._held = held
        timer = held.get_loop().call_later(timeout_s, self._expire, held)
        try:
            await held
        finally:
            timer.cancel()
            if self._held is held:
                self._held = None

    @staticmethod
    def _expire(held: asyncio.Future[bool]) -> None:
        if not held.done():
            held.set_result(False)

    def _release(self, arrived: bool) -> None:
        if self._held is not None and not self._held.done():
            self._held.set_result(arrived)

    def end_poll(self, why: str) -> None:
        """End a held poll with 409."""
        if self._held is not None and not self._held.done():
            self._held.set_exception(Refusal(409, why))
        self._held = None
