"""The listening half of the wake-up: claimed notice jobs become woken chats."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import emq
from codemojex.rehiring import Rehired

_BATCH = 200


class NoticeIntake:
    """Claims notice jobs and wakes their chats.

    A job is completed as soon as its chat is woken: the notice itself lies in the database, where the
    notifier finds it after a crash.
    """

    def __init__(self, conn: emq.Connector, queue: str, wake: Callable[[Sequence[int]], None]) -> None:
        self._wake = wake
        options = emq.WorkerOptions(batch=_BATCH)
        self._hired = Rehired(partial(emq.Worker, conn, queue, batch=self._take, options=options))

    @property
    def worker(self) -> emq.Worker:
        """The queue worker underneath, for its counters."""
        return self._hired.worker

    async def run(self) -> None:
        """Listen until `stop`; an outage of the queue is waited out."""
        await self._hired.run()

    def stop(self) -> None:
        """Claim no more; `run` returns when what is claimed is settled."""
        self._hired.stop()

    async def _take(self, jobs: Sequence[emq.HeldJob]) -> Mapping[str, emq.Outcome]:
        chats = {job.id: chat_of(job.payload) for job in jobs}
        self._wake([chat_id for chat_id in chats.values() if chat_id is not None])
        return {id: emq.Dead("not a notice job") for id, chat_id in chats.items() if chat_id is None}


def chat_of(payload: bytes) -> int | None:
    """The chat a notice job names, None for anything else."""
    try:
        job = json.loads(payload)
    except ValueError:
        return None
    chat_id = job.get("chat") if isinstance(job, dict) else None
    return chat_id if isinstance(chat_id, int) and not isinstance(chat_id, bool) else None
