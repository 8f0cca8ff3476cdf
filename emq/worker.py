"""A worker: it claims jobs, keeps their leases, hands them out, settles them, and keeps the queue moving."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Literal, TypeAlias

from . import handlers
from .connector import Connector
from .errors import Closed, EmqError, MalformedArgument, Uncertain
from .events import Events
from .handlers import BatchHandler, EachHandler
from .hands import Hands
from .keyspace import Keyspace
from .lanes import Lanes
from .lease import Lease
from .leases import LeaseKeeper
from .options import WorkerOptions, WorkerStats
from .outage import Outage
from .settler import Settler
from .telling import Teller
from .tender import Tender

HURRY_S = 0.1
KEEPER_WITHIN_S = 0.5

First: TypeAlias = Literal["lanes", "pending"]
_OTHER: dict[First, First] = {"lanes": "pending", "pending": "lanes"}

log = logging.getLogger("emq.worker")


class Worker:
    """Works on one queue, lanes and all, until it is stopped; nothing that happens to the server ends it.

    Give it one handler. ``each`` is called with one job: returning means that it is done, raising that it is
    tried again with backoff; ``emq.Again``, ``emq.Later`` and ``emq.Dead`` say so on purpose. ``batch`` is
    called with many and answers a mapping of id to outcome; what it does not name is done, unless it names a job
    that it was not given; raising means all again. Half of each claim comes from the lanes, half from outside of
    them, and one that lacks jobs leaves its half to the other; no more of a lane are in hand than its limit.

    A job is handed out at least once, and may be again: make the handler's effects happen once, by the job's
    id. When a lease is lost, ``job.lease.held`` turns false, a call with nothing left to work on is
    cancelled, and nothing is settled.

    Args:
        conn: an open connector; the worker also opens a connection of its own for the leases.
        queue: the queue's name.
        options: how it works.
        each: ``async (job) -> None``.
        batch: ``async (jobs) -> mapping of id to outcome, or None``.

    Raises:
        MalformedQueue, MalformedArgument: the name cannot be used; not exactly one handler was given.
    """

    def __init__(
        self,
        conn: Connector,
        queue: str,
        *,
        each: EachHandler | None = None,
        batch: BatchHandler | None = None,
        options: WorkerOptions | None = None,
    ) -> None:
        options = options or WorkerOptions()
        self._options = replace(options, concurrency=options.concurrency or (16 if each else 1))
        self._conn = conn
        self._jobs = Lanes(conn, queue)
        self._wake = Keyspace(queue).wake
        self._outage = Outage(f"the worker of {queue}", log)
        self._keeper = LeaseKeeper(conn.url, queue, self._options.lease_ms, wire=conn.wire)
        self._tender = Tender(self._jobs, self._options.beat_ms, self._outage, self._pause)
        self._teller = Teller(Events(conn, queue), self._options.events)
        self._settler = Settler(self._jobs, self._outage, self._pause, self._note_settled, self._teller)
        if each is not None and batch is None:
            work, per_call = handlers.each(each), 1
        elif batch is not None and each is None:
            work, per_call = handlers.batch(batch), self._options.batch
        else:
            raise MalformedArgument("a worker has one handler: give each= or batch=")
        self._hands = Hands(work, per_call, self._keeper, self._settler, self._options)
        self._begun = False
        self._doubt = False
        self._claimed_at: float | None = None
        self._first: First = "lanes"
        self._fault: BaseException | None = None
        self._parked: asyncio.Future[bytes | None] | None = None
        self._patience: asyncio.Timeout | None = None
        self._stopping = asyncio.Event()
        self._ended = asyncio.Event()

    @property
    def stats(self) -> WorkerStats:
        """What it did so far."""
        hands, tender = self._hands, self._tender
        return WorkerStats(
            claimed=hands.claimed,
            lost=hands.lost,
            reaped=tender.reaped,
            promoted=tender.promoted,
            executor=self._keeper.executor,
            held=hands.held,
            claimed_at=self._claimed_at,
            leases=self._keeper.stats,
            **asdict(self._settler.counts),
        )

    async def run(self) -> None:
        """Work until ``stop()``. Cancelling it stops at once: jobs in hand are left, and their leases lapse.

        Raises:
            Closed: the connector was closed underneath it.
            EmqError: it ran before.
        """
        if self._begun:
            raise EmqError("a worker runs once: make another")
        self._begun = True
        self._keeper.start()
        helpers = [
            asyncio.create_task(helper)
            for helper in (self._tender.run(), self._settler.run(), self._teller.run())
        ]
        for helper in helpers:
            helper.add_done_callback(self._note_end)
        try:
            await self._work()
        finally:
            try:
                await self._let_go()
            finally:
                await self._end(helpers)
        if self._fault is not None:
            raise self._fault

    def stop(self) -> None:
        """Claim nothing more; ``run()`` returns once the jobs in hand are settled, or after ``grace_ms``."""
        self._stopping.set()
        self._hands.changed.set()
        if self._parked is not None:
            self._parked.cancel()
        if self._patience is not None and self._patience.when() is None:
            # From now on, whatever it is doing: a claim that a hanging server keeps waiting is given up, too.
            self._patience.reschedule(asyncio.get_running_loop().time() + self._options.grace_ms / 1000)

    async def stopped(self) -> None:
        """Wait until ``run()`` has ended."""
        await self._ended.wait()

    async def _work(self) -> None:
        """Until everything is settled after a stop, or the grace since then is over."""
        try:
            async with asyncio.timeout(None) as self._patience:
                if self._stopping.is_set():
                    self.stop()
                await self._claim_until_stopped()
                await self._hands.idle()
                await self._settler.empty()
                await self._teller.finish(HURRY_S)
        except TimeoutError:
            if self._patience is None or not self._patience.expired():
                raise
        finally:
            self._patience = None

    async def _claim_until_stopped(self) -> None:
        woken = False
        while not self._stopping.is_set():
            self._hands.changed.clear()
            room = self._hands.room
            if not room:
                await self._hands.changed.wait()
            elif await self._claim(room) or (woken and await self._tender.promote_now()):
                woken = False
            else:
                woken = await self._park()

    async def _claim(self, room: int) -> bool:
        """Take up to ``room`` jobs in hand; false when none waits."""
        leased_at = time.monotonic()
        try:
            # After a claim whose reply was lost, up to a batch of jobs waits for its leases to lapse: until
            # the line proves good again, no more than one at a time is put at that risk.
            size = 1 if self._doubt else room
            first, self._first = self._first, _OTHER[self._first]
            claims = await self._jobs.claim_any(size, lease_ms=self._options.lease_ms, first=first)
        except Closed:
            raise
        except Exception as error:  # a worker outlives whatever happens here
            self._doubt = self._doubt or isinstance(error, Uncertain)
            await self._pause(self._outage.failed("claiming", error))
            return True
        self._doubt = False
        self._claimed_at = time.monotonic()
        self._outage.succeeded("claiming")
        self._hands.take(claims, leased_at)
        return bool(claims)

    async def _park(self) -> bool:
        """Wait for a wake token, for about a beat, or for ``stop()``; whether it was a token."""
        if self._stopping.is_set():
            return False
        self._parked = asyncio.ensure_future(self._conn.block_pop(self._wake, self._tender.jittered_s()))
        try:
            await asyncio.wait([self._parked])
        finally:
            parked, self._parked = self._parked, None
            parked.cancel()
            (result,) = await asyncio.gather(parked, return_exceptions=True)
        if isinstance(result, Exception):
            await self._pause(self._outage.failed("waiting for work", result))
            return False
        self._outage.succeeded("waiting for work")
        return isinstance(result, bytes)

    async def _let_go(self) -> None:
        left = await self._hands.let_go()
        if left or len(self._settler):
            log.warning(
                "%d jobs were left unsettled: they come back when their leases lapse",
                left + len(self._settler),
            )

    async def _end(self, helpers: Sequence[asyncio.Task[None]]) -> None:
        """All are told before any is waited for: a second cancellation leaves nothing running either."""
        for helper in helpers:
            helper.cancel()
        self._keeper.signal()
        try:
            await asyncio.gather(*helpers, return_exceptions=True)
            await self._keeper.stopped(KEEPER_WITHIN_S)
        finally:
            self._ended.set()

    async def _pause(self, seconds: float) -> None:
        """Wait, but not for long once the worker is to stop."""
        with contextlib.suppress(TimeoutError):
            if self._stopping.is_set():
                await asyncio.sleep(min(seconds, HURRY_S))
            else:
                async with asyncio.timeout(seconds):
                    await self._stopping.wait()

    def _note_settled(self, leases: Sequence[Lease]) -> None:
        self._keeper.untrack(*leases)
        self._hands.changed.set()

    def _note_end(self, helper: asyncio.Task[None]) -> None:
        if not helper.cancelled() and helper.exception() is not None:
            self._fault = helper.exception()
            self.stop()
