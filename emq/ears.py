"""A connection that listens to one channel: messages in a bounded row, and no doubt about whether it still hears."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

import hiredis

from .errors import Unreachable
from .keyspace import slot
from .resp import MORE, ServerError, pack, reader, refusal
from .server import Server
from .topology import Topology
from .wire import Wire

MOST_WAITING = 10_000
BEAT_S = 10.0


class Ear(asyncio.Protocol):
    """One subscription on one open wire, which it keeps until it is closed.

    It asks the server for a sign of life on a beat: a line that is dead without a word is found out.

    Args:
        server: where the wire belongs.
        wire: open and idle.
        beat_s: seconds between signs of life; after two without any it is broken.
    """

    def __init__(self, server: Server, wire: Wire, *, beat_s: float = BEAT_S) -> None:
        self._server = server
        self._wire = wire
        writer = wire.connection._writer
        assert writer is not None, "an open wire has one"  # noqa: S101
        self._transport: Any = writer.transport
        self._reader = reader()
        self._messages: deque[bytes] = deque(maxlen=MOST_WAITING)
        self._something = asyncio.Event()
        self._subscribed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._broken = False
        self._beat_s = beat_s
        self._heard = self._now()
        self._timer: asyncio.TimerHandle | None = None
        self._transport.set_protocol(self)

    async def subscribe(self, channel: str, timeout_s: float) -> None:
        """Begin to listen.

        Raises:
            Unreachable: the connection broke, or the server did not confirm in time.
            ServerRefused: it refused.
        """
        self._transport.write(pack(("SUBSCRIBE", channel)))
        try:
            async with asyncio.timeout(timeout_s):
                await self._subscribed
        except TimeoutError as error:
            raise Unreachable(f"no subscription within {timeout_s:g} s") from error
        self._timer = asyncio.get_running_loop().call_later(self._beat_s, self._look)

    async def next(self) -> bytes | None:
        """The next message; ``None`` when the line is broken."""
        while not self._messages:
            if self._broken:
                return None
            self._something.clear()
            await self._something.wait()
        return self._messages.popleft()

    async def aclose(self) -> None:
        """Listen no more."""
        self._break("closed")
        await self._server.give_back(self._wire)

    def data_received(self, data: bytes) -> None:
        """Collect messages; called by the transport."""
        self._heard = self._now()
        try:
            self._reader.feed(data)
            while (reply := self._reader.gets()) is not MORE:
                self._take(reply)
        except hiredis.ProtocolError as error:
            self._break(f"the server sent something that is not RESP ({error})")

    def eof_received(self) -> None:
        """Called by the transport when the server closes its side."""
        self._break("the server closed the connection")

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the transport when the line is gone."""
        self._wire.connection_lost(exc)
        self._break(f"the connection was lost ({exc or 'closed'})")

    def _take(self, reply: Any) -> None:
        if isinstance(reply, ServerError):
            if not self._subscribed.done():
                self._subscribed.set_exception(refusal(reply))
            return
        if not isinstance(reply, list):
            return  # the sign of life, under RESP3
        kind = reply[0]
        if kind == b"message":
            self._messages.append(bytes(reply[2]))
            self._something.set()
        elif kind == b"subscribe" and not self._subscribed.done():
            self._subscribed.set_result(None)

    def _look(self) -> None:
        if self._now() - self._heard > 2 * self._beat_s:
            self._break(f"no sign of life within {2 * self._beat_s:g} s")
            return
        self._transport.write(pack(("PING",)))
        self._timer = asyncio.get_running_loop().call_later(self._beat_s, self._look)

    def _break(self, reason: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if not self._subscribed.done():
            self._subscribed.set_exception(Unreachable(f"the subscription failed: {reason}"))
        self._broken = True
        self._something.set()
        self._wire.abort()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


async def open_ear(topology: Topology, channel: str, timeout_s: float) -> Ear:
    """Listen to ``channel`` at the server that holds its slot.

    Raises:
        Unreachable: no connection, or it broke before the subscription stood.
        ServerRefused: the server refused it.
    """
    server = await topology.server(slot(channel))
    try:
        wire = await server.take()
    except Unreachable:
        if not topology.clustered:
            raise
        await topology.refresh()  # another node may have been promoted
        server = await topology.server(slot(channel))
        wire = await server.take()
    ear = Ear(server, wire)
    try:
        await ear.subscribe(channel, timeout_s)
    except BaseException:
        await ear.aclose()
        raise
    return ear
