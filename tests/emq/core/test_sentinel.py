"""Behind a sentinel: the master is found, and found again after a failover."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import emq
from tests.emq.core.constellations import Watched, wait_for
from tests.emq.core.makers import ids, live_through
from tests.servers import Kind, binary_of


@pytest.fixture
def watched() -> Iterator[Watched]:
    if binary_of(Kind.REDIS7) is None:
        pytest.skip("this machine has no redis-server, which is also the sentinel")
    folder = Path(tempfile.mkdtemp(prefix="emq-"))
    watched = Watched(folder)
    try:
        watched.start()
        yield watched
    finally:
        watched.stop()
        shutil.rmtree(folder, ignore_errors=True)


async def test_the_master_is_found_and_found_again_after_a_failover(watched: Watched, queue: str) -> None:
    await live_through(watched.url, queue)
    async with await emq.connect(watched.url) as conn:
        # given a warm connector and a job
        jobs = emq.Jobs(conn, queue + ".2")
        old, new = ids(2)
        assert await jobs.enqueue(old, b"x") is emq.ENQUEUED
        row = emq.Keyspace(queue + ".2").job(old)
        wait_for(lambda: watched.replica.command("EXISTS", row) == b":1\r\n")

        # when the master is demoted, a warm connection may meet a replica: refused for now
        watched.fail_over()
        first = await jobs.enqueue(new, b"x")
        assert str(first) in ("refused:READONLY", "enqueued")

        # then the same call again goes to the new master, which has the job
        second = await jobs.enqueue_many([(old, b"x"), (new, b"x"), (emq.mint("JOB"), b"y")])
        landed = "duplicate" if first is emq.ENQUEUED else "enqueued"
        assert [str(verdict) for verdict in second] == ["duplicate", landed, "enqueued"]
        assert b":3" in watched.replica.command("ZCARD", emq.Keyspace(queue + ".2").pending)


async def test_a_service_the_sentinels_do_not_know_and_no_sentinel_at_all_are_not_sent(
    watched: Watched,
) -> None:
    with pytest.raises(emq.Unreachable, match="other"):
        await emq.connect(watched.url.replace("/main", "/other"))
    with pytest.raises(emq.Unreachable, match="Is it running"):
        await emq.connect("redis+sentinel://127.0.0.1:1/main")
