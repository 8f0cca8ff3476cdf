"""One connection, one exchange at a time: bytes out once, replies in bulk, and no doubt about what was sent.

redis-py opens the connection (TCP, TLS, unix, AUTH, HELLO, SELECT); from then on its transport feeds a
:class:`Wire`. That is how emq knows whether bytes left, and how many replies came back when the line broke.
"""

from __future__ import annotations

import asyncio
import select
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import hiredis

from .resp import MORE, Reply, reader

if TYPE_CHECKING:
    from redis.asyncio.connection import AbstractConnection

_SLICE = 1 << 20  # bytes that the transport is handed at a time: it copies what the kernel does not take
_HUNG_UP = getattr(select, "POLLRDHUP", 0) | getattr(select, "POLLHUP", 0) | getattr(select, "POLLERR", 0)


class Broken(Exception):
    """The line failed inside an exchange; ``replies`` came back before it did."""

    def __init__(self, reason: str, replies: list[Reply]) -> None:
        super().__init__(reason)
        self.replies = replies


class Wire(asyncio.Protocol):
    """The sending and reading side of one open connection of redis-py.

    A wire that was cancelled, timed out or answered nonsense is closed for good: otherwise the next command
    would read the reply of the last one.
    """

    def __init__(self, connection: AbstractConnection) -> None:
        writer = connection._writer
        assert writer is not None, "redis-py hands out connected connections only"  # noqa: S101
        self.connection = connection
        self._loop = asyncio.get_running_loop()
        self._transport: Any = writer.transport
        self._streams = self._transport.get_protocol()
        self._reader = reader()
        self._replies: list[Reply] = []
        self._expected = 0
        self._done: asyncio.Future[list[Reply]] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._heard = 0.0
        self._rest = memoryview(b"")
        self._parts: Iterator[bytes] = iter(())
        self._unanswered: int | None = None
        self._begun = 0
        self._given = self._gone = 0
        self._full = False
        self._lost = False
        self._hung_up = _hang_up_watch(self._transport)
        self._transport.set_protocol(self)

    @property
    def dead(self) -> bool:
        """Whether this wire can no longer carry a command; asks the kernel, not only the event loop."""
        if self._lost or self._transport.is_closing():
            return True
        return self._hung_up is not None and bool(self._hung_up.poll(0))

    async def exchange(
        self, parts: Iterable[bytes], expected: int, timeout: float, unanswered: int | None = None
    ) -> list[Reply]:
        """Write ``parts``, then read ``expected`` replies; at most ``timeout`` seconds without a byte, either way.

        A part is asked for when the one before it has been written: those of many commands are packed while the
        server works on the first.

        Args:
            unanswered: write no more parts than so many ahead of the replies; then a part is one command.

        Raises:
            Broken: the line failed or fell silent; the wire is closed.
        """
        self._replies, self._expected, self._heard = [], expected, self._loop.time()
        self._done = done = self._loop.create_future()
        self._parts, self._unanswered, self._begun = iter(parts), unanswered, 0
        try:
            # Nothing waits for it to leave: replies must be read while it does.
            self._write()
            self._gone = self._taken()
            self._timer = self._loop.call_later(timeout / 4, self._look, timeout)
            replies: list[Reply] = await done
            if self._rest or next(self._parts, None) is not None:
                raise Broken("the server answered more than it was asked", replies)
            return replies
        except BaseException:
            self.abort()
            raise
        finally:
            self._done, self._replies = None, []
            if self._timer is not None:
                self._timer.cancel()

    def abort(self) -> None:
        """Close at once, without waiting for anything."""
        self._lost = True
        self._rest, self._parts = memoryview(b""), iter(())
        self._transport.abort()

    def pause_writing(self) -> None:
        """Called by the transport when it holds enough."""
        self._full = True

    def resume_writing(self) -> None:
        """Called by the transport when it has got rid of most of it."""
        self._full = False
        self._write()

    def data_received(self, data: bytes) -> None:
        """Collect replies; called by the transport."""
        self._heard = self._loop.time()
        gets, collect = self._reader.gets, self._replies.append
        try:
            self._reader.feed(data)
            while (reply := gets()) is not MORE:
                if not isinstance(reply, hiredis.PushNotification):
                    collect(reply)
        except hiredis.ProtocolError as error:
            self._fail(f"the server sent something that is not RESP ({error})")
            return
        if self._rest and self._unanswered is not None:
            self._write()
        if self._done is None:
            if self._replies:
                self.abort()  # nobody asked for this; the next reader must not get it
        elif len(self._replies) == self._expected:
            if not self._done.done():
                self._done.set_result(self._replies)
        elif len(self._replies) > self._expected:
            self._fail("the server sent more replies than there were commands")

    def eof_received(self) -> None:
        """Called by the transport when the server closes its side."""
        self._fail("the server closed the connection")

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the transport when the line is gone; redis-py's own streams wait for this on closing."""
        self._lost = True
        self._streams.connection_lost(exc)
        self._fail(f"the connection was lost ({exc or 'closed'})")

    def _write(self) -> None:
        while not self._full and not self._lost:
            if not self._rest:
                part = next(self._parts, None)
                if part is None:
                    return
                self._rest = memoryview(part)
                self._begun += 1
            if self._unanswered is not None and self._begun > len(self._replies) + self._unanswered:
                return  # made already, and held back until a reply makes room for it
            some, self._rest = self._rest[:_SLICE], self._rest[_SLICE:]
            self._given += len(some)
            self._transport.write(some)

    def _taken(self) -> int:
        """Bytes that the kernel took of this wire so far."""
        return self._given - int(self._transport.get_write_buffer_size())

    def _look(self, timeout: float) -> None:
        taken = self._taken()
        if taken > self._gone:  # bytes still leave: that is no silence
            self._heard = self._loop.time()
        self._gone = taken
        silent = self._loop.time() - self._heard
        if silent >= timeout:
            self._fail(f"no reply within {timeout:g} s")
        else:
            self._timer = self._loop.call_later(min(timeout - silent, timeout / 4), self._look, timeout)

    def _fail(self, reason: str) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_exception(Broken(reason, self._replies))
        if not self._lost:
            self.abort()


def _hang_up_watch(transport: Any) -> select.poll | None:
    """A poll for "the peer has closed", which the kernel knows before the event loop has looked."""
    sock = transport.get_extra_info("socket")
    if sock is None or not hasattr(select, "poll"):
        return None
    watch = select.poll()
    watch.register(sock.fileno(), _HUNG_UP)
    return watch
