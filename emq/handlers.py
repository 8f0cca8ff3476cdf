"""Running a handler, and turning whatever it does into one outcome for each of its jobs."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from .errors import MalformedArgument
from .lease import Lease
from .outcomes import DONE, Again, Dead, Later, Outcome, told


class HeldJob(NamedTuple):
    """A claimed job in the hands of a handler.

    Attributes:
        id: the JOB id.
        payload: the bytes it was enqueued with.
        token: the fencing token of this claim.
        attempt: which attempt this is, from 1; lapsed leases count, delays do not.
        group: the lane it belongs to, if any.
        max_attempts: the job is dead when it fails in this attempt.
        lease: asks whether the job is still ours: ``job.lease.held``, ``job.lease.check()``.
    """

    id: str
    payload: bytes
    token: int
    attempt: int
    group: str | None
    lease: Lease
    max_attempts: int


EachHandler: TypeAlias = Callable[[HeldJob], Awaitable[Outcome | None]]
BatchHandler: TypeAlias = Callable[[Sequence[HeldJob]], Awaitable[Mapping[str, Outcome] | None]]
Outcomes: TypeAlias = dict[str, Outcome]

log = logging.getLogger("emq.worker")


def each(handler: EachHandler) -> Callable[[Sequence[HeldJob]], Awaitable[Outcomes]]:
    """Run ``handler`` for one job: returning means done, raising means again or dead.

    Raises:
        MalformedArgument: it is a plain function.
    """
    _insist_on_async(handler, "each")

    async def run(jobs: Sequence[HeldJob]) -> Outcomes:
        (job,) = jobs
        try:
            answer = await handler(job)
            return {job.id: DONE if answer is None else _checked(answer, job.id)}
        except BaseException as error:
            return {job.id: _failure(error, jobs)}

    return run


def batch(handler: BatchHandler) -> Callable[[Sequence[HeldJob]], Awaitable[Outcomes]]:
    """Run ``handler`` for many jobs: what it does not name is done; raising is the outcome of all.

    Raises:
        MalformedArgument: it is a plain function.
    """
    _insist_on_async(handler, "batch")

    async def run(jobs: Sequence[HeldJob]) -> Outcomes:
        try:
            return _each_of(jobs, await handler(jobs))
        except BaseException as error:
            outcome = _failure(error, jobs)
            return {job.id: outcome for job in jobs}

    return run


def _each_of(jobs: Sequence[HeldJob], answer: object) -> Outcomes:
    if answer is None:
        return dict.fromkeys([job.id for job in jobs], DONE)
    if not isinstance(answer, Mapping):
        outcome = _garbage(
            f"the handler answered {answer!r:.80}; it must answer a mapping of id to outcome, or None"
        )
        return {job.id: outcome for job in jobs}
    given = {job.id for job in jobs}
    silence: Outcome = DONE
    if strangers := [id for id in answer if id not in given]:
        # One of them may be a job of these, misspelt: silence about a job no longer means that it is done.
        silence = _garbage(
            f"the handler answered for {len(strangers)} jobs that it was not given, such as {strangers[0]!r:.80}; "
            "those of which it said nothing are tried again. It must answer with the ids that it was given"
        )
    return {job.id: _checked(answer.get(job.id, silence), job.id) for job in jobs}


def _insist_on_async(handler: object, name: str) -> None:
    called = handler
    while isinstance(called, functools.partial):
        called = called.func
    calls_async = callable(called) and asyncio.iscoroutinefunction(type(called).__call__)
    if not calls_async and not asyncio.iscoroutinefunction(called):
        raise MalformedArgument(
            f"{name}={handler!r:.80} is no async function: begin it with `async def`, and call what blocks in it "
            "with `await asyncio.to_thread(...)`"
        )


def _failure(error: BaseException, jobs: Sequence[HeldJob]) -> Outcome:
    """The outcome of a handler that raised; what is not the handler's own doing goes on up."""
    if isinstance(error, Again | Later | Dead):
        return error
    if isinstance(error, KeyboardInterrupt):
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
    if isinstance(answer, Again | Later | Dead) or answer is DONE:
        return answer
    return _garbage(
        f"the handler answered {answer!r:.80} for {id}; an outcome is emq.DONE, emq.Again, emq.Later or emq.Dead"
    )


def _garbage(sentence: str) -> Again:
    log.error(sentence)
    return Again(error=sentence)
