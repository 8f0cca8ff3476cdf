"""What happened to jobs, told as it happens: `emq:{q}:events`, to whoever listens at that moment.

At most once: an event is published by the host that made a transition, after the server said that it happened.
Nobody keeps it. Who was not listening, or whose connection broke just then, does not get it; for what must not be
missed, read the queue or a database.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

from .backoff import exponential
from .connector import Connector
from .ears import Ear
from .errors import Closed, EmqError
from .ids import gate
from .keyspace import Keyspace

NAMES = ("completed", "failed", "delayed", "progress")
"""The events that emq itself publishes; a worker the first three."""

log = logging.getLogger("emq.events")

_name = re.compile(r'"event"\s*:\s*"(\w+)"')
_job = re.compile(r'"job"\s*:\s*"(\w+)"')


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    Attributes:
        name: ``completed``, ``failed`` (the attempt; ``outcome`` says ``scheduled`` or ``dead``), ``delayed``,
            ``progress``, or whatever another publisher says.
        job: the JOB id.
        fields: what else is told, text by name.
    """

    name: str
    job: str
    fields: Mapping[str, str] = field(default_factory=dict)


def packed(event: Event) -> str:
    """The event as it travels: one JSON object, first ``event``, then ``job``, then the rest as text."""
    told = {"event": event.name, "job": event.job, **{name: str(text) for name, text in event.fields.items()}}
    return json.dumps(told, separators=(",", ":"))


def unpacked(data: bytes) -> Event | None:
    """The event in what came; foreign publishers' near-JSON too, as far as it can be read."""
    text = data.decode(errors="replace")
    try:
        told = json.loads(text)
    except ValueError:
        name, job = _name.search(text), _job.search(text)
        return Event(name[1], job[1] if job else "") if name else None
    if not isinstance(told, dict) or not isinstance(told.get("event"), str):
        return None
    rest = {name: str(value) for name, value in told.items() if name not in ("event", "job")}
    return Event(told["event"], str(told.get("job", "")), rest)


class Events:
    """The events of one queue: publish some, or listen.

    ``async for event in events.listen():`` goes on over broken connections until it is left.

    Args:
        conn: an open connector; listening opens a connection of its own.
        queue: the queue's name.
    """

    def __init__(self, conn: Connector, queue: str) -> None:
        self._conn = conn
        self._channel = Keyspace(queue).events
        self._backoff = exponential(100, 2_000)

    async def publish(self, name: str, job: str, fields: Mapping[str, str] | None = None) -> None:
        """Tell whoever listens. What goes wrong goes to the log: an event is not worth a failure.

        Raises:
            MalformedId: ``job`` is not a branded id; nothing was sent.
        """
        await self.publish_many([Event(name, gate(job), fields or {})])

    async def publish_many(self, events: Sequence[Event]) -> None:
        """Tell them all in one flush, if anybody listens to this server; as :meth:`publish`."""
        if not events:
            return
        try:
            await self._conn.pipeline([("PUBLISH", self._channel, packed(event)) for event in events])
        except (EmqError, OSError) as error:
            log.debug("%d events of %s were not told: %s", len(events), self._channel, error)

    async def heard(self) -> bool:
        """Whether somebody listens at the server that has this queue; also true when that cannot be known."""
        try:
            # The first command leads to the server: PUBSUB names no key that would.
            asked = (("EXISTS", self._channel), ("PUBSUB", "NUMSUB", self._channel))
            _, reply = await self._conn.pipeline(asked)
            listeners = reply.values() if isinstance(reply, dict) else reply[1::2]
            return any(int(count) > 0 for count in listeners)
        except (EmqError, OSError, TypeError, ValueError, LookupError):
            return True

    async def listen(self, *, ready: asyncio.Event | None = None) -> AsyncIterator[Event]:
        """Every event from now on that reaches this process; reconnects by itself, for ever.

        What was told while the connection was broken is missed. A listener that is too slow misses the oldest:
        at most 10,000 wait for it.

        Args:
            ready: set whenever the server has confirmed the subscription, cleared while it is broken.

        Raises:
            Closed: the connector was closed.
        """
        failures = 0
        while True:
            try:
                async with contextlib.aclosing(await self._conn.listen(self._channel)) as ear:
                    failures = 0
                    if ready is not None:
                        ready.set()
                    async for data in _until_broken(ear):
                        event = unpacked(data)
                        if event is not None:
                            yield event
            except Closed:
                raise
            except (EmqError, OSError) as error:
                if failures == 0:
                    log.warning("events of %s cannot be heard, trying again: %s", self._channel, error)
            finally:
                if ready is not None:
                    ready.clear()
            failures += 1
            await asyncio.sleep(self._backoff(failures) / 1000)


async def _until_broken(ear: Ear) -> AsyncIterator[bytes]:
    while (data := await ear.next()) is not None:
        yield data
