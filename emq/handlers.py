"""Running a handler, and turning whatever it does into one outcome for each of its jobs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .lease import Lease
from .outcomes import DONE, Again, Dead, Outcome, told


@dataclass(frozen=True, slots=True)
class HeldJob:
    """A claimed job in the hands of a handler.

    Attributes:
        id: the JOB id.
        payload: the bytes it was enqueued with.
        token: the fencing token of this claim.
        attempt: which attempt this is, from 1; lapsed leases count.
        group: the lane it belongs to, if any.
        lease: asks whether the job is still ours: ``job.lease.held``, ``job.lease.check()``.
    """

    id: str
    payload: bytes
    token: int
    attempt: int
    group: str | None
    lease: Lease


EachHandler: TypeAlias = Callable[[HeldJob], Awaitable[Outcome | None]]
BatchHandler: TypeAlias = Callable[[Sequence[HeldJob]], Awaitable[Mapping[str, Outcome] | None]]
Outcomes: TypeAlias = dict[str, Outcome]

log = logging.getLogger("emq.worker")


def each(handler: EachHandler) -> Callable[[Sequence[HeldJob]], Awaitable[Outcomes]]:
    """Run ``handler`` for one job: returning means done, raising means again or dead."""

    async def run(jobs: Sequence[HeldJob]) -> Outcomes:
        (job,) = jobs
        try:
            answer = await _awaited(handler(job))
        except BaseException as error:
            return {job.id: _failure(error, jobs)}
        return {job.id: DONE if answer is None else _checked(answer, job.id)}

    return run


def batch(handler: BatchHandler) -> Callable[[Sequence[HeldJob]], Awaitable[Outcomes]]:
    """Run ``handler`` for many jobs: what it does not name is done; raising is the outcome of all."""

    async def run(jobs: Sequence[HeldJob]) -> Outcomes:
        try:
            answer = await _awaited(handler(jobs))
        except BaseException as error:
            outcome = _failure(error, jobs)
            return {job.id: outcome for job in jobs}
        if answer is None:
            return {job.id: DONE for job in jobs}
        if not isinstance(answer, Mapping):
            outcome = _garbage(
                f"the handler answered {answer!r:.80}; it must answer a mapping of id to outcome, or None"
            )
            return {job.id: outcome for job in jobs}
        outcomes = {job.id: _checked(answer.get(job.id, DONE), job.id) for job in jobs}
        if strangers := [id for id in answer if id not in outcomes]:
            log.error(
                "the handler answered for %d jobs that it was not given, such as %.80r",
                len(strangers),
                strangers[0],
            )
        return outcomes

    return run


async def _awaited(work: object) -> object:
    if not isinstance(work, Awaitable):
        raise TypeError(f"a handler is an async function; this one returned {work!r:.80} at once")
    result: object = await work
    return result


def _failure(error: BaseException, jobs: Sequence[HeldJob]) -> Outcome:
    """The outcome of a handler that raised; what is not the handler's own doing goes on up."""
    if isinstance(error, Again | Dead):
        return error
    if isinstance(error, KeyboardInterrupt | GeneratorExit):
        raise error
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise error
    named = jobs[0].id if len(jobs) == 1 else f"{len(jobs)} jobs from {jobs[0].id} on"
    if not isinstance(error, Exception):
        log.error("the handler of %s raised %s, which does not end a worker", named, type(error).__name__)
    log.warning("the handler of %s failed", named, exc_info=error)
    return Again(error=told(error))


def _checked(answer: object, id: str) -> Outcome:
    if isinstance(answer, Again | Dead) or answer is DONE:
        return answer
    return _garbage(
        f"the handler answered {answer!r:.80} for {id}; an outcome is emq.DONE, emq.Again or emq.Dead"
    )


def _garbage(sentence: str) -> Again:
    log.error(sentence)
    return Again(error=sentence)
