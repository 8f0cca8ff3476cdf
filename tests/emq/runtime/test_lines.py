"""Lines that went silent, lines that are slow, and a connector that was closed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import socket
import time
from collections.abc import AsyncIterator
from urllib.parse import unquote, urlsplit

import pytest

import emq
from emq.outage import Outage
from emq.wire import Wire
from tests.emq.core.makers import pairs


class Relay:
    """A TCP relay to a unix socket: it can forget its connections, as a firewall does, and can be slow."""

    def __init__(self, target: str, bytes_a_second: float = 0.0, delay_s: float = 0.0) -> None:
        self._path = unquote(urlsplit(target).path)
        self._bytes_a_second = bytes_a_second
        self._delay_s = delay_s
        self._epoch = 0
        self._writers: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"redis://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def forget(self) -> None:
        """Whatever comes on a connection of before is swallowed; new ones work."""
        self._epoch += 1

    def cut(self) -> None:
        """Every connection of now ends."""
        for writer in self._writers:
            writer.close()

    async def __aenter__(self) -> Relay:
        # A small window, so that what the sender has got rid of is about what the relay has taken.
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        sock.bind(("127.0.0.1", 0))
        self._server = await asyncio.start_server(self._accept, sock=sock, limit=16384)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.close()
        for writer in self._writers:
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_unix_connection(self._path)
        self._writers += writer, up_writer
        epoch = self._epoch
        await asyncio.gather(
            self._copy(reader, up_writer, epoch, self._bytes_a_second, 0.0),
            self._copy(up_reader, writer, epoch, 0.0, self._delay_s),
        )

    async def _copy(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        epoch: int,
        bytes_a_second: float,
        delay_s: float,
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(16384):
                if bytes_a_second or delay_s:
                    await asyncio.sleep(delay_s + (len(data) / bytes_a_second if bytes_a_second else 0))
                if epoch == self._epoch:
                    sink.write(data)
                    await sink.drain()
            sink.close()


@pytest.fixture
async def conn(valkey_url: str) -> AsyncIterator[emq.Connector]:
    """These tests are about lines, so one kind of server is enough."""
    async with await emq.connect(valkey_url) as conn:
        yield conn


@pytest.fixture
async def relay(valkey_url: str) -> AsyncIterator[Relay]:
    async with Relay(valkey_url) as relay:
        yield relay


async def test_a_silence_is_waited_for_once_and_not_once_for_every_idle_connection(
    relay: Relay, queue: str
) -> None:
    # given ten idle connections whose other end has forgotten them
    async with await emq.connect(relay.url + "?socket_timeout=2") as conn:
        jobs = emq.Jobs(conn, queue)
        await asyncio.gather(*(jobs.enqueue_many(pairs(1)) for _ in range(10)))
        relay.forget()

        # when a burst is sent until it lands
        burst, failures = pairs(3), 0
        while failures < 10:
            try:
                await jobs.enqueue_many(burst)
                break
            except emq.Uncertain:
                failures += 1

    # then the first silence told about all of them
    assert failures <= 2


async def test_a_payload_that_is_still_being_sent_is_not_a_silence(valkey_url: str, queue: str) -> None:
    # given a line of 4 MB a second, and 48 MB to send: bytes leave all the time, but for what lies in buffers
    # at the end, which is more than a second and on a busy machine more
    async with (
        Relay(valkey_url, bytes_a_second=4e6) as relay,
        await emq.connect(relay.url + "?socket_timeout=8") as conn,
    ):
        verdict = await emq.Jobs(conn, queue).enqueue(emq.mint("JOB"), b"x" * 48_000_000)

    assert verdict is emq.ENQUEUED


async def test_a_large_burst_is_handed_to_the_transport_in_slices(
    valkey_url: str, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a line of 40 MB a second, and a look at what the transport holds after each write
    held: list[int] = []
    write = Wire._write

    def watched(self: Wire) -> None:
        write(self)
        held.append(self._transport.get_write_buffer_size())

    monkeypatch.setattr(Wire, "_write", watched)
    burst = [(emq.mint("JOB"), b"x" * 100_000) for _ in range(200)]
    async with (
        Relay(valkey_url, bytes_a_second=40e6) as relay,
        await emq.connect(relay.url) as conn,
    ):
        jobs = emq.Jobs(conn, queue)

        # when
        verdicts = await jobs.enqueue_many(burst)

        # then it all arrived, and was not copied at once
        assert set(verdicts) == {emq.ENQUEUED}
        assert max(held) < 2_000_000
        claims = await jobs.claim_batch(200)
        assert [(claim.id, claim.payload) for claim in claims] == burst


async def test_the_log_of_a_worker_tells_what_happened_without_the_advice_for_a_caller(
    relay: Relay, queue: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with await emq.connect(relay.url + "?socket_timeout=2") as conn:
        relay.forget()
        with pytest.raises(emq.Uncertain, match="Send an enqueue again") as lost:
            await emq.Jobs(conn, queue).enqueue_many(pairs(1))

    Outage("the worker of mail", logging.getLogger("emq.worker")).failed("claiming", lost.value)

    (line,) = caplog.messages
    assert line.startswith("the worker of mail: claiming failed, trying again: bytes were sent and")
    assert line.endswith("no reply within 2 s")


async def test_a_call_that_waited_for_its_turn_does_not_run_after_the_close(
    valkey_url: str, conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given a call behind another one
    closing = await emq.connect(valkey_url + "&max_connections=1")
    slow = asyncio.create_task(closing.command("BLPOP", f"emq:{{{queue}}}:nothing", "60"))
    while b" cmd=blpop " not in await conn.command("CLIENT", "LIST"):
        await asyncio.sleep(0.01)
    late = asyncio.create_task(emq.Jobs(closing, queue).enqueue_many(pairs(1)))
    await asyncio.sleep(0.05)

    # when
    await closing.close()
    await asyncio.wait([slow, late])

    # then
    assert isinstance(slow.exception(), emq.Uncertain)
    assert isinstance(late.exception(), emq.NotSent)
    assert await jobs.pending_size() == 0


@pytest.mark.parametrize(("lease_ms", "cut"), [(3_000, False), (4_500, True)], ids=["whole", "cut once"])
async def test_leases_are_kept_over_a_line_of_300_ms(
    conn: emq.Connector, jobs: emq.Jobs, queue: str, lease_ms: int, cut: bool
) -> None:
    # given a lease ten or fifteen times as long as a round trip
    await jobs.enqueue_many(pairs(1))
    leased_at = time.monotonic()
    claim = await jobs.claim(lease_ms=lease_ms)
    assert claim is not None
    async with Relay(conn.url, delay_s=0.3) as relay:
        keeper = emq.LeaseKeeper(relay.url, queue, lease_ms)
        keeper.start()
        try:
            lease = keeper.track(claim.id, claim.token, leased_at)
            await asyncio.sleep(3)
            if cut:
                relay.cut()  # opening it again takes longer than a beat may
            await asyncio.sleep(6)
            assert lease.held
        finally:
            await asyncio.to_thread(keeper.stop)


@pytest.mark.parametrize(
    "error",
    [
        emq.ServerRefused("OOM", "the server is full"),
        emq.HandshakeRefused("NOAUTH", "who are you"),
        emq.VersionMismatch("echomq:9.9.9", "echomq:3.0.0"),
        emq.Again(5, error="later"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_travels_between_processes(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301

    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
