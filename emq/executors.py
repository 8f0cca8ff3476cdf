"""Which of two executors runs a transition: its script, or the native command that is the script's twin."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, TypeAlias

from .errors import EmqError, NoNative, NotSent, Uncertain, reason_of
from .resp import Reply, ServerError, pack
from .scripts import TWINS
from .server import Server
from .topology import Topology
from .wire import Broken

Wire: TypeAlias = Literal[4, 6, "auto"]
Executor: TypeAlias = Literal["native", "scripts"]

_ASK = pack(("COMMAND", "INFO", *TWINS.values()))
_ASK_WITHIN_S = 1.0
_ASK_AGAIN_S = 5.0  # after a primary that did not answer

_MISSING = (
    "wire=6 asks for native commands, and {shown} does not have them: load the module there "
    "(`emq native load` says how), or use wire=4 (scripts) or wire='auto'"
)

log = logging.getLogger("emq.native")


class Executors:
    """Decides for one connector, and remembers what ran last.

    With ``auto`` every primary is asked once for the native commands, when they are first of use, and again
    when a connection to one of them was lost, because another server may answer there since.

    Args:
        topology: where servers are found.
        wire: 4 for scripts, 6 for native commands, "auto" for native commands where every primary has them.
        timeout_s: seconds without a byte after which an exchange is given up.

    Attributes:
        wire: as it was given.
        last: what ran the last extension.
    """

    def __init__(self, topology: Topology, wire: Wire, timeout_s: float) -> None:
        self._topology = topology
        self._timeout_s = timeout_s
        self._native = wire == 6
        self._asked: list[tuple[Server, int]] = []
        self._not_before = -math.inf
        self._lock = asyncio.Lock()
        self.wire: Wire = wire
        self.last: Executor = "native" if wire == 6 else "scripts"

    async def insist(self) -> None:
        """With ``wire=6``, make sure that every primary has the native commands.

        Raises:
            NoNative: one does not.
            NotSent, Uncertain: one did not answer.
        """
        if self.wire != 6:
            return
        for shown, reply in await on_each_primary(self._topology, _ASK, self._timeout_s):
            if not has_twins(reply):
                raise NoNative(_MISSING.format(shown=shown))

    async def native(self) -> bool:
        """Whether a transition with a twin is to run natively now; asks the primaries where that is not known."""
        if self.wire != "auto":
            return self._native
        async with self._lock:
            if time.monotonic() >= self._not_before:
                try:
                    async with asyncio.timeout(_ASK_WITHIN_S):
                        await self._ask()
                except (EmqError, OSError):
                    # Not every primary could be asked; the transition itself may meet one that works.
                    self._native, self._asked = False, []
                    self._not_before = time.monotonic() + _ASK_AGAIN_S
            return self._native

    def give_up(self) -> None:
        """A primary does not have a twin after all: scripts from now on, for as long as its connections live.

        Raises:
            NoNative: with ``wire=6`` there is no other way.
        """
        if self.wire == 6:
            raise NoNative(_MISSING.format(shown="a primary"))
        if self._native:
            log.warning("a server does not run the native commands (any more): scripts do their work")
        self._native, self.last = False, "scripts"

    async def _ask(self) -> None:
        primaries = await self._topology.primaries()
        if [(server, server.lost) for server in primaries] == self._asked:
            return
        replies = await on_each_primary(self._topology, _ASK, self._timeout_s)
        self._native = all(has_twins(reply) for _, reply in replies)
        # After the answers: a wire that was found dead on the way has been replaced by the one that answered.
        self._asked = [(server, server.lost) for server in primaries]


async def fill(
    replies: list[Reply], places: Sequence[int], send: Callable[[], Awaitable[list[Reply]]]
) -> None:
    """Put the replies of ``send`` into the ``places`` of ``replies`` where no native command ran.

    Raises:
        NotSent: nothing of all this ran.
        Uncertain: ``.replies`` has what is known of all.
    """
    try:
        got = await send()
    except (NotSent, Uncertain) as error:
        if isinstance(error, NotSent) and len(places) == len(replies):
            raise
        got = error.replies if isinstance(error, Uncertain) else [None] * len(places)
        for place, reply in zip(places, got, strict=True):
            replies[place] = reply
        raise Uncertain(str(error), replies=replies, reason=reason_of(error)) from error
    for place, reply in zip(places, got, strict=True):
        replies[place] = reply


def has_twins(reply: Reply) -> bool:
    """Whether a server that answered COMMAND INFO for the twins so has all of them."""
    return isinstance(reply, list) and len(reply) == len(TWINS) and all(reply)


def is_missing(twin: str, reply: Reply) -> bool:
    """Whether a reply says that the server does not have ``twin``, or not for this user: so nothing ran."""
    if not isinstance(reply, ServerError):
        return False
    told = reply.message.lower()
    if reply.code == "NOPERM":
        return f"'{twin.lower()}' command" in told
    return reply.code == "ERR" and told.startswith("unknown command")


async def on_each_primary(topology: Topology, frame: bytes, timeout_s: float) -> list[tuple[str, Reply]]:
    """One packed command on every primary at once: (its address, its reply), error replies as values.

    Raises:
        NotSent: a primary could not be reached.
        Uncertain: a connection failed before its reply came.
    """
    servers = await topology.primaries()
    replies = await asyncio.gather(*(_exchange(server, frame, timeout_s) for server in servers))
    return [(server.shown, reply) for server, reply in zip(servers, replies, strict=True)]


async def _exchange(server: Server, frame: bytes, timeout_s: float) -> Reply:
    wire = await server.take()
    try:
        (reply,) = await wire.exchange([frame], 1, timeout_s)
        return reply
    except Broken as error:
        raise Uncertain(f"{server.shown} was asked and did not answer: {error}") from error
    finally:
        await server.give_back(wire)
