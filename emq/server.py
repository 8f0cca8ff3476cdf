"""One server address: its wires, opened by redis-py's pool, each fenced before its first command."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from redis import exceptions as redis_errors
from redis.asyncio.connection import (
    AbstractConnection,
    Connection,
    ConnectionPool,
    SSLConnection,
    UnixDomainSocketConnection,
)
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool
from redis.backoff import NoBackoff
from redis.maint_notifications import MaintNotificationsConfig

from .errors import HandshakeRefused, NotSent, Unreachable, VersionMismatch
from .keyspace import VERSION, VERSION_KEY
from .resp import Reply, ServerError, pack
from .urls import Endpoint, Kind
from .wire import Broken, Wire

_UNLIMITED = 1 << 30  # the connector bounds its exchanges itself, waiting instead of failing
_READ_FENCE = pack(("GET", VERSION_KEY))
_CLAIM_FENCE = pack(("SET", VERSION_KEY, VERSION, "NX")) + _READ_FENCE


class Server:
    """The wires to one address: idle ones are reused last in, first out; dead ones are replaced silently.

    Args:
        pool: redis-py's pool, asked only to open connections.
        shown: the address as messages print it.
        timeout_s: seconds without a byte after which an exchange is given up.

    Attributes:
        lost: how many wires broke or were given up; another server may answer at this address since.
    """

    def __init__(self, pool: ConnectionPool, shown: str, timeout_s: float) -> None:
        self._pool = pool
        self._timeout_s = timeout_s
        self._idle: list[Wire] = []
        self._closed = False
        self.shown = shown
        self.lost = 0

    async def take(self) -> Wire:
        """An open, fenced wire that nobody else uses.

        Raises:
            Unreachable: none could be opened; nothing was sent.
            VersionMismatch: the server's queues are of another wire version.
        """
        while self._idle:
            wire = self._idle.pop()
            if not wire.dead:
                return wire
            self.lost += 1
            await self._drop(wire.connection)
        connection = await self._open()
        try:
            wire = Wire(connection)
            await self._fence(wire)
        except BaseException:
            await self._drop(connection)
            raise
        return wire

    async def give_back(self, wire: Wire) -> None:
        """Return a wire after its exchange, in whatever state it is."""
        if wire.dead or self._closed:
            self.lost += 1
            await self._drop(wire.connection)
        else:
            self._idle.append(wire)

    async def renounce(self) -> None:
        """Close the idle wires: this address is no longer the one that takes writes."""
        self.lost += 1
        while self._idle:
            await self._drop(self._idle.pop().connection)

    async def close(self) -> None:
        """Close every wire, also those in use."""
        self._closed = True
        self._idle.clear()
        await self._pool.aclose()

    async def _drop(self, connection: AbstractConnection) -> None:
        await connection.disconnect(nowait=True)
        await self._pool.release(connection)

    async def _open(self) -> AbstractConnection:
        task = asyncio.current_task()
        cancels = task.cancelling() if task else 0
        try:
            connection: AbstractConnection = await self._pool.get_connection()  # type: ignore[no-untyped-call]
        except (redis_errors.RedisError, OSError, ValueError) as error:
            raise self._unreachable(error) from error
        except asyncio.CancelledError:
            # redis-py takes it back with the handshake half done; idle wires are not in its pool, but in ours.
            await self._pool.disconnect(inuse_connections=False)
            raise
        if task and task.cancelling() > cancels:
            # Python 3.11's wait_for, which redis-py sends its handshake with, may swallow a cancellation.
            await self._drop(connection)
            raise asyncio.CancelledError
        return connection

    def _unreachable(self, error: BaseException) -> NotSent:
        for cause in _causes(error):
            code = getattr(cause, "status_code", None)
            if isinstance(code, str):
                return HandshakeRefused(code, f"{cause} (at {self.shown})")
            if type(cause) is redis_errors.ResponseError:
                return HandshakeRefused(*str(cause).partition(" ")[::2])
        return Unreachable(
            f"no connection to the queue server at {self.shown}: {str(error).rstrip('.')}. "
            "Is it running, and is the address right? Nothing was sent."
        )

    async def _fence(self, wire: Wire) -> None:
        try:
            (got,) = await wire.exchange([_READ_FENCE], 1, self._timeout_s)
            if got is None:
                claimed, got = await wire.exchange([_CLAIM_FENCE], 2, self._timeout_s)
                got = claimed if isinstance(claimed, ServerError) else got
        except Broken as error:
            raise Unreachable(
                f"{self.shown} accepted a connection and dropped it: {error}. Nothing was sent."
            ) from error
        self._judge(got)

    def _judge(self, got: Reply) -> None:
        if isinstance(got, ServerError):
            if got.code == "MOVED":
                return  # a cluster node that does not hold the fence; its owner is asked
            raise HandshakeRefused(got.code, f"{got.message} (reading {VERSION_KEY} at {self.shown})")
        if got != VERSION.encode():
            raise VersionMismatch(
                got.decode(errors="replace") if isinstance(got, bytes) else repr(got), VERSION
            )


def _causes(error: BaseException) -> Iterator[BaseException]:
    # redis-py wraps what goes wrong in a unix socket's handshake in a ConnectionError of its own.
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__


def _settings(endpoint: Endpoint) -> dict[str, Any]:
    return {
        **endpoint.options,
        "max_connections": _UNLIMITED,
        # A verb decides itself whether it may be sent twice; redis-py would send everything again.
        "retry": Retry(NoBackoff(), 0),
        "driver_info": None,
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }


def one_server(endpoint: Endpoint) -> Server:
    """The server of a ``redis://``, ``rediss://`` or ``unix://`` URL."""
    settings = _settings(endpoint)
    if endpoint.kind is Kind.UNIX:
        pool: ConnectionPool = ConnectionPool(connection_class=UnixDomainSocketConnection, **settings)
        return Server(pool, endpoint.shown, endpoint.socket_timeout_s)
    ((host, port),) = endpoint.hosts
    return at_address(endpoint, host, port)


def at_address(endpoint: Endpoint, host: str, port: int) -> Server:
    """A server at an address that a cluster named, reached with the credentials of ``endpoint``."""
    connection_class = SSLConnection if endpoint.tls else Connection
    pool: ConnectionPool = ConnectionPool(
        connection_class=connection_class, host=host, port=port, **_settings(endpoint)
    )
    shown = endpoint.shown if endpoint.kind is Kind.TCP else f"{host}:{port}"
    return Server(pool, shown, endpoint.socket_timeout_s)


class SentinelServer(Server):
    """The master that the sentinels name, asked again for every new wire."""

    def __init__(self, endpoint: Endpoint) -> None:
        timeouts = {name: value for name, value in endpoint.options.items() if name.startswith("socket_")}
        self._sentinels = Sentinel(  # type: ignore[no-untyped-call]
            list(endpoint.hosts),
            sentinel_kwargs={
                **timeouts,
                **endpoint.sentinel,
                **_tls(endpoint),
                "retry": Retry(NoBackoff(), 0),
            },
        )
        pool = SentinelConnectionPool(  # type: ignore[no-untyped-call]
            endpoint.service, self._sentinels, ssl=endpoint.tls, **_settings(endpoint)
        )
        super().__init__(pool, endpoint.shown, endpoint.socket_timeout_s)

    async def close(self) -> None:
        """Close every wire and the connections to the sentinels."""
        await super().close()
        await asyncio.gather(*(sentinel.aclose() for sentinel in self._sentinels.sentinels))


def _tls(endpoint: Endpoint) -> dict[str, Any]:
    if not endpoint.tls:
        return {}
    return {
        "ssl": True,
        **{name: value for name, value in endpoint.options.items() if name.startswith("ssl_")},
    }
