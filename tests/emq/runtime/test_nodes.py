"""Leased node ids: two processes never mint with the same one."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator

import pytest

import emq
from emq import nodes
from emq.nodes import NoNode, lease_node
from tests.emq.runtime.conftest import until
from tests.proxy import FaultProxy


@pytest.fixture
async def own(server_url: str) -> AsyncIterator[emq.Connector]:
    """A database of each kind of server in turn whose node ids are this test's alone."""
    async with await emq.connect(server_url.replace("db=0", "db=7")) as conn:
        yield conn
        await conn.pipeline([("DEL", f"{{emq}}:node:{number}") for number in range(1024)])


async def fill(conn: emq.Connector, free: int) -> None:
    """Lease every number but ``free`` numbers to somebody else."""
    await conn.pipeline([("SET", f"{{emq}}:node:{number}", "somebody else") for number in range(1024 - free)])


async def holder(conn: emq.Connector, number: int) -> bytes | None:
    value: bytes | None = await conn.command("GET", f"{{emq}}:node:{number}")
    return value


async def test_ids_carry_the_leased_number(own: emq.Connector) -> None:
    # given
    minter = emq.Minter(0)

    # when
    async with await lease_node(own, minter=minter) as node:
        # then
        assert emq.parse(minter.mint("JOB")).node == node.number
        assert await holder(own, node.number) is not None
        assert 3_500_000 < await own.command("PTTL", f"{{emq}}:node:{node.number}") <= 3_600_000


async def test_two_leases_never_share_a_number_even_when_almost_all_are_taken(own: emq.Connector) -> None:
    # given
    await fill(own, free=8)

    # when
    leased = await asyncio.gather(*(lease_node(own, minter=emq.Minter(0)) for _ in range(8)))

    # then
    assert sorted(node.number for node in leased) == list(range(1016, 1024))
    with pytest.raises(NoNode, match="all 1024 node ids are leased"):
        await lease_node(own, minter=emq.Minter(0))
    for node in leased:
        await node.release()


async def test_two_processes_never_share_a_number(redis7_url: str) -> None:
    # given
    program = (
        "import asyncio, sys, emq\n"
        "from emq.nodes import lease_node\n"
        "async def main():\n"
        "    async with await emq.connect(sys.argv[1]) as conn, await lease_node(conn) as node:\n"
        "        print(node.number, emq.parse(emq.mint('JOB')).node, flush=True)\n"
        "        sys.stdin.read()\n"
        "asyncio.run(main())\n"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, redis7_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]

    # when
    numbers = []
    for process in processes:
        assert process.stdout is not None
        numbers.append(process.stdout.readline().split())
    for process in processes:
        process.communicate("")

    # then
    assert all(leased == minted for leased, minted in numbers)
    assert len({leased for leased, _ in numbers}) == 3
    assert [process.returncode for process in processes] == [0, 0, 0]


async def test_a_released_number_rests_and_is_free_again(
    own: emq.Connector, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given: a rest that outlasts this test, however busy the machine
    monkeypatch.setattr(nodes, "REST_MS", 60_000)
    await fill(own, free=1)
    minter = emq.Minter(0)
    node = await lease_node(own, minter=minter)

    # when
    await node.release()
    await node.release()

    # then: nobody mints with it, not even its last owner, until its last ids are past
    with pytest.raises(emq.NodeLapsed):
        minter.mint("JOB")
    with pytest.raises(NoNode):
        await lease_node(own, minter=minter)
    key = f"{{emq}}:node:{node.number}"
    assert 0 < await own.command("PTTL", key) <= nodes.REST_MS
    await own.command("PEXPIRE", key, 1)
    await asyncio.sleep(0.01)
    async with await lease_node(own, minter=minter) as again:
        assert again.number == node.number
        minter.mint("JOB")


async def test_a_lease_is_renewed(own: emq.Connector) -> None:
    # given
    async with await lease_node(own, ttl_s=3, minter=emq.Minter(0)) as node:
        first = node.number

        # when
        await asyncio.sleep(4)

        # then
        assert node.number == first
        assert await holder(own, first) is not None


async def test_a_number_that_another_took_is_swapped_at_once(own: emq.Connector) -> None:
    # given
    minter = emq.Minter(0)
    async with await lease_node(own, ttl_s=3, minter=minter) as node:
        lost = node.number

        # when
        await own.command("SET", f"{{emq}}:node:{lost}", "somebody else")
        await until(lambda: node.number != lost)

        # then
        assert emq.parse(minter.mint("JOB")).node == node.number
        assert await holder(own, lost) == b"somebody else"
    assert await holder(own, lost) == b"somebody else"


async def test_a_server_that_forgot_is_told_again(own: emq.Connector) -> None:
    # given
    async with await lease_node(own, ttl_s=3, minter=emq.Minter(0)) as node:
        # when
        await own.command("DEL", f"{{emq}}:node:{node.number}")

        # then
        async with asyncio.timeout(60):
            while await holder(own, node.number) is None:
                await asyncio.sleep(0.02)


async def test_out_of_reach_for_too_long_minting_stops_and_goes_on_when_it_is_back(proxy: FaultProxy) -> None:
    # given
    minter = emq.Minter(0)
    async with await emq.connect(proxy.url) as conn, await lease_node(conn, ttl_s=4, minter=minter):
        begun = time.monotonic()

        # when
        await proxy.stop()
        while time.monotonic() - begun < 0.5:
            minter.mint("JOB")
            await asyncio.sleep(0.02)
        await until(lambda: not _mints(minter))

        # then
        with pytest.raises(emq.NodeLapsed):
            minter.mint("JOB")
        await proxy.start()
        await until(lambda: _mints(minter))


def _mints(minter: emq.Minter) -> bool:
    try:
        minter.mint("JOB")
    except emq.NodeLapsed:
        return False
    return True


async def test_release_does_not_fail_when_the_server_is_gone(proxy: FaultProxy) -> None:
    # given
    async with await emq.connect(proxy.url) as conn:
        node = await lease_node(conn, minter=emq.Minter(0))
        await proxy.stop()

        # when
        await node.release()

    # then
    assert node.number >= 0


async def test_release_does_not_wait_for_a_server_that_says_nothing(proxy: FaultProxy) -> None:
    # given
    async with await emq.connect(proxy.url) as conn:
        minter = emq.Minter(0)
        node = await lease_node(conn, minter=minter)
        proxy.half_open()

        # when, then it is over before the connection has given the server up, which takes 5 s
        await asyncio.wait_for(node.release(), 4)
        with pytest.raises(emq.NodeLapsed):
            minter.mint("JOB")


async def test_a_life_of_nothing_is_refused(own: emq.Connector) -> None:
    with pytest.raises(ValueError, match="more than 0"):
        await lease_node(own, ttl_s=0)
