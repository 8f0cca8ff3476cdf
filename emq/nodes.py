"""Node ids leased in the queue server, so that two processes never mint with the same one."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import random
import secrets
import socket
from types import TracebackType

from .connector import Connector
from .errors import Closed, EmqError
from .ids import MAX_NODE
from .keyspace import node_key
from .lease import now
from .minting import Minter, process_minter
from .outage import Outage
from .scripts import script

RENEW_EVERY_S = 60.0
REST_MS = 2_000
"""How long a released number stays unused: longer than clocks differ and than a mint runs ahead of its clock."""

FAREWELL_S = 1.0
"""How long the server may take to hear that a number is free again, before whoever stops goes without."""

log = logging.getLogger("emq.nodes")


class NoNode(EmqError):
    """All 1,024 node ids of this server are leased."""


async def lease_node(conn: Connector, ttl_s: float = 3600, *, minter: Minter | None = None) -> NodeLease:
    """Lease a node id that no other process has, and mint with it from now on.

    It is renewed each minute. When the server cannot be reached for ``ttl_s``, minting raises ``NodeLapsed``
    until it can; a number that another process took meanwhile is swapped for a free one at once.

    Args:
        conn: an open connector, used until ``release()``.
        ttl_s: how long the number stays ours without a renewal, seconds.
        minter: what mints with it; by default the process's.

    Raises:
        NoNode: none is free.
        ServerRefused, NotSent, Uncertain: as their names say. Calling again is safe.

    Source: lua/lease_node.lua
    """
    if ttl_s <= 0:
        raise ValueError(f"ttl_s is {ttl_s}: give seconds, more than 0")
    lease = NodeLease(conn, ttl_s, minter or process_minter())
    await lease.take()
    lease.keep()
    return lease


class NodeLease:
    """A leased node id; made by :func:`lease_node`. Give it back with ``release()``, or use it in ``async with``.

    Attributes:
        number: the node id, 0 to 1023; -1 while there is none. It may change.
    """

    def __init__(self, conn: Connector, ttl_s: float, minter: Minter) -> None:
        self._conn = conn
        self._ttl_s = ttl_s
        self._minter = minter
        self._owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"
        self._keeping: asyncio.Task[None] | None = None
        self.number = -1

    async def __aenter__(self) -> NodeLease:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.release()

    async def take(self) -> None:
        """Lease any free number; the search begins anywhere, so that it is usually over at once.

        Raises:
            NoNode: none is free.
            ServerRefused, NotSent, Uncertain: as their names say.

        Source: lua/lease_node.lua
        """
        numbers = list(range(MAX_NODE + 1))
        random.shuffle(numbers)
        for number in numbers:
            if await self._lease(number):
                return
        raise NoNode(
            f"all {MAX_NODE + 1} node ids are leased by other processes: stop some, or wait up to "
            f"{self._ttl_s:g} s for those that died, or set EMQ_NODE yourself"
        )

    def keep(self) -> None:
        """Renew it from now on."""
        self._keeping = asyncio.create_task(self._renew(), name="emq-node")

    async def release(self) -> None:
        """Give the number back; minting raises ``NodeLapsed`` from now on. Idempotent; never fails.

        When the server cannot be told, or says nothing for a second, the number stays leased until its time is
        over: whoever stops has no reason to wait longer.

        Source: lua/release_node.lua
        """
        keeping, self._keeping = self._keeping, None
        if keeping is None:
            return
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        self._minter.set_node(self._minter.node, until=now())
        with contextlib.suppress(EmqError, TimeoutError):
            async with asyncio.timeout(FAREWELL_S):
                await self._conn.run(script("release_node"), (node_key(self.number),), (self._owner, REST_MS))

    async def _lease(self, number: int) -> bool:
        sent_at = now()
        args = (self._owner, round(self._ttl_s * 1000))
        if await self._conn.run(script("lease_node"), (node_key(number),), args) != 1:
            return False
        self.number = number
        self._minter.set_node(number, until=sent_at + self._ttl_s)
        return True

    async def _renew(self) -> None:
        outage = Outage(f"the lease of node id {self.number}", log)
        wait_s = beat_s = min(RENEW_EVERY_S, self._ttl_s / 3)
        while True:
            await asyncio.sleep(wait_s)
            try:
                if not await self._lease(self.number):
                    self._minter.set_node(self._minter.node, until=now())
                    log.warning("node id %d was taken by another process; leasing another", self.number)
                    await self.take()
            except Closed:
                return
            except Exception as error:  # whatever it is, minting stops by itself when the time is over
                wait_s = min(beat_s, outage.failed("renewing", error))
            else:
                outage.succeeded("renewing")
                wait_s = beat_s
