"""An embedded server whose owner left something behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import emq
from emq.knock import Presence, knock

OWNER = """
import asyncio, multiprocessing, pathlib, sys, time
import emq

async def main():
    server = await emq.EmbeddedServer.start(pathlib.Path(sys.argv[1]))
    pool = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
    pool.start()  # a worker process of the program's own, nothing to do with the queue
    print(pool.pid, server.pid, flush=True)
    time.sleep(60)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere multiprocessing does not fork")
@pytest.mark.parametrize("later_s", [0.0, 1.0], ids=["at once", "a second later"])
async def test_a_child_that_the_owner_forked_does_not_hold_the_queue_when_the_owner_is_killed(
    short_folder: Path, later_s: float
) -> None:
    # given
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(short_folder)], stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    child = int(owner.stdout.readline().split()[0])
    owner.stdout.close()
    try:
        # when
        owner.kill()
        owner.wait()
        await asyncio.sleep(later_s)
        server = await emq.EmbeddedServer.start(short_folder)

        # then the next process gets a server, and not the one that is on its way out
        await asyncio.sleep(1)
        assert await knock(server.url) is Presence.THERE
        await server.stop()
    finally:
        os.kill(child, signal.SIGKILL)


async def test_a_socket_that_was_cleaned_away_is_made_again(short_folder: Path) -> None:
    server = await emq.EmbeddedServer.start(short_folder)
    try:
        (short_folder / "emq.sock").unlink()

        await server.ensure()

        assert await knock(server.url) is Presence.THERE
    finally:
        await server.stop()
