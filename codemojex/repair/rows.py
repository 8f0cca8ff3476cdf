"""Repairs of rows: games that should have ended, and what players should have been told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from sqlalchemy.ext.asyncio import AsyncConnection

import emq
from codemojex.notices.announcer import announce
from codemojex.notices.settling import ANSWER_LOST, MOST_SENDS
from codemojex.play import handover, repairs, settlement, sweep
from codemojex.play.audit import broken
from codemojex.play.minting import Mint
from codemojex.play.outbox import NoticeRef
from codemojex.repair.steps import Deed, Steps
from codemojex.settings import Settings
from codemojex.store.chunks import chunks
from codemojex.store.engine import Store

_BATCH = 1_000
_FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True)
class RowRepairs:
    """Puts rows right as of ``now``; wake-ups go to ``queue``."""

    store: Store
    queue: emq.Connector
    settings: Settings
    now: datetime
    mint: Mint

    async def run(self, steps: Steps) -> None:
        """Take every step that has something to do."""
        deeds: dict[str, tuple[str, Deed]] = {
            "not_settled_in_time": ("end the game", self._settle),
            "day_not_closed_in_time": ("end the game", self._settle),
            "scored_without_a_notice": ("write its notice", self._tell),
            "sent_but_not_told": ("count it as told", self._count_told),
            "waits_for_nobody": ("drop the notice", self._drop),
            "sending_since_the_future": ("give the send up", self._release),
            "not_told_in_time": ("wake its chat", self._wake),
        }
        for line, (deed, do) in deeds.items():
            ids = await self.store.read(partial(broken, name=line, now=self.now), long=True)
            await steps.take(line, deed, ids, do)

    async def _settle(self, games: Sequence[int]) -> None:
        for game_id in games:
            settled = await self.store.transact(
                partial(
                    settlement.settle,
                    game_id=game_id,
                    now=self.now,
                    mint=self.mint,
                    tz=self.settings.daily_tz,
                )
            )
            if settled is not None:
                await self._announce(settled.notices)

    async def _tell(self, _: Sequence[str]) -> None:
        while refs := await self.store.transact(lambda tx: sweep.untold(tx, _BATCH, self.now, self.mint)):
            await self._announce(refs)

    async def _count_told(self, ids: Sequence[str]) -> None:
        await self.store.transact(lambda tx: repairs.count_told(tx, ids))

    async def _drop(self, ids: Sequence[str]) -> None:
        await self.store.transact(lambda tx: handover.failed(tx, ids, _FORGOTTEN, self.now))

    async def _release(self, ids: Sequence[str]) -> None:
        await self.store.transact(lambda tx: repairs.release(tx, ids, self.now))

    async def _wake(self, ids: Sequence[str]) -> None:
        """Wake chats; what was handed over for the last time and never answered counts as told."""

        async def close(tx: AsyncConnection) -> list[NoticeRef]:
            spent = await repairs.abandoned(tx, ids, self.now, MOST_SENDS)
            await handover.sent(tx, spent, None, self.now, ANSWER_LOST)
            return await repairs.waiting_refs(tx, ids)

        await self._announce(await self.store.transact(close))

    async def _announce(self, refs: Sequence[NoticeRef]) -> None:
        name = self.settings.notify_queue
        for part in chunks(refs, _BATCH):
            await announce(emq.Lanes(self.queue, name), part)
            # A wake-up that was set aside is a duplicate, and wakes nobody.
            await emq.DeadLetters(self.queue, name).requeue_many([ref.id for ref in part])
