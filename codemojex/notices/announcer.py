"""The wake-up half of the outbox: a job in the notify queue says that a chat has something to be told.

The rows are the truth and are found without any job, only later; so a queue that does not answer costs time
and nothing else, and what does not fit here is left to the notifier's own look into the database.

The jobs of a chat wait in a lane of its own, so a chat that is told much wakes no other late. The lanes have no limit:
what a chat is told, and in which order, is the notifier's rota, which gives a chat one turn at a time.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence

import structlog

import emq
from codemojex.play.outbox import NoticeRef

log = structlog.get_logger(__name__)

_CHAT = "CHT"
_BOUND = 10_000
_FLUSH = 1_000
_FIRST_WAIT_S = 0.1
_LONGEST_WAIT_S = 5.0


def notice_payload(chat_id: int) -> bytes:
    """The payload of a notice job: the chat to look after, nothing of what it is told."""
    return json.dumps({"v": 1, "chat": chat_id}, separators=(",", ":")).encode()


async def announce(lanes: emq.Lanes, refs: Sequence[NoticeRef]) -> bool:
    """Enqueue one job for each notice of ``refs`` into its chat's lane, under the notice's own id.

    Call it when the notices are committed. A job that the server refuses is let go.

    Returns:
        False when the queue may not have them all; the same refs may then be announced again.
    """
    if not refs:
        return True
    try:
        verdicts = await lanes.enqueue_many(
            [(emq.group(_CHAT, ref.chat_id), ref.id, notice_payload(ref.chat_id)) for ref in refs]
        )
    except (emq.NotSent, emq.Uncertain):
        return False
    refused = [verdict for verdict in verdicts if isinstance(verdict, emq.Refused)]
    if refused:
        log.warning("the queue refuses wake-ups", jobs=len(refused), verdict=str(refused[0]))
    return True


class Announcer:
    """Announces notices in bursts: what comes while one burst is on its way goes in the next."""

    def __init__(self, lanes: emq.Lanes) -> None:
        self._lanes = lanes
        # The latest notice of each chat: its job cannot have been claimed before that notice was committed.
        self._waiting: dict[int, NoticeRef] = {}
        self._stir = asyncio.Event()
        self._stopping = asyncio.Event()

    def announce(self, refs: Iterable[NoticeRef]) -> None:
        """Say that these notices are committed. Never waits and never fails."""
        for ref in refs:
            if ref.chat_id in self._waiting or len(self._waiting) < _BOUND:
                self._waiting[ref.chat_id] = ref
        self._stir.set()

    async def run(self) -> None:
        """Announce until `stop`, then once more what is left."""
        wait_s = _FIRST_WAIT_S
        while not self._stopping.is_set():
            await self._stir.wait()
            self._stir.clear()
            while self._waiting and not self._stopping.is_set():
                if await self._flush():
                    wait_s = _FIRST_WAIT_S
                else:
                    await self._pause(wait_s)
                    wait_s = min(wait_s * 2, _LONGEST_WAIT_S)
        while self._waiting and await self._flush():
            pass

    def stop(self) -> None:
        """Let `run` return after a last burst."""
        self._stopping.set()
        self._stir.set()

    async def _flush(self) -> bool:
        """One burst; what the queue may not have is kept, unless its chat has a later notice by now."""
        burst = [self._waiting.pop(chat_id) for chat_id in list(self._waiting)[:_FLUSH]]
        landed = await announce(self._lanes, burst)
        if not landed:
            for ref in burst:
                self._waiting.setdefault(ref.chat_id, ref)
        return landed

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            return
