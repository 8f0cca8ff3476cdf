"""One lease: whether a claimed job is still this worker's, told by the clock alone."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence

from .errors import LeaseLost

OnLost = Callable[["Lease"], None]
_Waiter = tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]

# One for all leases: it is held for a handful of instructions, and there may be thousands of leases a second.
_lock = threading.Lock()

log = logging.getLogger("emq.leases")


_BOOT: int | None = getattr(time, "CLOCK_BOOTTIME", None)


def now() -> float:
    """Seconds on a clock that never goes back and, where the system can tell, counts a suspended machine."""
    return time.monotonic() if _BOOT is None else time.clock_gettime(_BOOT)


def home() -> asyncio.AbstractEventLoop | None:
    """The event loop that a callback for a lost lease is called on: the one that runs here, if there is one."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class Lease:
    """The right to work on one claimed job, up to a moment that a :class:`~emq.LeaseKeeper` moves forward.

    It is lost once that moment is past, or the server said that the job is no longer ours, and then it stays
    lost. Ask it from any thread; nothing is sent.

    Attributes:
        id: the job.
        token: the fencing token of the claim.
    """

    __slots__ = (
        "_gone",
        "_home",
        "_on_lost",
        "_told",
        "_until",
        "_waiting",
        "id",
        "renew_at",
        "token",
    )

    def __init__(
        self,
        id: str,
        token: int,
        *,
        until: float,
        renew_at: float,
        on_lost: OnLost | None,
        home: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self.id = id
        self.token = token
        self.renew_at = renew_at
        self._until = until
        self._on_lost = on_lost
        self._home = home
        self._gone = False
        self._told = False
        self._waiting: list[_Waiter] | None = None

    def __repr__(self) -> str:
        return f"<Lease {self.id} token {self.token} {'held' if self.held else 'lost'}>"

    @property
    def held(self) -> bool:
        """Whether the job is surely still ours; once ``False`` it stays ``False``."""
        if self._gone:
            return False
        if now() < self._until:
            return True
        with _lock:  # the keeper may have renewed it since
            self._gone = self._gone or now() >= self._until
            return not self._gone

    @property
    def until(self) -> float:
        """When it lapses unless it is renewed, in seconds of :func:`now`."""
        return self._until

    def check(self) -> None:
        """Do nothing while the job is ours.

        Raises:
            LeaseLost: it may be somebody else's: stop, and write nothing for it.
        """
        if not self.held:
            raise LeaseLost(
                f"the lease of {self.id} (token {self.token}) is lost: stop and write nothing for it"
            )

    async def lost(self) -> None:
        """Wait until the lease is lost."""
        while self.held:
            loop = asyncio.get_running_loop()
            future: asyncio.Future[None] = loop.create_future()
            entry = (loop, future)
            with _lock:
                waiting = self._waiting = self._waiting or []
                waiting.append(entry)
            try:
                await asyncio.wait([future], timeout=max(0.0, self._until - now()) + 0.001)
            finally:
                with _lock, contextlib.suppress(ValueError):
                    waiting.remove(entry)

    def renew(self, until: float, renew_at: float) -> bool:
        """Move the end forward, unless it came first; for the keeper."""
        with _lock:
            if self._gone or now() >= self._until:
                self._gone = True
                return False
            self._until = until
            self.renew_at = renew_at
            return True

    def lose(self) -> None:
        """It is lost from now on, and those who want to know are told, once; for the keeper."""
        with _lock:
            self._gone = True
            if self._told:
                return
            self._told = True
            waiting = list(self._waiting or ())
        for loop, future in waiting:
            with contextlib.suppress(RuntimeError):  # that loop is closed: nobody waits there any more
                loop.call_soon_threadsafe(_wake, future)
        if self._on_lost is None:
            return
        if self._home is None:
            try:
                self._call_back()
            except BaseException:  # this is the keeper's thread, and if it ended, every lease would lapse
                log.exception("the callback for the lost lease of %s failed", self.id)
            return
        with contextlib.suppress(RuntimeError):
            self._home.call_soon_threadsafe(self._call_back)

    def _call_back(self) -> None:
        assert self._on_lost is not None  # noqa: S101
        try:
            self._on_lost(self)
        except Exception:
            log.exception("the callback for the lost lease of %s failed", self.id)


def held_of(leases: Sequence[Lease]) -> list[bool]:
    """``held`` of each, by one look at the clock for all that are."""
    moment = now()
    return [(moment < lease._until and not lease._gone) or lease.held for lease in leases]


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _after_fork() -> None:
    # A thread that does not exist in the child may have held it.
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
