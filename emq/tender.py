"""Keeping a queue moving: lapsed leases go back to waiting, and what is due becomes ready."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

from .moving import Moving
from .outage import Outage

LIMIT = 1_000


class Tender:
    """Reaps and promotes on a beat, whether there is other work or not.

    Args:
        jobs: the queue.
        beat_ms: about how often; each wait is up to a quarter longer or shorter, so that workers that were
            started together do not stay together.
        outage: what to do about interruptions.
        pause: waits for some seconds.
    """

    def __init__(
        self, jobs: Moving, beat_ms: int, outage: Outage, pause: Callable[[float], Awaitable[None]]
    ) -> None:
        self._jobs = jobs
        self._beat_s = beat_ms / 1000
        self._outage = outage
        self._pause = pause
        self.reaped = 0
        self.promoted = 0

    async def run(self) -> None:
        """Tend until cancelled."""
        while True:
            reaped, wait_reap_s = await self._once("reaping", self._jobs.reap)
            promoted, wait_promote_s = await self._once("promoting", self._jobs.promote)
            self.reaped += reaped
            self.promoted += promoted
            if wait_s := max(wait_reap_s, wait_promote_s):
                await self._pause(wait_s)
            elif max(reaped, promoted) < LIMIT:
                await self._pause(self.jittered_s())

    async def promote_now(self) -> bool:
        """Promote outside of the beat: a worker was woken and found nothing; whether that made something ready."""
        promoted, wait_s = await self._once("promoting", self._jobs.promote)
        self.promoted += promoted
        if wait_s:
            await self._pause(wait_s)
        return promoted > 0

    def jittered_s(self) -> float:
        """One wait of about a beat, seconds."""
        return self._beat_s * random.uniform(0.75, 1.25)

    async def _once(self, verb: str, move: Callable[[int], Awaitable[int]]) -> tuple[int, float]:
        """How many were moved, and how many seconds to wait when it failed."""
        try:
            moved = await move(LIMIT)
        except Exception as error:  # a worker outlives whatever happens here
            return 0, self._outage.failed(verb, error)
        self._outage.succeeded(verb)
        return moved, 0.0
