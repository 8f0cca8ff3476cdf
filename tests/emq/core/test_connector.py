"""The connector: waiting, taking turns, closing, and living on any loop and thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import uvloop

import emq
from emq.scripts import script
from emq.wire import Wire
from tests.emq.core.makers import live_through, pairs


async def test_a_blocked_pop_gets_what_is_pushed_and_outlasts_the_socket_timeout(
    server_url: str, queue: str
) -> None:
    keys = emq.Keyspace(queue)
    async with await emq.connect(server_url + "&socket_timeout=2") as conn:
        waiting = asyncio.create_task(conn.block_pop(keys.wake, 60.0))
        await asyncio.sleep(2.5)
        assert not waiting.done()

        await emq.Jobs(conn, queue).enqueue(emq.mint("JOB"), b"")

        assert await asyncio.wait_for(waiting, 60) == b"1"


async def test_a_blocked_pop_ends_with_none_when_nothing_comes(conn: emq.Connector, queue: str) -> None:
    assert await conn.block_pop(emq.Keyspace(queue).wake, 0.05) is None
    assert await conn.block_pop(emq.Keyspace(queue).wake, 0) is None


async def test_a_cancelled_pop_takes_nothing_from_those_who_still_wait(
    real_server_url: str, queue: str
) -> None:
    # given two waiters, the first of them cancelled
    keys = emq.Keyspace(queue)
    async with await emq.connect(real_server_url) as conn:
        first = asyncio.create_task(conn.block_pop(keys.wake, 60.0))
        while not await _blocked(conn, 1):
            await asyncio.sleep(0.005)
        second = asyncio.create_task(conn.block_pop(keys.wake, 60.0))
        while not await _blocked(conn, 2):
            await asyncio.sleep(0.005)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        while not await _blocked(conn, 1):
            await asyncio.sleep(0.005)

        # when a token comes, the second gets it
        await conn.command("LPUSH", keys.wake, "1")
        assert await asyncio.wait_for(second, 60) == b"1"


async def _blocked(conn: emq.Connector, count: int) -> bool:
    info = (await conn.command("INFO", "clients")).decode()
    return f"blocked_clients:{count}" in info


async def test_forty_blocked_pops_do_not_stop_other_calls(conn: emq.Connector, queue: str) -> None:
    keys = emq.Keyspace(queue)
    waiting = [asyncio.create_task(conn.block_pop(keys.wake, 60.0)) for _ in range(40)]

    assert await emq.Jobs(conn, queue).enqueue(emq.mint("JOB"), b"") is emq.ENQUEUED

    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_more_calls_than_connections_wait_their_turn(server_url: str, queue: str) -> None:
    async with await emq.connect(server_url + "&max_connections=2") as conn:
        jobs = emq.Jobs(conn, queue)
        bursts = [pairs(5) for _ in range(50)]

        verdicts = await asyncio.gather(*(jobs.enqueue_many(burst) for burst in bursts))

        assert verdicts == [[emq.ENQUEUED] * 5] * 50


async def test_a_closed_connector_sends_nothing(conn: emq.Connector, queue: str) -> None:
    await conn.close()
    await conn.close()

    with pytest.raises(emq.Closed):
        await emq.Jobs(conn, queue).enqueue(emq.mint("JOB"), b"")
    with pytest.raises(emq.NotSent):
        await conn.block_pop("x", 1)


async def test_closing_ends_calls_in_flight_as_uncertain(
    conn: emq.Connector, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, write = asyncio.Event(), Wire._write

    def watched(wire: Wire) -> None:
        write(wire)
        written.set()

    monkeypatch.setattr(Wire, "_write", watched)
    waiting = asyncio.create_task(conn.block_pop(emq.Keyspace(queue).wake, 60.0))
    await asyncio.wait_for(written.wait(), 60)

    await conn.close()

    with pytest.raises(emq.Uncertain):
        await asyncio.wait_for(waiting, 60)


def _asyncio_run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


def _uvloop_run(work: Coroutine[Any, Any, None]) -> None:
    uvloop.run(work)


@pytest.mark.parametrize("run", [_asyncio_run, _uvloop_run], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize("protocol", [2, 3])
def test_every_verb_works_on_either_loop_and_either_protocol(
    server_url: str, queue: str, run: Callable[[Coroutine[Any, Any, None]], None], protocol: int
) -> None:
    run(live_through(f"{server_url}&protocol={protocol}", queue))


def test_connectors_on_threads_of_their_own_do_not_meet(server_url: str, queue: str) -> None:
    # given six threads, each with a loop and a connector of its own
    outcomes: list[object] = []

    async def work(number: int) -> None:
        async with await emq.connect(server_url) as conn:
            jobs = emq.Jobs(conn, f"{queue}.{number}")
            burst = pairs(200)
            for _ in range(3):
                outcomes.append((await jobs.enqueue_many(burst)).count(emq.ENQUEUED))
            assert [claim.id for claim in await jobs.claim_batch(200)] == [id for id, _ in burst]

    runs = [(uvloop.run if number % 2 else asyncio.run, number) for number in range(6)]
    threads = [threading.Thread(target=lambda run=run, n=n: run(work(n))) for run, n in runs]

    # when all work at once
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    # then each saw its own replies only
    assert sorted(outcomes, key=str) == [0] * 12 + [200] * 6


async def test_native_commands_are_refused_with_the_alternative(server_url: str) -> None:
    with pytest.raises(emq.EmqError, match="wire=4"):
        await emq.connect(server_url, wire=6)
    with pytest.raises(emq.EmqError, match="'auto'"):
        await emq.connect(server_url, wire=5)  # type: ignore[arg-type]
    async with await emq.connect(server_url, wire=4) as conn:
        assert conn.url == server_url


async def test_importing_and_building_opens_nothing(conn: emq.Connector) -> None:
    await conn.close()

    emq.Jobs(conn, "cm"), emq.Admin(conn, "cm"), script("enqueue")
