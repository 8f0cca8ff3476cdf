"""A TCP proxy that breaks connections on purpose, at an exact place in the stream.

    async with FaultProxy(server.url) as proxy:
        conn = await emq.connect(proxy.url)
        proxy.cut_after_commands(3)       # the server applies three more requests, then both sides are cut

A fault is armed for what comes next, on any connection, and stays until it struck ``times`` or ``heal()``.
Requests are counted only with ``resp=True`` (the default); for HTTP or PostgreSQL use ``cut_after_bytes``.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from dataclasses import dataclass, field
from types import TracebackType
from urllib.parse import unquote, urlsplit, urlunsplit

from tests.resp import ReplyCounter, RequestSplitter, name_of

CHUNK = 65536
QUIET_S = 0.2


@dataclass(slots=True)
class Faults:
    """What is to go wrong next; None and False mean: nothing."""

    refuse: bool = False
    commands_left: int | None = None
    deliver: bool = False
    bytes_left: int | None = None
    swallow: bool = False
    half_open: bool = False
    delay_s: float = 0.0
    match: bytes = b""
    times: int = 1


@dataclass(slots=True)
class Counts:
    """What passed so far, over all connections."""

    connections: int = 0
    commands: int = 0
    sent_bytes: int = 0
    reply_bytes: int = 0
    dropped_bytes: int = 0
    cuts: int = 0
    names: list[str] = field(default_factory=list)


Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class FaultProxy:
    """Listens on 127.0.0.1 and forwards to ``target``: a redis, unix, http or postgresql address."""

    def __init__(self, target: str, *, resp: bool = True) -> None:
        self._target = urlsplit(target)
        self._resp = resp
        self._server: asyncio.Server | None = None
        self._links: set[Link] = set()
        self._port = 0
        self._kept: socket.socket | None = None
        self.faults = Faults()
        self.counts = Counts()

    @property
    def url(self) -> str:
        """The target's address with the proxy in its place; ``redis://`` for a unix socket."""
        if self._target.scheme == "unix":
            return urlunsplit(("redis", f"127.0.0.1:{self._port}", "", self._target.query, ""))
        login, at, _ = self._target.netloc.rpartition("@")
        return urlunsplit(self._target._replace(netloc=f"{login}{at}127.0.0.1:{self._port}"))

    @property
    def open_connections(self) -> int:
        return len(self._links)

    async def __aenter__(self) -> FaultProxy:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop for good: its port may be another's from now on."""
        await self.stop()
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    async def start(self) -> None:
        """Listen; on the port of before when it ran already."""
        if self._kept is None:
            # Nobody is given a port that is bound, and whoever connects there while nobody listens is refused.
            self._kept = socket.socket()
            self._kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._kept.bind(("127.0.0.1", 0))
            self._port = self._kept.getsockname()[1]
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port)

    async def stop(self) -> None:
        """Cut everything and stop listening: connecting is refused from now on. ``start()`` undoes it."""
        if self._server is not None:
            self._server.close()
            self.cut()
            await asyncio.gather(*(link.ended.wait() for link in self._links))
            await self._server.wait_closed()
            self._server = None

    def cut(self) -> None:
        """Cut every connection there is, now."""
        for link in list(self._links):
            link.cut()

    def refuse(self) -> None:
        """New connections are cut before they carry a byte; those there are stay."""
        self.faults.refuse = True

    def cut_before_first_byte(self, times: int = 1) -> None:
        """The next request is cut before the server sees a byte of it; the client has sent it."""
        self.cut_after_commands(0, times=times)

    def cut_after_commands(self, k: int, *, deliver: bool = False, match: str = "", times: int = 1) -> None:
        """The server applies ``k`` requests more and nothing after them, then both sides are cut.

        With ``deliver`` the client gets the replies to those ``k``; without, it gets none. With ``match``
        only requests that contain it count and are cut, such as those with a script's SHA.
        """
        self.faults = Faults(commands_left=k, deliver=deliver, match=match.encode(), times=times)

    def cut_after_bytes(self, n: int, *, times: int = 1) -> None:
        """Forward ``n`` bytes more towards the server, then cut both sides."""
        self.faults = Faults(bytes_left=n, times=times)

    def swallow_replies(self, *, match: str = "", times: int = 1) -> None:
        """Forward all, drop the replies, and cut once all is answered and nothing more came for 200 ms.

        With ``match`` it begins with the first request that contains it.
        """
        self.faults = Faults(swallow=True, match=match.encode(), times=times)

    def half_open(self) -> None:
        """Accept and read, forward nothing, answer nothing, cut nothing: a peer behind a dead link."""
        self.faults = Faults(half_open=True)

    def freeze(self) -> None:
        """The connections there are carry nothing more, for ever: their peer has gone without a word.

        New ones are not touched, and `heal` does not bring those back.
        """
        for link in self._links:
            link.frozen = True

    def delay(self, seconds: float) -> None:
        """Hold back every chunk of replies for ``seconds``."""
        self.faults.delay_s = seconds

    def heal(self) -> None:
        """Nothing more goes wrong; connections that lost something, half open or without replies, are cut."""
        stuck, self.faults = self.faults.half_open, Faults()
        for link in list(self._links):
            if stuck or link.muted:
                link.cut()

    def struck(self, faults: Faults) -> None:
        """A cut happened: it is disarmed, unless it was asked for more times, or something else is armed by now."""
        self.counts.cuts += 1
        faults.times -= 1
        if faults.times <= 0 and faults is self.faults:
            self.faults = Faults(delay_s=faults.delay_s)

    async def _accept(self, *client: *Stream) -> None:
        if self.faults.refuse:
            client[1].transport.abort()
            return
        self.counts.connections += 1
        try:
            server = await self._dial()
        except OSError:
            client[1].transport.abort()
            return
        link = Link(self, client, server, RequestSplitter() if self._resp else None)
        self._links.add(link)
        try:
            await link.run()
        finally:
            self._links.discard(link)

    async def _dial(self) -> Stream:
        if self._target.scheme == "unix":
            return await asyncio.open_unix_connection(unquote(self._target.path))
        return await asyncio.open_connection(self._target.hostname, self._target.port)


class Link:
    """One client's connection and the connection to the server that belongs to it."""

    def __init__(
        self, proxy: FaultProxy, client: Stream, server: Stream, splitter: RequestSplitter | None
    ) -> None:
        self._proxy = proxy
        self._from_client, self._to_client = client
        self._from_server, self._to_server = server
        self._splitter = splitter
        self._replies = ReplyCounter()
        self._unanswered = 0
        self.muted = False
        self._held = b""
        self.frozen = False
        self.ended = asyncio.Event()

    async def run(self) -> None:
        """Forward both ways until either side ends."""
        ways = [asyncio.ensure_future(self._requests()), asyncio.ensure_future(self._answers())]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            self.cut()
            for writer in (self._to_client, self._to_server):
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
            self.ended.set()

    def cut(self) -> None:
        self._to_client.transport.abort()
        self._to_server.transport.abort()

    async def _requests(self) -> None:
        """Returns, and so ends the link, at the client's end or at the place of a cut."""
        while data := await self._next_data():
            faults = self._proxy.faults
            if faults.half_open or self.frozen:
                continue
            if self._splitter is None or faults.bytes_left is not None:
                cut = await self._forward_bytes(data, faults)
            else:
                cut = await self._forward_requests(self._splitter.feed(data), faults)
            if cut:
                self._proxy.struck(faults)
                return
            await self._to_server.drain()

    async def _forward_bytes(self, data: bytes, faults: Faults) -> bool:
        if faults.bytes_left is None or len(data) < faults.bytes_left:
            self._send(data)
            if faults.bytes_left is not None:
                faults.bytes_left -= len(data)
            return False
        self._send(data[: faults.bytes_left])
        await self._flushed(self._to_server)
        return True

    async def _forward_requests(self, requests: list[bytes], faults: Faults) -> bool:
        for request in requests:
            meant = faults.match in request
            if meant and faults.commands_left == 0:
                return await self._cut_when_answered(faults)
            if meant and faults.commands_left is not None:
                faults.commands_left -= 1
            dropped = faults.swallow or (faults.commands_left is not None and not faults.deliver)
            self.muted = self.muted or (meant and dropped)
            self._proxy.counts.commands += 1
            self._proxy.counts.names.append(name_of(request))
            self._unanswered += 1
            self._send(request)
        if faults.commands_left == 0 and any(faults.match in request for request in requests):
            return await self._cut_when_answered(faults)
        return faults.swallow and self.muted and await self._quiet() and await self._cut_when_answered(faults)

    async def _cut_when_answered(self, faults: Faults) -> bool:
        while self._unanswered > 0:
            await asyncio.sleep(0.001)
        if faults.deliver:
            await self._flushed(self._to_client)
        return True

    async def _next_data(self) -> bytes:
        held, self._held = self._held, b""
        return held or await self._from_client.read(CHUNK)

    async def _quiet(self) -> bool:
        """Nothing more comes from the client for a moment; what does come is held for the next turn."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(QUIET_S):
                self._held = await self._from_client.read(CHUNK)
        return not self._held

    def _send(self, data: bytes) -> None:
        self._proxy.counts.sent_bytes += len(data)
        self._to_server.write(data)

    @staticmethod
    async def _flushed(writer: asyncio.StreamWriter) -> None:
        while writer.transport.get_write_buffer_size() and not writer.transport.is_closing():
            await asyncio.sleep(0.001)

    async def _answers(self) -> None:
        while data := await self._from_server.read(CHUNK):
            if self._proxy.faults.delay_s:
                await asyncio.sleep(self._proxy.faults.delay_s)
            if self.muted or self.frozen or self._proxy.faults.half_open:
                self._proxy.counts.dropped_bytes += len(data)
            else:
                self._proxy.counts.reply_bytes += len(data)
                self._to_client.write(data)
                await self._to_client.drain()
            if self._splitter is not None:
                self._unanswered -= self._replies.feed(data)
