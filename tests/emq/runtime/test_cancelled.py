"""A cancellation at any moment takes effect and leaves nothing open: each await is tried in turn."""

from __future__ import annotations

import asyncio
import gc

import emq
from emq.handlers import HeldJob
from emq.worker import Worker
from tests.emq.runtime.conftest import enqueued


async def cancel_after(steps: int, task: asyncio.Task[object]) -> object:
    """Let the loop turn ``steps`` times, cancel the task, and return what it returned, if it did."""
    for _ in range(steps):
        await asyncio.sleep(0)
    was_done = task.done()
    task.cancel()
    (result,) = await asyncio.gather(task, return_exceptions=True)
    assert was_done or isinstance(result, asyncio.CancelledError), (
        f"swallowed after {steps} turns: {result!r}"
    )
    return result


async def test_connecting_can_be_cancelled_at_any_moment(real_server_url: str) -> None:
    for steps in range(60):
        result = await cancel_after(steps, asyncio.create_task(emq.connect(real_server_url)))
        if isinstance(result, emq.Connector):
            await result.close()
    gc.collect()


async def test_a_command_that_opens_a_connection_can_be_cancelled_at_any_moment(
    real_server_url: str, queue: str
) -> None:
    for steps in range(60):
        async with await emq.connect(real_server_url + "&protocol=3") as conn:
            parked = asyncio.create_task(conn.block_pop(queue, 10))
            await asyncio.sleep(0)
            await cancel_after(steps, asyncio.create_task(conn.command("GET", queue)))
            # and the next reader gets its own reply
            assert await conn.command("ECHO", str(steps)) == str(steps).encode()
            parked.cancel()
            await asyncio.gather(parked, return_exceptions=True)
    gc.collect()


async def test_a_worker_can_be_cancelled_at_any_moment(real_server_url: str, queue: str) -> None:
    async def handle(job: HeldJob) -> None:
        await asyncio.sleep(0.001)

    async with await emq.connect(real_server_url) as conn:
        for steps in range(0, 100, 2):
            await enqueued(emq.Jobs(conn, queue), 2)
            run: asyncio.Task[object] = asyncio.create_task(Worker(conn, queue, each=handle).run())
            async with asyncio.timeout(60):
                await cancel_after(steps, run)
            assert asyncio.all_tasks() == {asyncio.current_task()}
    gc.collect()
