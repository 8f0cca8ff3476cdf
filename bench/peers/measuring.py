"""The same work for everybody, in turns, on one server that is emptied before each turn."""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import emq
from bench.peers.driver import Broken, Driver, Missing
from bench.peers.installing import HOME, NotInstalled, install
from bench.peers.ours import Ours
from bench.peers.roster import Peer
from bench.queue import nothing

# Enqueue, drain and extend so many jobs.
JOBS = 10_000
LEASES = 1_000
# Whoever is slower than this, in jobs a second, is given a fifth of the jobs, or a run would take an hour.
SLOW = 5_000
_WARM_UP = 1_000

Seconds = Callable[[int], Awaitable[float]]


@dataclass(slots=True)
class Contender:
    """Somebody who can do a piece of work.

    Attributes:
        name: as it stands in the table.
        work: so many jobs -> seconds.
        peer: None for emq and the floor.
    """

    name: str
    work: Seconds
    peer: Peer | None = None


@dataclass(slots=True)
class Result:
    """What came of a contender.

    Attributes:
        jobs: how many at once.
        rounds: seconds of each turn.
        absent: why there is no figure; empty when there is one.
    """

    contender: Contender
    jobs: int
    rounds: list[float] = field(default_factory=list)
    absent: str = ""

    @property
    def seconds(self) -> float:
        """The median turn."""
        return statistics.median(self.rounds)

    @property
    def rate(self) -> float:
        """Jobs a second in the median turn."""
        return self.jobs / self.seconds


@dataclass(frozen=True, slots=True)
class Everybody:
    """Everybody who takes part, with a process each, and why others do not."""

    conn: emq.Connector
    drivers: dict[str, tuple[Peer, Driver]]
    absent: dict[str, str]

    def contenders(self, verb: str) -> list[Contender]:
        """Those who may know how to do ``verb``: emq's own first."""

        def of(driver: Driver) -> Seconds:
            return lambda jobs: driver.seconds(verb, jobs)

        ours = _ours(Ours(self.conn))[verb]
        return ours + [Contender(peer.name, of(driver), peer) for peer, driver in self.drivers.values()]

    async def compare(self, verb: str, jobs: int, rounds: int) -> list[Result]:
        """Let everybody do ``verb`` in turn; the first turn warms up and shows who cannot."""
        results = [await self._warmed_up(each, jobs) for each in self.contenders(verb)]
        for _ in range(rounds):
            for result in results:
                if not result.absent:
                    await self._turn(result, result.jobs, result.rounds)
        return results

    async def _warmed_up(self, contender: Contender, jobs: int) -> Result:
        warm: list[float] = []
        result = Result(contender, jobs)
        await self._turn(result, min(_WARM_UP, jobs), warm)
        if warm and min(_WARM_UP, jobs) / warm[0] < SLOW and jobs > _WARM_UP:
            result.jobs = jobs // 5
        return result

    async def _turn(self, result: Result, jobs: int, seconds: list[float]) -> None:
        await self.conn.command("FLUSHALL")
        try:
            seconds.append(await result.contender.work(jobs))
        except (Missing, Broken) as error:
            result.absent = str(error)


def _ours(ours: Ours) -> dict[str, list[Contender]]:
    return {
        "enqueue": [
            Contender("the server's limit: bytes packed beforehand", ours.floor),
            Contender("emq `enqueue_many`", ours.enqueue),
            Contender("emq `enqueue_many`, item by item", lambda jobs: ours.enqueue(jobs, chunk=1)),
        ],
        "drain": [
            Contender("emq `Worker`, a handler for a batch", lambda jobs: ours.drain(jobs, batch=nothing)),
            Contender("emq `Worker`, a handler for each job", lambda jobs: ours.drain(jobs, each=nothing)),
        ],
        "extend": [Contender("emq `extend_locks`", ours.extend)],
    }


@contextlib.asynccontextmanager
async def gathered(conn: emq.Connector, url: str, peers: Sequence[Peer]) -> AsyncIterator[Everybody]:
    """Install the peers and start their drivers; whoever cannot be installed is left out, with the reason."""
    everybody = Everybody(conn, {}, {})
    async with contextlib.AsyncExitStack() as stack:
        for peer in peers:
            print(f"{peer.name} ...", flush=True)
            try:
                program = install(peer)
            except NotInstalled as error:
                everybody.absent[peer.name] = str(error)
                continue
            driver = Driver(program, url, HOME / f"{peer.pins}.log")
            everybody.drivers[peer.name] = peer, await stack.enter_async_context(driver)
        yield everybody
