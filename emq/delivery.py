"""Getting packed commands to the server that holds their slot, and every reply back to its place.

What may be sent again by itself is decided here, and nowhere else: only commands that the server answered
*without executing them* (``NOSCRIPT``, ``MOVED``, ``ASK``, ``TRYAGAIN``, ``CLUSTERDOWN``). A command whose
reply was lost is never repeated.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .errors import NotSent, Uncertain, Unreachable
from .frames import Frames, in_parts, most_unanswered
from .resp import Reply, ServerError, pack
from .server import Server
from .topology import Topology
from .wire import Broken, Wire

_ASKING = pack(("ASKING",))
_TURNS = 60  # nothing that heals takes that many; it ends a circle of redirections
_PATIENCE_S = 2.0  # for a slot that is moving or that nobody serves; after that the item is refused, for now
_PAUSE_S = 0.02
_LONGEST_PAUSE_S = 0.2


@dataclass(frozen=True, slots=True)
class _Errand:
    """Some of the commands, to be sent to one server in one exchange; ``cause`` is why they travel again."""

    places: Sequence[int]
    turn: int = 0
    cause: str = ""
    server: Server | None = None


class Delivery:
    """One batch of packed commands of one slot, from the first write to the last reply.

    Args:
        topology: where servers are found.
        slot: the slot of every command's keys.
        frames: the packed commands.
        load: the packed SCRIPT LOAD that cures NOSCRIPT, if the commands are scripts.
        timeout_s: seconds without a byte after which an exchange is given up.
    """

    def __init__(
        self, topology: Topology, slot: int, frames: Frames, load: bytes | None, timeout_s: float
    ) -> None:
        self._topology = topology
        self._slot = slot
        self._frames = frames
        self._load = load
        self._timeout_s = timeout_s
        self._replies: list[Reply] = [None] * len(frames)
        self._patient_until = time.monotonic() + _PATIENCE_S
        self._sent = False
        self._demoted = False

    async def run(self) -> list[Reply]:
        """Every reply in the order of the commands; error replies are values.

        Raises:
            NotSent: no byte left.
            Uncertain: bytes left and the connection failed; ``.replies`` has ``None`` where it is not known
                what happened.
        """
        errands = deque([_Errand(range(len(self._frames)))])
        while errands:
            errand = errands.popleft()
            if errand.cause in ("TRYAGAIN", "CLUSTERDOWN"):
                await asyncio.sleep(min(_PAUSE_S * errand.turn, _LONGEST_PAUSE_S))
            errands.extend(await self._go(errand))
        return self._replies

    async def _go(self, errand: _Errand) -> list[_Errand]:
        try:
            server = errand.server or await self._topology.server(self._slot)
            server, wire = await self._take(server)
        except NotSent as error:
            if not self._sent:
                raise
            raise self._uncertain(error) from error
        self._sent = True
        try:
            parts, expected = self._packed(errand)
            got = await wire.exchange(parts, expected, self._timeout_s, most_unanswered(self._frames))
        except Broken as error:
            self._place(errand, error.replies)
            # What broke this wire, a firewall that forgot it for one, may have broken those that idle.
            await server.renounce()
            raise self._uncertain(error) from error
        finally:
            await server.give_back(wire)
        again = self._place(errand, got)
        if self._demoted:
            # Behind a sentinel, a proxy or a name, the next connection may lead to the server that takes writes.
            with contextlib.suppress(NotSent):
                await self._topology.refresh()
        return [await self._next(errand, server, error, places) for error, places in again.items()]

    async def _take(self, server: Server) -> tuple[Server, Wire]:
        try:
            return server, await server.take()
        except Unreachable:
            if not self._topology.clustered:
                raise
        # A cluster may have promoted another node; nothing was sent yet, so looking again costs nothing.
        await self._topology.refresh()
        server = await self._topology.server(self._slot)
        return server, await server.take()

    def _packed(self, errand: _Errand) -> tuple[Iterable[bytes], int]:
        if errand.turn == 0:
            return in_parts(self._frames), len(self._frames)
        commands = [self._frames[place] for place in errand.places]
        if errand.cause == "ASK":
            commands = [command for frame in commands for command in (_ASKING, frame)]
        elif errand.cause == "NOSCRIPT" and self._load:
            commands = [self._load, *commands]
        return commands if most_unanswered(self._frames) else [b"".join(commands)], len(commands)

    def _place(self, errand: _Errand, got: list[Reply]) -> dict[ServerError, list[int]]:
        """Put final replies in their place; return the places to serve again, by the error they answered."""
        if errand.cause == "ASK":
            got = got[1::2]
        elif errand.cause == "NOSCRIPT":
            loaded, *got = got or [None]
            if isinstance(loaded, ServerError):
                got = [loaded] * len(got)
        self._demoted |= any(map(_of_a_replica, got))
        if errand.turn == 0 and len(got) == len(self._frames) and ServerError not in map(type, got):
            self._replies = got
            return {}
        again: dict[ServerError, list[int]] = {}
        for place, reply in zip(errand.places, got, strict=False):
            if type(reply) is ServerError and errand.turn < _TURNS and self._curable(reply):
                again.setdefault(reply, []).append(place)
            else:
                self._replies[place] = reply
        return again

    def _curable(self, error: ServerError) -> bool:
        if error.code == "NOSCRIPT":
            return self._load is not None
        # A proxy in front of a cluster passes TRYAGAIN on; the rest makes sense only to those who know its nodes.
        if error.code == "TRYAGAIN" or (error.code == "CLUSTERDOWN" and self._topology.clustered):
            return time.monotonic() < self._patient_until
        return self._topology.clustered and error.code in ("MOVED", "ASK")

    async def _next(self, errand: _Errand, asked: Server, error: ServerError, places: list[int]) -> _Errand:
        server = asked
        if error.code in ("MOVED", "ASK"):
            server = self._topology.at(error.message.split()[1], asked)
            if error.code == "MOVED":
                self._topology.moved(self._slot, server)
        elif error.code == "CLUSTERDOWN":
            with contextlib.suppress(NotSent):
                await self._topology.refresh()
                server = await self._topology.server(self._slot)
        return _Errand(places, errand.turn + 1, error.code, server)

    def _uncertain(self, error: Exception) -> Uncertain:
        known = sum(reply is not None for reply in self._replies)
        reason = (
            f"bytes were sent and the connection failed with {known} of {len(self._replies)} outcomes known: "
            f"{error}"
        )
        return Uncertain(
            f"{reason}. Send an enqueue again with the same ids; jobs of a lost claim return when their lease "
            "lapses.",
            replies=self._replies,
            reason=reason,
        )


def _of_a_replica(reply: Reply) -> bool:
    """Whether a server that takes no writes gave this reply, or one of the many inside."""
    if type(reply) is list:
        return ServerError in map(type, reply) and any(map(_of_a_replica, reply))
    return type(reply) is ServerError and reply.code == "READONLY"
