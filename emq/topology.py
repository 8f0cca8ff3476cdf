"""Which server holds a slot: always the same one, or the cluster node that owns it now."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, Protocol

from .errors import NotSent, Unreachable
from .keyspace import VERSION_KEY, slot
from .resp import Reply, ServerError, pack
from .server import SentinelServer, Server, at_address, one_server
from .urls import Endpoint, Kind
from .wire import Broken

_ASK_SLOTS = pack(("CLUSTER", "SLOTS"))


class Topology(Protocol):
    """Finds the server of a slot."""

    clustered: bool

    async def server(self, slot: int) -> Server:
        """The server that takes writes for ``slot``."""

    def at(self, address: str, asked: Server) -> Server:
        """The server a redirection names; an address without a host means the host that was asked."""

    def moved(self, slot: int, server: Server) -> None:
        """Remember what a redirection said."""

    async def primaries(self) -> list[Server]:
        """Every server that takes writes, as far as is known."""

    async def refresh(self) -> None:
        """Look again at who holds what."""

    async def close(self) -> None:
        """Close every wire."""


class Single:
    """One server for every slot."""

    clustered = False

    def __init__(self, server: Server) -> None:
        self._server = server

    async def server(self, slot: int) -> Server:
        """The server."""
        return self._server

    def at(self, address: str, asked: Server) -> Server:
        """A redirection from a server that is not in a cluster leads nowhere else."""
        return asked

    def moved(self, slot: int, server: Server) -> None:
        """Nothing moves."""

    async def primaries(self) -> list[Server]:
        """The server."""
        return [self._server]

    async def refresh(self) -> None:
        """Let go of idle wires: behind a sentinel the next one leads to the present master."""
        await self._server.renounce()

    async def close(self) -> None:
        """Close every wire."""
        await self._server.close()


@dataclass(frozen=True, slots=True)
class _Owner:
    first: int
    last: int
    server: Server


class Cluster:
    """The primaries of a cluster, by slot; learned from any node, corrected by redirections."""

    clustered = True

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._servers: dict[tuple[str, int], Server] = {}
        self._addresses: dict[Server, tuple[str, int]] = {}
        self._owners: list[_Owner] = []
        self._moved: dict[int, Server] = {}
        self._lock = asyncio.Lock()

    async def server(self, slot: int) -> Server:
        """The primary that owns ``slot``.

        Raises:
            Unreachable: no node answered, or no node owns the slot.
        """
        owner = self._moved.get(slot) or self._owner(slot)
        if owner is None:
            await self.refresh()
            owner = self._owner(slot)
        if owner is None:
            raise Unreachable(
                f"no node of the cluster at {self._endpoint.shown} owns slot {slot} now; nothing was sent"
            )
        return owner

    def at(self, address: str, asked: Server) -> Server:
        """The server at ``host:port``; an empty host means the host of the node that answered."""
        host, _, port = address.rpartition(":")
        return self._server_at(host or self._addresses[asked][0], int(port))

    def moved(self, slot: int, server: Server) -> None:
        """Remember that ``slot`` lives there now."""
        self._moved[slot] = server

    async def primaries(self) -> list[Server]:
        """Those that own slots, in the order of these, and those that redirections named.

        Raises:
            Unreachable: no node could say who they are.
        """
        if not self._owners:
            await self.refresh()
        return list(dict.fromkeys([*(owner.server for owner in self._owners), *self._moved.values()]))

    async def refresh(self) -> None:
        """Ask the known nodes and the seeds, in turn, for the slot map.

        Raises:
            Unreachable: none of them answered.
        """
        async with self._lock:
            failure: Exception | None = None
            for address in dict.fromkeys([*self._servers, *self._endpoint.hosts]):
                try:
                    reply = await self._ask(self._server_at(*address))
                except (NotSent, Broken) as error:
                    failure = error
                    continue
                if isinstance(reply, list) and reply:
                    self._learn(reply, address[0])
                    return
                if isinstance(reply, ServerError):
                    failure = Unreachable(f"{address[0]}:{address[1]} answered {reply.code} {reply.message}")
            raise Unreachable(
                f"no node of the cluster at {self._endpoint.shown} could say who holds what ({failure}); "
                "nothing was sent. Is it running, and is it a cluster?"
            ) from failure

    async def close(self) -> None:
        """Close every wire to every node."""
        await asyncio.gather(*(server.close() for server in self._servers.values()))

    async def _ask(self, server: Server) -> Reply:
        wire = await server.take()
        try:
            (reply,) = await wire.exchange([_ASK_SLOTS], 1, self._endpoint.socket_timeout_s)
            return reply
        finally:
            await server.give_back(wire)

    def _owner(self, slot: int) -> Server | None:
        index = bisect_right(self._owners, slot, key=lambda owner: owner.first) - 1
        owner = self._owners[index] if index >= 0 else None
        return owner.server if owner and slot <= owner.last else None

    def _learn(self, ranges: list[Any], asked_host: str) -> None:
        owners = []
        for first, last, primary, *_replicas in ranges:
            # No name, or "?", means: where you asked.
            host = primary[0].decode() if primary[0] not in (None, b"", b"?") else asked_host
            owners.append(_Owner(first, last, self._server_at(host, primary[1])))
        self._owners = sorted(owners, key=lambda owner: owner.first)
        self._moved.clear()

    def _server_at(self, host: str, port: int) -> Server:
        known = self._servers.get((host, port))
        if known is None:
            known = self._servers[host, port] = at_address(self._endpoint, host, port)
            self._addresses[known] = (host, port)
        return known


async def discover(endpoint: Endpoint) -> Topology:
    """Find the server or servers of a URL, and check the version fence where it is kept.

    Raises:
        Unreachable: nothing answered, or the server refused the connection.
        VersionMismatch: the server's queues are of another wire version.
    """
    topology: Topology
    if endpoint.kind is Kind.CLUSTER:
        topology = Cluster(endpoint)
    elif endpoint.kind is Kind.SENTINEL:
        topology = Single(SentinelServer(endpoint))
    else:
        topology = Single(one_server(endpoint))
    try:
        server = await topology.server(slot(VERSION_KEY))
        await server.give_back(await server.take())
    except BaseException:
        await topology.close()
        raise
    return topology
