"""The audit as an operator runs it: the database's promises, and the queue's word on who is paused."""

from __future__ import annotations

import asyncio
from datetime import datetime

import emq
from codemojex import app
from codemojex.guess_lanes import GuessLanes
from codemojex.play.audit import NOT_SCORED, AuditReport, audit
from codemojex.settings import BadSettings, Settings
from codemojex.store.engine import Store

_ANSWER_S = 5.0


async def examine(store: Store, settings: Settings, now: datetime) -> AuditReport:
    """Audit the database; guesses of paused players wait on purpose and break no promise.

    The queue is asked who is paused only when guesses wait for long, and not to be asked counts as nobody.
    """
    report = await store.read(lambda tx: audit(tx, now), long=True)
    if any(bad.name == NOT_SCORED for bad in report.violations) and (paused := await _paused(settings)):
        return await store.read(lambda tx: audit(tx, now, paused), long=True)
    return report


async def _paused(settings: Settings) -> list[int]:
    if settings.redis_url is None and not (settings.home / "queue").exists():
        return []
    try:
        async with asyncio.timeout(_ANSWER_S), app.open_queue_server(settings) as (queue, _):
            return await GuessLanes(queue, settings.guess_queue).paused()
    except (emq.EmqError, BadSettings, TimeoutError):
        return []
