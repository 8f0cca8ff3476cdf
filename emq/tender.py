"""Keeping a queue moving: lapsed leases go back to waiting on a beat, and what is due becomes ready when it is."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable

from .moving import Moving
from .outage import Outage

LIMIT = 1_000

REST_S = 0.01
"""Between two promotions: where jobs are due one after the other, those of a moment are promoted together."""


class Tender:
    """Reaps on a beat, and promotes on it and when the next job is due, whether there is other work or not.

    Each promotion tells when the next job will be due. A job that is scheduled later and due earlier leaves a token
    that wakes a parked worker, which then promotes and learns of it; where no worker is parked, the beat finds it.

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
        self._due_at = math.inf
        self._sooner = asyncio.Event()
        self.reaped = 0
        self.promoted = 0

    async def run(self) -> None:
        """Tend until cancelled."""
        beat_at = -math.inf
        while True:
            reaped, trouble_s = 0, 0.0
            if on_beat := time.monotonic() >= beat_at:
                reaped, trouble_s = await self._reap()
            promoted, promote_trouble_s = await self._promote()
            if trouble_s := max(trouble_s, promote_trouble_s):
                await self._pause(trouble_s)
                continue
            if max(reaped, promoted) >= LIMIT:
                continue
            if on_beat:
                beat_at = time.monotonic() + self.jittered_s()
            await self._rest_until(beat_at)

    async def promote_now(self) -> bool:
        """Promote outside of the beat: a worker was woken and found nothing; whether that made something ready."""
        promoted, trouble_s = await self._promote()
        self._sooner.set()
        if trouble_s:
            await self._pause(trouble_s)
        return promoted > 0

    def jittered_s(self) -> float:
        """One wait of about a beat, seconds."""
        return self._beat_s * random.uniform(0.75, 1.25)

    async def _rest_until(self, beat_at: float) -> None:
        """Until the beat, or until the next job is due, whichever comes first."""
        while True:
            self._sooner.clear()
            rest_s = max(min(beat_at, self._due_at) - time.monotonic(), REST_S)
            try:
                async with asyncio.timeout(rest_s):
                    await self._sooner.wait()
            except TimeoutError:
                return

    async def _reap(self) -> tuple[int, float]:
        """How many were reaped, and how many seconds to wait when it failed."""
        try:
            reaped = await self._jobs.reap(LIMIT)
        except Exception as error:  # a worker outlives whatever happens here
            return 0, self._outage.failed("reaping", error)
        self._outage.succeeded("reaping")
        self.reaped += reaped
        return reaped, 0.0

    async def _promote(self) -> tuple[int, float]:
        """The same for promoting; notes when the next job is due."""
        try:
            promoted, left_ms = await self._jobs.promote_and_look(LIMIT)
        except Exception as error:  # a worker outlives whatever happens here
            return 0, self._outage.failed("promoting", error)
        self._outage.succeeded("promoting")
        # Server time is whole milliseconds: half a one earlier would find nothing.
        self._due_at = math.inf if left_ms is None else time.monotonic() + (left_ms + 1) / 1000
        self.promoted += promoted
        return promoted, 0.0
