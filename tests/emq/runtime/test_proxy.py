"""The fault proxy cuts where it says: the other tests' verdicts stand on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.proxy import FaultProxy
from tests.resp import packed

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture
async def proxy(redis7_url: str) -> AsyncIterator[FaultProxy]:
    async with FaultProxy(redis7_url) as proxy:
        yield proxy


async def dial(proxy: FaultProxy) -> Stream:
    return await asyncio.open_connection("127.0.0.1", int(proxy.url.split(":")[2].split("?")[0]))


async def everything(stream: Stream) -> bytes:
    """What the peer sends until it ends, whichever way it ends."""
    got = b""
    try:
        while data := await stream[0].read(65536):
            got += data
    except ConnectionResetError:
        pass
    finally:
        stream[1].close()
    return got


async def asked(stream: Stream, *words: str) -> bytes:
    stream[1].write(packed(*words))
    return await stream[0].read(100)


async def counter(proxy: FaultProxy, key: str) -> bytes:
    stream = await dial(proxy)
    value = await asked(stream, "GET", key)
    stream[1].close()
    return value


@pytest.mark.parametrize("k", [0, 1, 4, 5])
@pytest.mark.parametrize("deliver", [False, True])
async def test_the_server_applies_exactly_k_of_five_requests_before_a_cut(
    proxy: FaultProxy, queue: str, k: int, deliver: bool
) -> None:
    # given
    stream = await dial(proxy)
    proxy.cut_after_commands(k, deliver=deliver)

    # when
    stream[1].write(packed("INCR", queue) * 5)
    got = await everything(stream)

    # then
    assert await counter(proxy, queue) == (b"$1\r\n%d\r\n" % k if k else b"$-1\r\n")
    assert got == (b"".join(b":%d\r\n" % n for n in range(1, k + 1)) if deliver else b"")
    assert proxy.counts.cuts == 1


async def test_swallowed_replies_mean_all_applied_and_none_read(proxy: FaultProxy, queue: str) -> None:
    # given
    stream = await dial(proxy)
    proxy.swallow_replies()

    # when
    stream[1].write(packed("INCR", queue) * 300)
    got = await everything(stream)

    # then
    assert got == b""
    assert await counter(proxy, queue) == b"$3\r\n300\r\n"


async def test_a_cut_after_bytes_leaves_half_a_request(proxy: FaultProxy, queue: str) -> None:
    # given
    stream = await dial(proxy)
    request = packed("INCR", queue)
    proxy.cut_after_bytes(len(request) + 5)

    # when
    stream[1].write(request * 3)
    await everything(stream)

    # then
    assert await counter(proxy, queue) == b"$1\r\n1\r\n"


async def test_half_open_is_silence_until_healed(proxy: FaultProxy, queue: str) -> None:
    # given
    stream = await dial(proxy)
    proxy.half_open()

    # when
    stream[1].write(packed("INCR", queue))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(stream[0].read(1), 0.1)
    proxy.heal()

    # then
    assert await everything(stream) == b""
    assert await counter(proxy, queue) == b"$-1\r\n"


async def test_frozen_connections_stay_silent_and_new_ones_are_well(proxy: FaultProxy, queue: str) -> None:
    # given
    stream = await dial(proxy)
    assert await asked(stream, "INCR", queue) == b":1\r\n"

    # when
    proxy.freeze()
    proxy.heal()
    stream[1].write(packed("INCR", queue))

    # then
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(stream[0].read(1), 0.1)
    assert await counter(proxy, queue) == b"$1\r\n1\r\n"
    stream[1].close()


async def test_a_connection_that_lost_a_reply_is_cut_by_healing(proxy: FaultProxy, queue: str) -> None:
    """Its client would else wait for that reply for ever, long after the fault."""
    # given: a request that is applied, and a second one that never comes
    stream = await dial(proxy)
    proxy.cut_after_commands(2)
    stream[1].write(packed("INCR", queue))
    while proxy.counts.commands < 1:
        await asyncio.sleep(0.001)

    # when
    proxy.heal()

    # then
    assert await asyncio.wait_for(everything(stream), 60) == b""


async def test_a_cut_that_comes_late_disarms_nothing_that_was_armed_meanwhile(proxy: FaultProxy) -> None:
    # given
    proxy.cut_after_bytes(1)
    late = proxy.faults

    # when
    proxy.half_open()
    proxy.struck(late)

    # then
    assert proxy.faults.half_open


async def test_a_stopped_proxy_refuses_and_comes_back_at_the_same_address(
    proxy: FaultProxy, queue: str
) -> None:
    # given
    address = proxy.url
    await proxy.stop()

    # when
    with pytest.raises(ConnectionRefusedError):
        await dial(proxy)
    await proxy.start()

    # then
    assert proxy.url == address
    assert await counter(proxy, queue) == b"$-1\r\n"


async def test_replies_are_held_back_for_the_delay(proxy: FaultProxy, queue: str) -> None:
    # given
    stream = await dial(proxy)
    proxy.delay(0.2)
    loop = asyncio.get_running_loop()
    begun = loop.time()

    # when
    reply = await asked(stream, "PING")

    # then
    stream[1].close()
    assert reply == b"+PONG\r\n"
    assert loop.time() - begun >= 0.2


async def test_a_fault_can_wait_for_the_requests_that_contain_a_word(proxy: FaultProxy, queue: str) -> None:
    # given
    first, second = await dial(proxy), await dial(proxy)
    proxy.cut_after_commands(1, match="INCR")

    # when
    untouched = await asked(first, "PING")
    second[1].write(packed("INCR", queue))
    got = await everything(second)

    # then
    still_untouched = await asked(first, "PING")
    first[1].close()
    assert (untouched, still_untouched, got) == (b"+PONG\r\n", b"+PONG\r\n", b"")
    assert await counter(proxy, queue) == b"$1\r\n1\r\n"
