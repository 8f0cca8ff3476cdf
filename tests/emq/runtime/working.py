"""Running workers in tests, in this process and in others."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Any

from emq.worker import Worker


@contextlib.asynccontextmanager
async def running(worker: Worker) -> AsyncIterator[Worker]:
    """The worker runs inside the block and is stopped after it; what it raises is raised here."""
    run = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        worker.stop()
        await asyncio.wait_for(run, 60)


class WorkerProcess:
    """A worker in a process of its own, for tests that kill it; it writes what it is given to a file.

    As a module it is that process. ``seconds`` is how long its handler takes over each batch; it does not
    touch its jobs before that is over.
    """

    def __init__(self, url: str, queue: str, notes: Path, **how: Any) -> None:
        self.notes = notes
        notes.touch()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.emq.runtime.working", url, queue, str(notes), json.dumps(how)]
        )

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.signal(9)
        self._process.wait(60)

    def signal(self, number: int) -> None:
        if self._process.poll() is None:
            os.kill(self._process.pid, number)

    def pause(self) -> None:
        """Stop it where it is. Returns when every thread stands."""
        self.signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self._process.pid, os.WSTOPPED)

    @property
    def given(self) -> list[str]:
        """The ids that its handler was given so far, in order, repeats kept."""
        return self.notes.read_text().split()


async def _work(url: str, queue: str, notes: Path, how: dict[str, Any]) -> None:
    import emq
    from emq.handlers import HeldJob
    from emq.options import WorkerOptions

    seconds = how.pop("seconds", 0.0)

    async def batch(jobs: Any) -> None:
        given: list[HeldJob] = list(jobs)
        with notes.open("a") as file:
            file.write("".join(f"{job.id}\n" for job in given))
        await asyncio.sleep(seconds)

    async with await emq.connect(url) as conn:
        await Worker(conn, queue, batch=batch, options=WorkerOptions(**how)).run()


if __name__ == "__main__":
    asyncio.run(_work(sys.argv[1], sys.argv[2], Path(sys.argv[3]), json.loads(sys.argv[4])))
