"""A node id that is only lent: nobody mints with it who knows, or could know, that it is not his any more."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time

import pytest

import emq
from emq.nodes import lease_node
from tests.servers import ServerProcess


async def test_a_number_known_to_be_another_processs_is_not_minted_with(
    own_real_server: ServerProcess,
) -> None:
    # given
    async with await emq.connect(own_real_server.url) as conn:
        minter = emq.Minter(0)
        leased_at = time.monotonic()
        lease = await lease_node(conn, 9, minter=minter)
        number = lease.number

        # when all numbers are somebody else's, so that the swap finds none
        await conn.pipeline([("SET", f"{{emq}}:node:{n}", "somebody else") for n in range(1024)])

        # then nothing is minted from its renewal after 3 s on, which was told no
        with contextlib.suppress(emq.NodeLapsed):
            while time.monotonic() - leased_at < 8:
                assert (minter.snowflake() >> 12) & 1023 == number
                await asyncio.sleep(0.05)
        with pytest.raises(emq.NodeLapsed):
            minter.snowflake()
        assert time.monotonic() - leased_at < 9
        await lease.release()


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="this system cannot tell how long it slept")
async def test_a_machine_that_slept_longer_than_the_lease_mints_no_more(
    own_real_server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with await emq.connect(own_real_server.url) as conn:
        minter = emq.Minter(0)
        lease = await lease_node(conn, 60, minter=minter)

        # when the machine is suspended for two hours: the monotonic clock stands still, the boot clock does not
        real = time.clock_gettime
        monkeypatch.setattr(
            time, "clock_gettime", lambda clock: real(clock) + 7200 * (clock == time.CLOCK_BOOTTIME)
        )

        with pytest.raises(emq.NodeLapsed):
            minter.snowflake()
        monkeypatch.undo()
        await lease.release()


async def test_a_forked_child_of_a_process_with_a_lent_number_leases_one_of_its_own(
    own_real_server: ServerProcess,
) -> None:
    async with await emq.connect(own_real_server.url) as conn:
        minter = emq.Minter(0)
        lease = await lease_node(conn, 60, minter=minter)

        # when
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(writer, b"minted on %d" % (minter.snowflake() >> 12 & 1023))
            except emq.NodeLapsed:
                os.write(writer, b"NodeLapsed")
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        said = os.read(reader, 100)
        os.close(reader)
        os.close(writer)
        await lease.release()

    # then it does not mint with a number that any other process may have leased
    assert said == b"NodeLapsed"


async def test_a_full_server_costs_no_leased_number(own_real_server: ServerProcess) -> None:
    async with await emq.connect(own_real_server.url) as conn:
        minter = emq.Minter(0)
        lease = await lease_node(conn, 3, minter=minter)
        own_real_server.command("CONFIG", "SET", "maxmemory", "1")

        await asyncio.sleep(4)

        try:
            minter.snowflake()
        finally:
            own_real_server.command("CONFIG", "SET", "maxmemory", "0")
            await lease.release()
