"""What a lease keeper holds, and when something is to be done about it: no thread, no network."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import attrgetter

from .lease import Lease

_RENEW_AT = attrgetter("renew_at")


class Tracked:
    """The tracked leases of one keeper. Any thread may add and drop; one thread asks and settles.

    Args:
        lease_s: the length of a lease, seconds.

    Attributes:
        extended: how many leases were moved forward, counted each time.
        lost: how many leases were lost while they were tracked.
    """

    def __init__(self, lease_s: float) -> None:
        self._lease_s = lease_s
        self._leases: dict[Lease, None] = {}
        self._lock = threading.Lock()
        self._wake_at = -math.inf
        self.extended = 0
        self.lost = 0

    def __len__(self) -> int:
        return len(self._leases)

    def add(self, leases: Sequence[Lease]) -> bool:
        """Track leases; whether one needs its renewal before the moment that ``next_wake`` told."""
        with self._lock:
            self._leases.update(dict.fromkeys(leases))
            return min(map(_RENEW_AT, leases), default=math.inf) < self._wake_at

    def drop(self, leases: Iterable[Lease]) -> None:
        """Track them no more, and never report them lost."""
        with self._lock:
            for lease in leases:
                self._leases.pop(lease, None)

    def next_wake(self, not_before: float) -> float:
        """When there is something to do: a renewal (not earlier than ``not_before``) or a lapse."""
        with self._lock:
            renewal = min((lease.renew_at for lease in self._leases), default=math.inf)
            lapse = min((lease.until for lease in self._leases), default=math.inf)
            self._wake_at = min(max(renewal, not_before), lapse)
            return self._wake_at

    def renewable(self) -> list[Lease]:
        """All that may be renewed; those that lapsed by the clock are lost and told."""
        with self._lock:
            self._wake_at = -math.inf  # awake now, so nothing needs to wake the keeper
            leases = list(self._leases)
        held = [lease for lease in leases if lease.held]
        if len(held) < len(leases):
            self._lose([lease for lease in leases if not lease.held])
        return held

    def take_reply(self, asked: Sequence[Lease], failed: Sequence[str], sent_at: float) -> None:
        """Renew those of ``asked`` that the server extended from ``sent_at`` on; lose those in ``failed``."""
        refused = Counter(failed)
        gone = []
        # One job may be tracked under two tokens: then the older one is the stale one.
        for lease in sorted(asked, key=lambda lease: lease.token):
            if refused[lease.id] > 0:
                refused[lease.id] -= 1
                gone.append(lease)
            elif lease.renew(sent_at + self._lease_s, sent_at + self._lease_s / 3):
                self.extended += 1
            else:
                gone.append(lease)
        self._lose(gone)

    def _lose(self, leases: Sequence[Lease]) -> None:
        for lease in leases:
            with self._lock:
                # Dropped since it was asked for: its job was settled, and the server told the truth too late.
                tracked = lease in self._leases
                self._leases.pop(lease, None)
            if tracked:
                self.lost += 1
                lease.lose()
