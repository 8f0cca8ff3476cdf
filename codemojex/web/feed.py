"""What happens in the chats, numbered, so that a page that lost its connection misses nothing."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from typing import Any

from codemojex.localtg import Event, EventKind, LocalTelegram
from codemojex.localtg.model import Raw
from codemojex.web import showing

NEVER = -1
"""A number of no entry: everything was missed."""

_KEPT = 2_000
_MOST_PRESSES = 1_000
_MEMBERSHIP = ("new_chat_members", "left_chat_member", "migrate_to_chat_id", "migrate_from_chat_id")


class Feed:
    """Follows every chat of a local Telegram from now on.

    Each entry is a JSON object with ``n``, its number, and ``kind``: ``message`` (new, or as it stands now),
    ``deleted``, ``reactions``, ``answer`` (to a pressed button), ``person`` or ``chat``.

    Attributes:
        life: names this run; numbers begin anew in each.
    """

    def __init__(self, telegram: LocalTelegram) -> None:
        self.last = 0
        self.life = secrets.token_hex(8)
        self._telegram = telegram
        self._kept: deque[Raw] = deque(maxlen=_KEPT)
        self._stir = asyncio.Event()
        self._chats = {*telegram.people, *telegram.groups}
        self._presses: deque[tuple[str, int]] = deque(maxlen=_MOST_PRESSES)
        telegram.world.listen(None, self._hear)

    def since(self, number: int) -> list[Raw] | None:
        """What came after entry ``number``; None when part of that is no longer kept."""
        if not self.last - len(self._kept) <= number <= self.last:
            return None
        return [entry for entry in self._kept if entry["n"] > number] if number < self.last else []

    async def wait(self, number: int) -> None:
        """Return once there is an entry after ``number``."""
        while self.last <= number:
            await self._stir.wait()

    def put(self, kind: str, **fields: Any) -> None:
        """Add an entry."""
        self.last += 1
        self._kept.append({"n": self.last, "kind": kind, **fields})
        self._stir.set()
        self._stir = asyncio.Event()

    def pressed(self, press: str, person: int) -> None:
        """A button was pressed: its answer will be told with the name ``press``."""
        self._presses.append((press, person))

    # -- inside --------------------------------------------------------------------------------

    def _hear(self, event: Event) -> None:
        found = event.message
        if event.kind is EventKind.ANSWER:
            self._answered(event)
        elif found is None:
            return  # nothing to show: the bot is typing
        elif event.kind is EventKind.DELETED:
            self.put("deleted", chat=event.chat_id, id=found.message_id)
        elif event.kind is EventKind.REACTION:
            emojis = showing.reactions(self._telegram, found)
            self.put("reactions", chat=event.chat_id, id=found.message_id, reactions=emojis)
        else:
            self._meet(event.chat_id, changed=any(name in found.raw for name in _MEMBERSHIP))
            shown = showing.message(self._telegram, found)
            self.put("message", chat=event.chat_id, message=shown)

    def _meet(self, chat_id: int, *, changed: bool) -> None:
        """Tell of a chat the page does not know yet, or whose members are others now."""
        group = self._telegram.groups.get(chat_id)
        if group is None or (chat_id in self._chats and not changed):
            return
        self._chats.add(chat_id)
        self.put("chat", chat=showing.group(self._telegram, group))

    def _answered(self, event: Event) -> None:
        """Find out which press this answers: the one that was marked as answered just now."""
        callbacks = self._telegram.world.callbacks
        for entry in self._presses:
            press, person = entry
            if person == event.to and callbacks[press].answered:
                self._presses.remove(entry)
                self.put("answer", press=press, person=person, text=event.detail, alert=event.flag)
                return
