"""The audit as an operator runs it: the database's promises, the queue's, and its word on who is paused."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import replace
from datetime import datetime

import emq
from codemojex import connections
from codemojex.guess_lanes import GuessLanes
from codemojex.play.audit import AuditReport, audit
from codemojex.reconciling import compare
from codemojex.settings import BadSettings, Settings
from codemojex.store.engine import Store

_ANSWER_S = 5.0


async def examine(store: Store, settings: Settings, now: datetime) -> AuditReport:
    """Audit the database, and hold the queue against it; it reads only.

    Guesses of paused players wait on purpose and break no promise. An embedded queue is asked, and started for it,
    only where the database alone breaks a promise. A queue that does not answer breaks none; the report says so.
    """
    began = time.monotonic()
    report = await _examined(store, settings, now)
    return replace(report, took_s=round(time.monotonic() - began, 3))


async def _examined(store: Store, settings: Settings, now: datetime) -> AuditReport:
    report = await store.read(lambda tx: audit(tx, now), long=True)
    if settings.redis_url is None and (report.holds or not (settings.home / "queue").exists()):
        return replace(report, unasked="it is embedded, and nothing speaks against it")
    try:
        return await _with_queue(store, settings, now, report)
    except (emq.EmqError, BadSettings) as error:
        return replace(report, unasked=str(error))
    except TimeoutError:
        return replace(report, unasked=f"no answer within {_ANSWER_S:g} s")


async def _with_queue(store: Store, settings: Settings, now: datetime, report: AuditReport) -> AuditReport:
    async with contextlib.AsyncExitStack() as stack:
        async with asyncio.timeout(_ANSWER_S):
            queue, _ = await stack.enter_async_context(connections.open_queue_server(settings))
            paused = await GuessLanes(queue, settings.guess_queue).paused()
        if paused and not report.holds:
            report = await store.read(lambda tx: audit(tx, now, paused), long=True)
        found = await compare(store, queue, (settings.guess_queue, settings.notify_queue), now, paused)
    counts = {**report.counts, **found.counts}
    return replace(report, counts=counts, violations=[*report.violations, *found.violations])
