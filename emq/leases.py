"""Keeping the leases of claimed jobs alive, whatever their handlers do to the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import threading
import time
from collections.abc import Iterable, Sequence

from .backoff import exponential
from .connector import Connector, connect
from .errors import EmqError, ServerRefused, reason_of
from .executors import Executor, Wire
from .jobs import Jobs
from .lease import Lease, OnLost, home, now
from .options import LeaseStats
from .tracked import Tracked

__all__ = ["Lease", "LeaseKeeper"]

STOP_WITHIN_S = 5.0
_LOOK_EVERY_S = 0.005

log = logging.getLogger("emq.leases")


class LeaseKeeper:
    """Renews every tracked lease with one ``extend_locks`` each third of a lease; sends nothing when none is.

    It beats on a thread, an event loop and a connection of its own, so that a handler that blocks its event
    loop does not lose its job. A lease that the server does not extend is lost, dropped, and called back
    once. A beat that fails is repeated soon; if that goes on until a lease has surely lapsed, it is lost too.

    Args:
        url: the queue server, as for ``emq.connect``.
        queue: the queue's name.
        lease_ms: the length of a lease, milliseconds, the same that the jobs are claimed with.
        wire: as for ``emq.connect``.

    Attributes:
        failed: how many beats the server did not answer.
        executor: what ran the last beat, ``native`` or ``scripts``.
    """

    def __init__(self, url: str, queue: str, lease_ms: int = 30_000, *, wire: Wire = "auto") -> None:
        if lease_ms <= 0:
            raise ValueError(f"lease_ms is {lease_ms}: give whole milliseconds, more than 0")
        self._url = url
        self._queue = queue
        self._wire: Wire = wire
        self._lease_ms = lease_ms
        self._tracked = Tracked(lease_ms / 1000)
        self._beater: _Beater | None = None
        self._answered: dict[Executor, int] = {"native": 0, "scripts": 0}
        self.failed = 0
        self.executor: Executor = "scripts"

    def __len__(self) -> int:
        """How many leases are tracked."""
        return len(self._tracked)

    @property
    def beats(self) -> int:
        """How many beats the server answered."""
        return sum(self._answered.values())

    @property
    def stats(self) -> LeaseStats:
        """What it did so far."""
        return LeaseStats(
            tracked=len(self._tracked),
            native=self._answered["native"],
            scripts=self._answered["scripts"],
            failed=self.failed,
            extended=self._tracked.extended,
            lost=self._tracked.lost,
        )

    @property
    def lost(self) -> int:
        """How many leases were lost while they were tracked."""
        return self._tracked.lost

    def start(self) -> None:
        """Begin to beat; does nothing when it does already."""
        if self._beater is None:
            self._beater = _Beater(self, self._tracked, self._lease_ms)

    def stop(self) -> None:
        """Beat no more and close the connection; what is tracked lapses. Blocks for a moment at most."""
        beater, self._beater = self._beater, None
        if beater is not None:
            beater.signal()
            beater.thread.join(STOP_WITHIN_S)

    def signal(self) -> None:
        """Begin to stop, at once and without waiting; then wait in :meth:`stopped`, or call :meth:`stop`."""
        if self._beater is not None:
            self._beater.signal()

    async def stopped(self, within_s: float = STOP_WITHIN_S) -> None:
        """Wait for that, ``within_s`` seconds at most, without a thread of the pool: handlers may hold them all."""
        beater, self._beater = self._beater, None
        deadline = time.monotonic() + within_s
        while beater is not None and beater.thread.is_alive() and time.monotonic() < deadline:  # noqa: ASYNC110 a thread ends
            await asyncio.sleep(_LOOK_EVERY_S)

    def track(self, id: str, token: int, leased_at: float, on_lost: OnLost | None = None) -> Lease:
        """Keep the lease of a claimed job from now on. From any thread, at once.

        Args:
            id: the job.
            token: the fencing token that the claim returned.
            leased_at: ``time.monotonic()`` from before the claim was sent.
            on_lost: called once when the lease is lost: on the event loop this is called in, or on the
                keeper's thread when there is none.
        """
        (lease,) = self.track_many([(id, token, on_lost)], leased_at)
        return lease

    def track_many(self, held: Iterable[tuple[str, int, OnLost | None]], leased_at: float) -> list[Lease]:
        """As :meth:`track`, for (id, token, callback) of many jobs that were claimed at once."""
        leased = now() - (time.monotonic() - leased_at)
        until, renew_at = leased + self._lease_ms / 1000, leased + self._lease_ms / 3000
        here = home()
        leases = [
            Lease(id, token, until=until, renew_at=renew_at, on_lost=on_lost, home=here)
            for id, token, on_lost in held
        ]
        if self._tracked.add(leases) and self._beater is not None:
            self._beater.nudge()
        return leases

    def untrack(self, *leases: Lease) -> None:
        """Renew them no more; they are not reported lost from now on. From any thread, at once."""
        self._tracked.drop(leases)

    async def connect(self) -> tuple[Connector, Jobs]:
        """A connection for one beating thread."""
        conn = await connect(self._url, self._wire)
        try:
            await conn.look_for_native()  # here, because a beat may be shorter than one exchange more
        except BaseException:
            await conn.close()
            raise
        return conn, Jobs(conn, self._queue)

    def note(self, failure: Exception | None, failures: int) -> None:
        """Count a beat, and tell the log of the first failure in a row and of their end."""
        if failure is None:
            self._answered[self.executor] += 1
            if failures:
                log.info("the leases of %s are renewed again, after %d failed beats", self._queue, failures)
            return
        self.failed += 1
        if failures == 0:
            expected = isinstance(failure, EmqError | OSError)  # a TimeoutError is an OSError
            log.warning(
                "the leases of %s could not be renewed (%s); trying again",
                self._queue,
                reason_of(failure),
                exc_info=not expected,
            )


class _Beater:
    """The beating thread of a keeper: its event loop, its connection, its failures in a row."""

    def __init__(self, keeper: LeaseKeeper, tracked: Tracked, lease_ms: int) -> None:
        self._keeper = keeper
        self._tracked = tracked
        self._lease_ms = lease_ms
        self._backoff = exponential(max(lease_ms // 30, 1), max(lease_ms // 10, 1))
        self._loop = asyncio.new_event_loop()
        self._nudged = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._link: asyncio.Task[tuple[Connector, Jobs]] | None = None
        self._failures = 0
        self.thread = threading.Thread(target=self._main, name="emq-leases", daemon=True)
        self.thread.start()

    def signal(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the thread has ended
            self._loop.call_soon_threadsafe(self._cancel)

    def nudge(self) -> None:
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._nudged.set)

    def _cancel(self) -> None:
        # Both at once and on the loop's own thread: a task that saw the flag first would be cancelled while it
        # closes its connection.
        self._stopping = True
        if self._task is not None:
            self._task.cancel()

    def _main(self) -> None:
        with (
            asyncio.Runner(loop_factory=lambda: self._loop) as runner,
            contextlib.suppress(asyncio.CancelledError),
        ):
            runner.run(self._keep())

    async def _keep(self) -> None:
        self._task = asyncio.current_task()
        not_before = -math.inf
        try:
            while not self._stopping:
                await self._sleep_until(self._tracked.next_wake(not_before))
                leases = self._tracked.renewable()
                if leases:
                    self._linked()  # before the first beat is due: a slow line is open by then
                due = min((lease.renew_at for lease in leases), default=math.inf)
                if max(due, not_before) <= now():
                    await self._beat(leases)
                    not_before = now() + self._backoff(self._failures) / 1000 if self._failures else -math.inf
        finally:
            await self._unlink(self._link)

    def _linked(self) -> asyncio.Task[tuple[Connector, Jobs]]:
        """The connection, open or being opened; that is no part of a beat, it may take longer than one."""
        link = self._link
        if link is None or (link.done() and (link.cancelled() or link.exception() is not None)):
            link = self._link = asyncio.create_task(self._keeper.connect())
        return link

    async def _unlink(self, link: asyncio.Task[tuple[Connector, Jobs]] | None) -> None:
        if link is None:
            return
        link.cancel()
        (opened,) = await asyncio.gather(link, return_exceptions=True)
        if not isinstance(opened, BaseException):
            await opened[0].close()

    async def _relinked(self, link: asyncio.Task[tuple[Connector, Jobs]]) -> tuple[Connector, Jobs]:
        await self._unlink(link)
        return await self._keeper.connect()

    async def _sleep_until(self, moment: float) -> None:
        self._nudged.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(None if moment == math.inf else max(0.0, moment - now())):
                await self._nudged.wait()

    async def _beat(self, leases: Sequence[Lease]) -> None:
        """One try to extend all; once a line is open never longer than a quarter of a lease, so that more fit in."""
        pairs = [(lease.id, lease.token) for lease in leases]
        sent_at = 0.0
        try:
            link = self._linked()
            lapse = min(lease.until for lease in leases)
            async with asyncio.timeout(lapse - now()):
                conn, jobs = await asyncio.shield(link)
            async with asyncio.timeout(self._lease_ms / 4000):
                sent_at = now()
                failed = await jobs.extend_locks(pairs, self._lease_ms)
                self._keeper.executor = conn.executor
        except Exception as error:  # whatever it is: if this thread ended, every lease would lapse
            self._keeper.note(error, self._failures)
            self._failures += 1
            if sent_at and not isinstance(error, ServerRefused):
                # Opening it again within a beat might never be done, on a slow line.
                self._link = asyncio.create_task(self._relinked(link))
        else:
            self._keeper.note(None, self._failures)
            self._failures = 0
            self._tracked.take_reply(leases, failed, sent_at)
