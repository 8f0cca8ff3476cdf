"""The one way to the queue server: commands, scripts and flushes, with no doubt about what was sent.

A :class:`Connector` belongs to the event loop it was opened on; several may live in one process, on loops and
threads of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import TracebackType

from .delivery import Delivery
from .ears import Ear, open_ear
from .errors import Closed, EmptyPipeline, EmqError
from .executors import Executor, Executors, Wire, fill, is_missing, on_each_primary
from .frames import Frames, OnDemand
from .keyspace import slot
from .resp import Reply, Word, checked, pack, pack_script
from .scripts import Script
from .topology import Topology, discover
from .urls import parse_url

_BLOCK_MARGIN_S = 5.0


async def connect(url: str, wire: Wire = "auto", node: int | None = None) -> Connector:
    """Open a connector to the server of ``url`` and check that its queues speak our wire version.

    Args:
        url: ``redis://``, ``rediss://``, ``unix://``, or their cluster and sentinel forms; see emq/urls.py.
        wire: 4 sends scripts, 6 native commands, "auto" native commands where every primary has them.
        node: the node id (0-1023) that ids minted in this process carry from now on.

    Raises:
        MalformedUrl: the URL cannot be used.
        Unreachable: no server answered, or it refused the connection.
        VersionMismatch: the server holds queues of another wire version.
        NoNative: native commands were asked for and are not there.
    """
    endpoint = parse_url(url)
    if wire not in (4, 6, "auto"):
        raise EmqError(f"wire is 4, 6 or 'auto', not {wire!r}")
    if node is not None:
        from .minting import set_node

        set_node(node)
    topology = await discover(endpoint)
    executors = Executors(topology, wire, endpoint.socket_timeout_s)
    conn = Connector(url, topology, executors, endpoint.socket_timeout_s, endpoint.max_connections)
    try:
        await executors.insist()
    except BaseException:
        await conn.close()
        raise
    return conn


class Connector:
    """An open way to a queue server; made by :func:`connect`.

    Args:
        url: as it was given.
        topology: where servers are found.
        executors: what runs the transitions that are also native commands.
        timeout_s: seconds without a byte after which an exchange is given up.
        limit: exchanges in flight at once; more wait their turn.
    """

    def __init__(
        self, url: str, topology: Topology, executors: Executors, timeout_s: float, limit: int
    ) -> None:
        self.url = url
        self._topology = topology
        self._executors = executors
        self._timeout_s = timeout_s
        self._turns = asyncio.Semaphore(limit)
        self._closed = False

    @property
    def wire(self) -> Wire:
        """As it was asked for: 4, 6 or "auto"."""
        return self._executors.wire

    @property
    def executor(self) -> Executor:
        """What ran the last extension of leases: ``native`` or ``scripts``."""
        return self._executors.last

    async def command(self, *words: Word) -> Reply:
        """One plain command; its second word is its key. Never sent twice.

        Raises:
            ServerRefused: the server answered with an error.
            NotSent, Uncertain: as their names say.
        """
        (reply,) = await self.pipeline([words])
        return checked(reply)

    async def pipeline(self, commands: Sequence[Sequence[Word]]) -> list[Reply]:
        """Plain commands of one queue in one flush; error replies are :class:`emq.resp.ServerError` values.

        Raises:
            EmptyPipeline: there are none.
            NotSent, Uncertain: as their names say.
        """
        frames = [pack(words) for words in commands]
        return await self._deliver(frames, _slot_of(commands), None)

    async def look_for_native(self) -> None:
        """Find out now whether leases can be extended natively; otherwise the first extension does.

        Primaries that do not answer mean scripts, for now; nothing is raised for them.
        """
        self._check()
        await self._executors.native()

    async def on_each_primary(self, *words: Word) -> list[tuple[str, Reply]]:
        """One plain command on every server that takes writes: (its address, its reply), errors as values.

        Raises:
            NotSent, Uncertain: as their names say; the first of them that happened.
        """
        self._check()
        return await on_each_primary(self._topology, pack(words), self._timeout_s)

    async def run(self, script: Script, keys: Sequence[str], args: Sequence[Word]) -> Reply:
        """One script; loaded first where the server does not know it. Never executed twice.

        Raises:
            Stale, NotActive, Kind, ServerRefused: the script or the server refused.
            NotSent, Uncertain: as their names say.
        """
        (reply,) = await self.flush(script, [(keys, args)])
        return checked(reply)

    async def flush(
        self,
        script: Script,
        calls: Sequence[tuple[Sequence[str], Sequence[Word]]],
        unanswered: int | None = None,
    ) -> list[Reply]:
        """Many calls of one script on one queue in one flush: written once, each with a reply of its own.

        It is a pipeline, not a transaction: nothing is undone, and other clients run in between. Items that
        the server did not know the script for are sent again after loading it, and only they. A script with a
        native twin is sent as that where every primary has it, and as itself where one turns out not to.

        Args:
            calls: (keys, arguments) of each call; all keys in one slot.
            unanswered: how many of them the server may have at a time; by default all.

        Returns:
            The replies in the order of the calls; an error reply is a :class:`emq.resp.ServerError` value.

        Raises:
            EmptyPipeline: there are none.
            NotSent: no byte left.
            Uncertain: bytes left and not every reply came back; ``.replies`` has those that did.
            NoNative: ``wire=6``, and a primary does not have the native twin any more.
        """
        if script.twin is None or not calls:
            return await self._flush_scripts(script, calls, unanswered)
        self._check()
        if not await self._executors.native():
            self._executors.last = "scripts"
            return await self._flush_scripts(script, calls, unanswered)
        self._executors.last = "native"
        packed = [pack((script.twin, len(keys), *keys, *args)) for keys, args in calls]
        frames = OnDemand(len(packed), packed.__getitem__, unanswered)
        replies = await self._deliver(frames, slot(calls[0][0][0]), None)
        places = [place for place, reply in enumerate(replies) if is_missing(script.twin, reply)]
        if places:
            self._executors.give_up()
            some = [calls[place] for place in places]
            await fill(replies, places, lambda: self._flush_scripts(script, some, unanswered))
        return replies

    async def _flush_scripts(
        self,
        script: Script,
        calls: Sequence[tuple[Sequence[str], Sequence[Word]]],
        unanswered: int | None,
    ) -> list[Reply]:
        frames = OnDemand(len(calls), lambda place: pack_script(script.sha, *calls[place]), unanswered)
        return await self.flush_frames(script, calls[0][0][0] if calls else "", frames)

    async def flush_frames(self, script: Script, key: str, frames: Frames) -> list[Reply]:
        """As :meth:`flush`, for calls that are packed already, or will be while they are sent; never natively.

        Args:
            script: the one that all of them call by its SHA-1.
            key: one of the queue's keys.
            frames: a packed EVALSHA each.

        Raises:
            EmptyPipeline, NotSent, Uncertain: as for :meth:`flush`.
        """
        return await self._deliver(frames, slot(key), script)

    async def block_pop(self, key: str, timeout_s: float) -> bytes | None:
        """Wait up to ``timeout_s`` seconds (0.01 or more) for an element of the list ``key`` and take it.

        It waits on a connection of its own, whose read timeout outlasts the wait; a cancelled wait drops it.

        Raises:
            ServerRefused: the server answered with an error.
            NotSent, Uncertain: as their names say; an element may be lost with ``Uncertain``.
        """
        self._check()
        frame = pack(("BLPOP", key, f"{max(timeout_s, 0.01):.3f}"))
        patience_s = timeout_s + max(_BLOCK_MARGIN_S, self._timeout_s)
        (reply,) = await Delivery(self._topology, slot(key), [frame], None, patience_s).run()
        popped = checked(reply)
        return None if popped is None else bytes(popped[1])

    async def listen(self, channel: str) -> Ear:
        """A subscription to ``channel``, on a connection of its own.

        Raises:
            ServerRefused, NotSent: as their names say.
        """
        self._check()
        return await open_ear(self._topology, channel, self._timeout_s)

    async def close(self) -> None:
        """Close every connection; calls in flight fail, later ones raise :class:`Closed`."""
        self._closed = True
        await self._topology.close()

    async def __aenter__(self) -> Connector:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _deliver(self, frames: Frames, slot: int, script: Script | None) -> list[Reply]:
        if not frames:
            raise EmptyPipeline("there is nothing to send")
        self._check()
        load = pack(("SCRIPT", "LOAD", script.text)) if script else None
        async with self._turns:
            self._check()  # it may have waited for its turn through the close
            return await Delivery(self._topology, slot, frames, load, self._timeout_s).run()

    def _check(self) -> None:
        if self._closed:
            raise Closed("this connector is closed; open another with emq.connect")


def _slot_of(commands: Sequence[Sequence[Word]]) -> int:
    if not commands or len(commands[0]) < 2:
        return 0
    key = commands[0][1]
    return slot(key if isinstance(key, str | bytes) else str(key))
