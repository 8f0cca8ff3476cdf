"""Sent or not sent: a broken line never leaves the caller guessing which of the two it was."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

import emq
from tests.emq.core.makers import pairs
from tests.proxy import FaultProxy
from tests.servers import Kind, ServerProcess


@pytest.fixture
async def proxy(server_url: str) -> AsyncIterator[FaultProxy]:
    async with FaultProxy(server_url) as proxy:
        yield proxy


@pytest.fixture
async def through(proxy: FaultProxy) -> AsyncIterator[emq.Connector]:
    """A connector through the proxy, with one warm connection and loaded scripts."""
    async with await emq.connect(proxy.url) as conn:
        await emq.Jobs(conn, "warm").enqueue(emq.mint("JOB"), b"")
        yield conn


async def test_a_cut_before_anything_was_applied_is_uncertain_with_nothing_known(
    proxy: FaultProxy, through: emq.Connector, queue: str
) -> None:
    jobs, burst = emq.Jobs(through, queue), pairs(20)

    proxy.cut_before_first_byte()
    with pytest.raises(emq.Uncertain, match="again with the same ids") as uncertain:
        await jobs.enqueue_many(burst)

    assert uncertain.value.verdicts == [None] * 20
    assert await jobs.pending_size() == 0
    assert await jobs.enqueue_many(burst) == [emq.ENQUEUED] * 20


async def test_a_cut_after_k_of_n_keeps_the_verdicts_that_were_read_and_a_second_burst_converges(
    proxy: FaultProxy, through: emq.Connector, queue: str
) -> None:
    # given a burst with one item that never travels
    jobs, burst = emq.Jobs(through, queue, chunk=1), pairs(20)
    burst.insert(2, ("nonsense", b""))

    # when the line is cut once seven of its twenty commands were applied and answered
    proxy.cut_after_commands(7, deliver=True)
    with pytest.raises(emq.Uncertain) as uncertain:
        await jobs.enqueue_many(burst)

    # then what was read is known, and the rest is not
    known = [str(verdict) for verdict in uncertain.value.verdicts if verdict is not None]
    assert len(uncertain.value.verdicts) == 21
    assert known == ["enqueued", "enqueued", "refused:kind", *["enqueued"] * (len(known) - 3)]
    assert uncertain.value.verdicts[len(known) :] == [None] * (21 - len(known))
    landed = await jobs.pending_size()
    assert len(known) - 1 <= landed == 7

    # and the same burst again lands the others
    again = [str(verdict) for verdict in await jobs.enqueue_many(burst)]
    assert again.count("duplicate") == landed
    assert again.count("enqueued") == 20 - landed
    assert await jobs.pending_size() == 20


async def test_a_cut_after_all_was_applied_and_no_reply_read_converges_to_duplicates(
    proxy: FaultProxy, through: emq.Connector, queue: str
) -> None:
    jobs, burst = emq.Jobs(through, queue), pairs(20)

    proxy.swallow_replies()
    with pytest.raises(emq.Uncertain) as uncertain:
        await jobs.enqueue_many(burst)
    proxy.heal()

    assert uncertain.value.verdicts == [None] * 20
    assert await jobs.enqueue_many(burst) == [emq.DUPLICATE] * 20


async def test_lost_settlements_are_known_as_far_as_they_were_read(
    proxy: FaultProxy, through: emq.Connector, queue: str
) -> None:
    jobs = emq.Jobs(through, queue, chunk=1)
    await jobs.enqueue_many(pairs(10))
    held = [(claim.id, claim.token) for claim in await jobs.claim_batch(10)]
    await jobs.complete_many(held[:1])

    proxy.cut_after_commands(4, deliver=True)
    with pytest.raises(emq.Uncertain) as uncertain:
        await jobs.complete_many(held)

    settled = [str(one) for one in uncertain.value.verdicts if one is not None]
    assert settled == ["gone", "completed", "completed", "completed"][: len(settled)]
    assert [str(one) for one in await jobs.complete_many(held)] == ["gone"] * 4 + ["completed"] * 6


async def test_a_lost_claim_is_not_repeated_and_its_jobs_return_when_the_lease_lapses(
    proxy: FaultProxy, through: emq.Connector, queue: str
) -> None:
    jobs = emq.Jobs(through, queue)
    await jobs.enqueue_many(pairs(3))
    assert len(await jobs.claim_batch(1)) == 1

    proxy.swallow_replies()
    with pytest.raises(emq.Uncertain, match="return when their lease lapses"):
        await jobs.claim_batch(2, lease_ms=1)
    proxy.heal()

    assert await jobs.counts() == emq.Counts(0, 3, 0, 0)
    while await jobs.reap() < 1:
        await asyncio.sleep(0.002)
    assert len(await jobs.claim_batch(5)) >= 1


async def test_a_server_that_cannot_be_reached_is_not_sent(
    proxy: FaultProxy, through: emq.Connector, queue: str
) -> None:
    # given a proxy that was stopped, so that the warm connection is dead and no other can be made
    jobs, burst = emq.Jobs(through, queue), pairs(5)
    await proxy.stop()

    # when a burst is sent
    for _ in range(3):
        with pytest.raises(emq.NotSent, match="Nothing was sent"):
            await jobs.enqueue_many(burst)


async def test_a_connection_that_died_while_idle_is_replaced_without_a_word(
    own_server: ServerProcess, queue: str
) -> None:
    async with await emq.connect(own_server.url) as conn:
        jobs = emq.Jobs(conn, queue)
        if own_server.kind is Kind.FAKEREDIS:
            pytest.skip("fakeredis' server takes another port when it starts again")
        for _ in range(3):
            own_server.restart()
            assert await jobs.enqueue(emq.mint("JOB"), b"") is emq.ENQUEUED


async def test_a_silent_server_is_uncertain_after_the_timeout_and_the_connection_is_dropped(
    own_real_server: ServerProcess, queue: str
) -> None:
    async with await emq.connect(own_real_server.url + "&socket_timeout=2") as conn:
        jobs, burst = emq.Jobs(conn, queue), pairs(5)
        await jobs.enqueue_many(burst[:2])

        own_real_server.pause()
        with pytest.raises(emq.Uncertain, match=r"no reply within 2 s") as uncertain:
            await jobs.enqueue_many(burst)
        own_real_server.resume()

        assert uncertain.value.verdicts == [None] * 5
        assert await jobs.enqueue_many(burst) == [emq.DUPLICATE] * 5


async def test_a_server_that_accepts_and_never_answers_is_not_sent(
    own_real_server: ServerProcess, queue: str
) -> None:
    url = own_real_server.url + "&socket_timeout=0.2&socket_connect_timeout=0.2&protocol=2"
    own_real_server.pause()
    try:
        with pytest.raises(emq.NotSent):
            await emq.connect(url)
    finally:
        own_real_server.resume()


async def test_a_cancelled_call_drops_its_connection_and_the_next_reads_its_own_reply(
    own_real_server: ServerProcess, queue: str
) -> None:
    async with await emq.connect(own_real_server.url) as conn:
        await conn.command("SET", "t:one", "1")
        own_real_server.pause()
        call = asyncio.create_task(conn.command("GET", "t:one"))
        await asyncio.sleep(0.05)

        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        own_real_server.resume()

        assert await conn.command("ECHO", "mine") == b"mine"


async def test_many_cancelled_calls_leave_no_connection_with_a_foreign_reply(
    conn: emq.Connector, queue: str
) -> None:
    jobs = emq.Jobs(conn, queue)
    for turn in range(60):
        call = asyncio.create_task(jobs.enqueue_many(pairs(50)))
        await asyncio.sleep(0.0001 * (turn % 20))
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        assert await conn.command("ECHO", str(turn)) == str(turn).encode()


async def test_a_server_that_speaks_something_else_is_told_apart(queue: str) -> None:
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(speak, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        with pytest.raises(emq.Unreachable, match="not RESP"):
            await emq.connect(f"redis://127.0.0.1:{port}?protocol=2")
