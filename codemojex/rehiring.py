"""A worker of the queue as a part that may be started again: the queue's own runs once."""

from __future__ import annotations

from collections.abc import Callable

import emq


class Rehired:
    """Runs a worker of the queue; after a failure the next run is another one's.

    Args:
        hire: makes a worker that has not run yet.
    """

    def __init__(self, hire: Callable[[], emq.Worker]) -> None:
        self._hire = hire
        self.worker = hire()

    async def run(self) -> None:
        """Work until `stop`; an outage of the queue is waited out."""
        try:
            await self.worker.run()
        except Exception:
            self.worker = self._hire()
            raise

    def stop(self) -> None:
        """Claim no more; `run` returns when what is claimed is settled."""
        self.worker.stop()
