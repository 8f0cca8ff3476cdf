"""The lease keeper: leases live as long as their jobs, and a lost one is known at once."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

import emq
from emq.lease import now
from emq.leases import Lease, LeaseKeeper
from tests.emq.runtime.conftest import enqueued, lapse, steal, until
from tests.proxy import FaultProxy

# Long enough that a keeper which has to wait for its turn on a busy machine still renews in time.
LEASE_MS = 3_000


@contextlib.contextmanager
def keeping(url: str, queue: str, lease_ms: int = LEASE_MS) -> Iterator[LeaseKeeper]:
    keeper = LeaseKeeper(url, queue, lease_ms)
    keeper.start()
    try:
        yield keeper
    finally:
        keeper.stop()


async def claimed(jobs: emq.Jobs, count: int, lease_ms: int = LEASE_MS) -> tuple[list[emq.Claim], float]:
    """New jobs in flight, and the moment before they were claimed."""
    await enqueued(jobs, count)
    leased_at = time.monotonic()
    return await jobs.claim_batch(count, lease_ms=lease_ms), leased_at


async def test_a_job_five_leases_long_is_kept_alive_among_200_others(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    claims, leased_at = await claimed(jobs, 201)

    # when
    with keeping(conn.url, queue) as keeper:
        leases = [keeper.track(claim.id, claim.token, leased_at) for claim in claims]
        end, reaped = time.monotonic() + 5 * LEASE_MS / 1000, 0
        while time.monotonic() < end:
            reaped += await jobs.reap()
            assert all(lease.held for lease in leases)
            await asyncio.sleep(0.02)

        # then
        beats, seconds = keeper.beats, time.monotonic() - leased_at
        assert reaped == 0
        assert keeper.lost == 0
        assert 10 <= beats <= 3 * seconds / (LEASE_MS / 1000) + 1
        for lease in leases:
            keeper.untrack(lease)
    assert set(await jobs.complete_many([(claim.id, claim.token) for claim in claims])) == {
        emq.Settlement.COMPLETED
    }


async def test_a_blocked_event_loop_costs_no_lease(conn: emq.Connector, jobs: emq.Jobs, queue: str) -> None:
    # given
    (claim,), leased_at = await claimed(jobs, 1)
    with keeping(conn.url, queue) as keeper:
        lease = keeper.track(claim.id, claim.token, leased_at)

        # when: nothing but this thread runs here
        time.sleep(1.5 * LEASE_MS / 1000)

        # then
        assert lease.held
        assert await jobs.reap() == 0
    await jobs.complete(claim.id, claim.token)


async def test_all_leases_travel_in_one_script_call_each_third_of_a_lease(
    proxy: FaultProxy, behind: emq.Jobs, queue: str
) -> None:
    # given
    claims, leased_at = await claimed(behind, 50)
    with keeping(proxy.url, queue) as keeper:
        for claim in claims:
            keeper.track(claim.id, claim.token, leased_at)

        # when
        await until(lambda: keeper.beats >= 4)
        answered, sent = keeper.beats, proxy.counts.names.count("EVALSHA")

        # then: no more than the one on its way travelled beside those that were answered
        assert proxy.counts.connections == 1
        assert answered <= sent <= keeper.beats + 1
        assert time.monotonic() - leased_at >= answered * LEASE_MS / 3000


async def test_nothing_tracked_means_no_traffic(proxy: FaultProxy, behind: emq.Jobs, queue: str) -> None:
    with keeping(proxy.url, queue) as keeper:
        # given
        await asyncio.sleep(0.5)
        assert proxy.counts.connections == 0
        (claim,), _ = await claimed(behind, 1)

        # when: tracked and untracked within a third of the lease
        lease = keeper.track(claim.id, claim.token, time.monotonic())
        keeper.untrack(lease)
        await asyncio.wait_for(lease.lost(), 60)

        # then
        # The keeper opens its line as soon as it sees a lease, and it may have seen this one.
        assert "EVALSHA" not in proxy.counts.names
        assert len(keeper) == 0
        assert not lease.held


async def test_an_id_in_the_failed_list_is_lost_once_and_the_others_go_on(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    claims, leased_at = await claimed(jobs, 5, lease_ms=30_000)
    told: list[tuple[Lease, int]] = []
    with keeping(conn.url, queue, 30_000) as keeper:
        leases = [
            keeper.track(
                c.id, c.token, leased_at - 9.5, lambda lease: told.append((lease, threading.get_ident()))
            )
            for c in claims
        ]

        # when: completed, stolen, reaped
        await jobs.complete(claims[0].id, claims[0].token)
        await steal(conn, queue, claims[1].id)
        await lapse(conn, queue, claims[2].id)
        while not await jobs.reap():  # a beat came in between
            await lapse(conn, queue, claims[2].id)
        await asyncio.wait_for(leases[2].lost(), 60)
        await until(lambda: len(told) == 3)

        # then
        assert [lease.held for lease in leases] == [False, False, False, True, True]
        assert {lease for lease, _ in told} == set(leases[:3])
        assert {thread for _, thread in told} == {threading.get_ident()}
        assert (len(keeper), keeper.lost) == (2, 3)
        with pytest.raises(emq.LeaseLost, match=claims[0].id):
            leases[0].check()
        leases[3].check()

        # and the reaped one was not brought back
        assert await jobs.pending_size() == 1


async def test_without_a_loop_the_callback_runs_on_the_keepers_thread(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    (claim,), leased_at = await claimed(jobs, 1)
    told: list[str] = []
    with keeping(conn.url, queue) as keeper:
        # when
        await asyncio.to_thread(
            keeper.track,
            claim.id,
            claim.token + 1,
            leased_at,
            lambda _: told.append(threading.current_thread().name),
        )
        await until(lambda: bool(told))

    # then
    assert told == ["emq-leases"]


async def test_whatever_a_callback_raises_on_the_keepers_thread_it_goes_on_beating(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    (gone, kept), leased_at = await claimed(jobs, 2)
    told: list[str] = []

    def exits(lease: Lease) -> None:
        told.append(lease.id)
        raise SystemExit(3)

    with keeping(conn.url, queue) as keeper:

        def track() -> list[Lease]:
            return [keeper.track(claim.id, claim.token, leased_at, exits) for claim in (gone, kept)]

        _, lease = await asyncio.to_thread(track)

        # when
        await steal(conn, queue, gone.id)
        await until(lambda: told == [gone.id])

        # then
        beats = keeper.beats
        await until(lambda: keeper.beats >= beats + 4)
        assert lease.held


async def test_a_callback_that_fails_does_not_stop_the_others(
    conn: emq.Connector, jobs: emq.Jobs, queue: str, caplog: pytest.LogCaptureFixture
) -> None:
    # given
    claims, leased_at = await claimed(jobs, 2)
    told: list[str] = []

    def tell(lease: Lease) -> None:
        told.append(lease.id)
        raise RuntimeError("the callback broke")

    with keeping(conn.url, queue) as keeper:
        # when
        for claim in claims:
            keeper.track(claim.id, claim.token + 1, leased_at, tell)
        await until(lambda: len(told) == 2)

    # then
    assert "the callback broke" in caplog.text


async def test_of_one_job_under_two_tokens_the_older_is_lost(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    (claim,), leased_at = await claimed(jobs, 1)
    again = await steal(conn, queue, claim.id)
    with keeping(conn.url, queue) as keeper:
        # when
        newer = keeper.track(again.id, again.token, time.monotonic())
        older = keeper.track(claim.id, claim.token, leased_at)
        await until(lambda: keeper.beats >= 2)

        # then
        assert newer.held
        assert not older.held


async def test_a_failed_beat_is_repeated_well_before_the_lease_ends(
    proxy: FaultProxy, behind: emq.Jobs, queue: str
) -> None:
    # given
    (claim,), leased_at = await claimed(behind, 1, lease_ms=9_000)
    with keeping(proxy.url, queue, 9_000) as keeper:
        lease = keeper.track(claim.id, claim.token, leased_at - 3)  # a beat is due
        lapses_at = lease.until
        await proxy.stop()

        # when
        await until(lambda: keeper.failed >= 2)
        await proxy.start()
        await until(lambda: keeper.beats >= 1)

        # then
        assert lease.held
        assert lease.until > lapses_at
        await until(lambda: now() > lapses_at)
        assert lease.held
    await behind.complete(claim.id, claim.token)


@pytest.mark.parametrize("trouble", ["refused", "silent", "cut"])
async def test_when_nothing_gets_through_for_a_lease_everything_is_lost_in_time(
    proxy: FaultProxy, behind: emq.Jobs, queue: str, trouble: str
) -> None:
    # given: what waited for the server, and not for the lease, would wait for ever
    claims, leased_at = await claimed(behind, 20)
    told: list[str] = []
    with keeping(proxy.url + "&socket_timeout=600&socket_connect_timeout=600", queue) as keeper:
        leases = [keeper.track(c.id, c.token, leased_at, lambda lease: told.append(lease.id)) for c in claims]
        await until(lambda: keeper.beats >= 1)

        # when
        if trouble == "refused":
            await proxy.stop()
        elif trouble == "silent":
            proxy.half_open()
        else:
            proxy.cut_before_first_byte(times=1_000)
        await until(lambda: len(told) == 20)

        # then
        assert sorted(told) == [claim.id for claim in claims]
        assert not any(lease.held for lease in leases)
        assert len(keeper) == 0
        assert keeper.failed >= 2
        proxy.heal()


async def test_a_reply_that_comes_after_the_lease_lapsed_does_not_bring_it_back(
    proxy: FaultProxy, behind: emq.Jobs, queue: str
) -> None:
    # given
    claims, leased_at = await claimed(behind, 2, lease_ms=30_000)
    with keeping(proxy.url, queue, 30_000) as keeper:
        fresh = keeper.track(claims[0].id, claims[0].token, leased_at - 10)  # a beat is due
        await until(lambda: keeper.beats == 1)

        # when: a claim was answered so late that its lease ends before the beat is answered
        proxy.delay(2)
        late = keeper.track(claims[1].id, claims[1].token, time.monotonic() - 29)
        await until(lambda: keeper.beats == 2)

        # then: it is lost, although the server extended it
        assert not late.held
        assert fresh.held
        assert keeper.lost == 1


async def test_a_lease_whose_job_was_settled_during_a_beat_is_not_reported_lost(
    proxy: FaultProxy, behind: emq.Jobs, queue: str
) -> None:
    # given
    (claim,), _ = await claimed(behind, 1, lease_ms=30_000)
    told: list[Lease] = []
    with keeping(proxy.url, queue, 30_000) as keeper:
        await behind.complete(claim.id, claim.token)
        proxy.delay(1)

        # when: the beat is under way, and will say that the job is gone
        lease = keeper.track(claim.id, claim.token, time.monotonic() - 11, told.append)
        await until(lambda: "EVALSHA" in proxy.counts.names)
        keeper.untrack(lease)
        await until(lambda: keeper.beats == 1)
        await asyncio.sleep(0.05)

        # then
        assert told == []
        assert keeper.lost == 0
        assert lease.held


async def test_tracking_from_many_threads_loses_nothing(
    conn: emq.Connector, jobs: emq.Jobs, queue: str
) -> None:
    # given
    claims, leased_at = await claimed(jobs, 400)

    def hold(keeper: LeaseKeeper, part: list[emq.Claim]) -> None:
        for claim in part:
            for _ in range(5):
                keeper.untrack(keeper.track(claim.id, claim.token, leased_at))
            keeper.track(claim.id, claim.token, leased_at)

    # when
    with keeping(conn.url, queue) as keeper:
        parts = [claims[at::8] for at in range(8)]
        await asyncio.gather(*(asyncio.to_thread(hold, keeper, part) for part in parts))
        await until(lambda: keeper.beats >= 4)

        # then
        assert len(keeper) == 400
        assert keeper.lost == 0


async def test_stopping_ends_the_thread_and_closes_the_connection(
    proxy: FaultProxy, behind: emq.Jobs, queue: str
) -> None:
    # given
    (claim,), leased_at = await claimed(behind, 1)
    keeper = LeaseKeeper(proxy.url, queue, LEASE_MS)
    keeper.start()
    keeper.start()
    lease = keeper.track(claim.id, claim.token, leased_at)
    await until(lambda: keeper.beats >= 1)

    # when
    keeper.stop()
    keeper.stop()

    # then
    await until(lambda: proxy.open_connections == 0)
    assert not [thread for thread in threading.enumerate() if thread.name == "emq-leases"]
    await asyncio.wait_for(lease.lost(), 60)


def test_a_keeper_stopped_before_it_began_ends(redis7_url: str, queue: str) -> None:
    # when
    keeper = LeaseKeeper(redis7_url, queue)
    keeper.start()
    keeper.stop()

    # then
    assert not [thread for thread in threading.enumerate() if thread.name == "emq-leases"]


def test_a_lease_length_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="more than 0"):
        LeaseKeeper("redis://127.0.0.1", "q", 0)


FROZEN = """
import asyncio, sys, time
import emq
from emq.leases import LeaseKeeper

async def claim(url, queue):
    async with await emq.connect(url) as conn:
        jobs = emq.Jobs(conn, queue)
        await jobs.enqueue(emq.mint("JOB"), b"")
        leased_at = time.monotonic()
        return await jobs.claim(lease_ms=3_000), leased_at

url, queue = sys.argv[1:]
claim, leased_at = asyncio.run(claim(url, queue))
keeper = LeaseKeeper(url, queue, 3_000)
keeper.start()
lease = keeper.track(claim.id, claim.token, leased_at)
while keeper.beats < 1 and lease.held:
    time.sleep(0.001)
last, gap = time.monotonic(), 0.0
print("held" if lease.held else "lost", flush=True)
while gap < 3.0:
    moment = time.monotonic()
    gap, last = moment - last, moment
print("held" if lease.held else "lost", flush=True)
time.sleep(0.3)
print("held" if lease.held else "lost", flush=True)
keeper.stop()
"""


def test_a_process_frozen_for_longer_than_a_lease_knows_at_once_that_it_is_lost(
    redis7_url: str, queue: str
) -> None:
    # given
    process = subprocess.Popen(
        [sys.executable, "-c", FROZEN, redis7_url, queue], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process, process.stdout:
        try:
            before = process.stdout.readline().strip()

            # when
            os.kill(process.pid, signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED)  # each of its threads stands
            time.sleep(3.2)
            os.kill(process.pid, signal.SIGCONT)

            # then: at once, and for good, although nobody else took the job
            after = process.stdout.read().split()
        finally:
            process.kill()
    assert before == "held"
    assert after == ["lost", "lost"]
