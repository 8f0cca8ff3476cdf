"""Telling the queue how jobs ended, many at a time, and again until it has said what became of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from .errors import Closed, EmqError, Gone, NotSent, ServerRefused, Stale, Uncertain
from .handlers import HeldJob
from .lease import Lease
from .moving import Moving
from .outage import Outage
from .outcomes import DONE, Again, Dead, Later, Outcome, kept
from .telling import Teller
from .verdicts import Refused, Settlement

RETRIES_AT_ONCE = 8

log = logging.getLogger("emq.worker")

Answer: TypeAlias = Settlement | Refused | Literal["scheduled", "delayed", "dead"] | Exception


class Ending(NamedTuple):
    """How one claimed job is to be settled.

    Attributes:
        delay_ms: for ``Again``: milliseconds until the next attempt.
        max_attempts: for ``Again``: the attempt after which the job is dead.
        lease: kept until the server has said what became of the job.
        doubtful: it was sent before and the answer was lost, so it may be settled already.
    """

    id: str
    token: int
    outcome: Outcome
    delay_ms: int = 0
    max_attempts: int = 1
    lease: Lease | None = None
    doubtful: bool = False


@dataclass(slots=True)
class Settled:
    """How many jobs ended in which way."""

    completed: int = 0
    retried: int = 0
    delayed: int = 0
    dead: int = 0
    gone: int = 0
    stale: int = 0
    refused: int = 0


class Settler:
    """Settles what is given to it, one flush at a time; what gathers meanwhile goes in the next.

    An ending whose answer was lost, or that could not be sent, is sent again until the answer is there. A job
    that turns out to be settled or somebody else's is let go.

    Args:
        jobs: the queue.
        outage: what to do about interruptions.
        pause: wait for some seconds; returns early when the worker is in a hurry.
        settled: called after each flush, with the leases of the jobs of which the server said what became of them.
        teller: tells of each settlement.
    """

    def __init__(
        self,
        jobs: Moving,
        outage: Outage,
        pause: Callable[[float], Awaitable[None]],
        settled: Callable[[Sequence[Lease]], None],
        teller: Teller,
    ) -> None:
        self._jobs = jobs
        self._outage = outage
        self._pause = pause
        self._settled = settled
        self._teller = teller
        self._waiting: list[Ending] = []
        self._in_flight: list[Ending] = []
        self._done: list[HeldJob] = []
        self._done_in_flight: list[HeldJob] = []
        self._given = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self.counts = Settled()

    def __len__(self) -> int:
        """How many endings are not settled yet."""
        return len(self._waiting) + len(self._in_flight) + len(self._done) + len(self._done_in_flight)

    def give(self, endings: Sequence[Ending]) -> None:
        """Settle these jobs soon."""
        self._waiting += endings
        self._begin()

    def give_done(self, jobs: Sequence[HeldJob]) -> None:
        """Settle these jobs soon as done, which nearly all are: no ending is made for each."""
        self._done += jobs
        self._begin()

    async def empty(self) -> None:
        """Wait until everything given is settled."""
        await self._empty.wait()

    async def run(self) -> None:
        """Settle until cancelled."""
        while True:
            await self._given.wait()
            self._given.clear()
            self._in_flight, self._waiting = self._waiting, []
            self._done_in_flight, self._done = self._done, []
            again, delay_s = await self._flush(self._done_in_flight, self._in_flight)
            self._in_flight, self._waiting = [], again + self._waiting
            self._done_in_flight = []
            if again:
                self._given.set()
                await self._pause(delay_s)
            elif not self._waiting and not self._done:
                self._empty.set()

    def _begin(self) -> None:
        self._given.set()
        self._empty.clear()

    async def _flush(self, jobs: Sequence[HeldJob], endings: Sequence[Ending]) -> tuple[list[Ending], float]:
        """Send them all; return those to send again, and how long to wait before that."""
        done = [ending for ending in endings if ending.outcome is DONE]
        rest = [ending for ending in endings if ending.outcome is not DONE]
        answers = await self._complete(
            [*((job.id, job.token) for job in jobs), *((ending.id, ending.token) for ending in done)]
        )
        if not endings and answers.count(Settlement.COMPLETED) == len(jobs):
            return self._all_completed(jobs)
        done = [*(Ending(job.id, job.token, DONE, lease=job.lease) for job in jobs), *done]
        answers = [*answers, *await self._retry(rest)]
        trouble: Exception | None = None
        again: list[Ending] = []
        leases: list[Lease] = []
        for ending, answer in zip([*done, *rest], answers, strict=True):
            reason = self._count(ending, answer)
            if reason is not None:
                trouble = trouble or reason
                doubtful = ending.doubtful or isinstance(reason, Uncertain)
                again.append(ending._replace(doubtful=doubtful))
                continue
            if ending.lease is not None:
                leases.append(ending.lease)
            self._tell(ending, answer)
        self._settled(leases)
        if trouble is None:
            self._outage.succeeded("settling")
            return [], 0.0
        return again, self._outage.failed("settling", trouble)

    def _all_completed(self, jobs: Sequence[HeldJob]) -> tuple[list[Ending], float]:
        """What :meth:`_flush` comes to nearly always, for all at once."""
        self.counts.completed += len(jobs)
        self._teller.give_many("completed", [job.id for job in jobs])
        self._settled([job.lease for job in jobs])
        self._outage.succeeded("settling")
        return [], 0.0

    async def _complete(self, pairs: Sequence[tuple[str, int]]) -> list[Answer]:
        if not pairs:
            return []
        try:
            return list(await self._jobs.complete_many(pairs))
        except Uncertain as error:
            return [error if verdict is None else verdict for verdict in error.verdicts]
        except Exception as error:
            return [error] * len(pairs)

    async def _retry(self, endings: Sequence[Ending]) -> list[Answer]:
        """One call for each, some at a time: failures are not the rule."""
        turn = asyncio.Semaphore(RETRIES_AT_ONCE)

        async def one(ending: Ending) -> Answer:
            async with turn:
                try:
                    return await self._retry_one(ending)
                except Gone:
                    return Settlement.GONE
                except Stale:
                    return Settlement.STALE
                except NotSent as error:  # before ServerRefused: a refused handshake is both
                    return error
                except ServerRefused as error:
                    return Refused(error.code, error.message)
                except Exception as error:
                    return error

        return list(await asyncio.gather(*map(one, endings)))

    async def _retry_one(self, ending: Ending) -> Answer:
        outcome, id, token = ending.outcome, ending.id, ending.token
        if isinstance(outcome, Later):
            await self._jobs.delay(id, token, delay_ms=outcome.delay_ms)
            return "delayed"
        # With 1, any attempt is the last.
        most = ending.max_attempts if isinstance(outcome, Again) else 1
        error = kept(outcome.error) if isinstance(outcome, Again | Dead) else ""
        return await self._jobs.retry(id, token, delay_ms=ending.delay_ms, max_attempts=most, error=error)

    def _tell(self, ending: Ending, answer: Answer) -> None:
        if answer is Settlement.COMPLETED:
            self._teller.give("completed", ending.id)
        elif answer in ("scheduled", "dead") and isinstance(ending.outcome, Again | Dead):
            self._teller.give("failed", ending.id, outcome=str(answer), error=kept(ending.outcome.error))
        elif answer == "delayed" and isinstance(ending.outcome, Later):
            self._teller.give("delayed", ending.id, delay_ms=str(ending.outcome.delay_ms))

    def _count(self, ending: Ending, answer: Answer) -> Exception | None:
        """Note what became of one job, or return why it must be settled again."""
        counts = self.counts
        if answer is Settlement.COMPLETED:
            counts.completed += 1
            return None
        if isinstance(answer, Closed):
            raise answer  # nothing will ever be settled again
        if isinstance(answer, Refused) and answer.transient:
            return ServerRefused(answer.code, answer.message)
        if isinstance(answer, EmqError | OSError) and not isinstance(answer, ValueError):
            return answer
        if answer is Settlement.GONE and ending.doubtful:
            counts.completed += 1
        elif answer == "scheduled" or (answer is Settlement.STALE and ending.doubtful):
            counts.retried += 1
        elif answer == "delayed":
            counts.delayed += 1
        elif answer == "dead":
            counts.dead += 1
        elif answer is Settlement.GONE:
            counts.gone += 1
        elif answer is Settlement.STALE:
            counts.stale += 1
        else:
            counts.refused += 1
            log.error(
                "%s cannot be settled, its lease will lapse: %s %s",
                ending.id,
                answer,
                getattr(answer, "message", ""),
            )
        return None
