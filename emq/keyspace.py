"""Every key name of a queue, and the gates in front of them.

A queue's keys share the hash tag ``{<queue>}``, so all of them live in one cluster slot. docs/keys.md says
what each key holds.
"""

from __future__ import annotations

import binascii
import re

from .errors import MalformedQueue
from .ids import gate

VERSION_KEY = "{emq}:version"
VERSION = "echomq:3.0.0"
LANE_END = ":pending"

_queue_name = re.compile(r"[A-Za-z0-9._-]{1,128}").fullmatch


class Keyspace:
    """The key names of one queue; building them opens nothing.

    Raises:
        MalformedQueue: the name is not 1-128 of ``A-Za-z0-9._-``, or it is ``emq``.
    """

    __slots__ = (
        "active", "base", "dead", "events", "gactive", "glimit", "gweight", "lanes", "meta",
        "paused", "pending", "queue", "ring", "row", "schedule", "turn", "wake",
    )  # fmt: skip

    def __init__(self, queue: str) -> None:
        if not isinstance(queue, str) or not _queue_name(queue) or queue == "emq":
            raise MalformedQueue(
                f"{queue!r:.60} cannot name a queue: use 1 to 128 of A-Z a-z 0-9 . _ - , and not 'emq'"
            )
        self.queue = queue
        self.base = base = f"emq:{{{queue}}}:"
        self.row = base + "job:"  # of an id that passed the gate
        self.lanes = base + "g:"  # of a group that passed it, and LANE_END
        self.pending = base + "pending"
        self.active = base + "active"
        self.schedule = base + "schedule"
        self.dead = base + "dead"
        self.meta = base + "meta"
        self.events = base + "events"
        self.ring = base + "ring"
        self.paused = base + "paused"
        self.glimit = base + "glimit"
        self.gactive = base + "gactive"
        self.gweight = base + "gweight"
        self.turn = base + "turn"
        self.wake = base + "wake"

    def job(self, id: str) -> str:
        """The row of a job.

        Raises:
            MalformedId: ``id`` is not a branded id.
        """
        return self.row + gate(id)

    def lane(self, group: str) -> str:
        """The backlog of one lane; ``group`` is a branded id of any namespace.

        Raises:
            MalformedId: ``group`` is not a branded id.
        """
        return f"{self.lanes}{gate(group)}{LANE_END}"

    def logs(self, id: str) -> str:
        """The log of a job.

        Raises:
            MalformedId: ``id`` is not a branded id.
        """
        return self.job(id) + ":logs"

    def dedup(self, dedup_id: str) -> str:
        """Which job a deduplication id names."""
        return f"{self.base}de:{dedup_id}"

    def metric(self, name: str) -> str:
        """The counter hash ``completed``, ``failed`` or ``dropped``; its field is ``count``."""
        return f"{self.base}metrics:{name}"


def node_key(number: int) -> str:
    """The name of the owner of node id ``number``; of no queue, in one slot with ``VERSION_KEY``."""
    return f"{{emq}}:node:{number}"


def slot(key: str | bytes) -> int:
    """The cluster slot of a key: CRC16 of its hash tag, or of all of it when it has none."""
    raw = key.encode() if isinstance(key, str) else key
    start = raw.find(b"{")
    if start >= 0:
        end = raw.find(b"}", start + 1)
        if end > start + 1:
            raw = raw[start + 1 : end]
    return binascii.crc_hqx(raw, 0) % 16384
