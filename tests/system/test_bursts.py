"""A burst sent again converges: the buffer between admission and the queue, over a connection that breaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import select

import emq
from codemojex.bursts import BurstLimits, Bursts
from codemojex.guess_lanes import GuessLanes
from codemojex.play import sweep
from codemojex.play.payloads import GuessJob
from codemojex.scoring import ScoreWorker
from codemojex.store import schema
from codemojex.store.engine import Store
from tests.play.makers import WRONG, Table, group, rows, seat
from tests.proxy import FaultProxy
from tests.system.deployment import until

PATIENCE = BurstLimits(first_wait_s=0.01, longest_wait_s=0.05)


async def admitted(table: Table, count: int) -> list[GuessJob]:
    """Admit ``count`` guesses and return them as the intake would hand them on."""
    receipts = [await table.guess(WRONG[n]) for n in range(count)]
    return [receipt.item for receipt in receipts]


@asynccontextmanager
async def running(part: Bursts | ScoreWorker) -> AsyncIterator[None]:
    """Run a part for a while; stop it well at the end."""
    task = asyncio.create_task(part.run())
    try:
        yield
    finally:
        part.stop()
        await asyncio.wait_for(task, 60)


async def every_guess_scored_once(store: Store, conn: emq.Connector, queue: str, ids: Sequence[str]) -> None:
    """Run a worker until all are scored, and check that each was scored by exactly one job."""
    told: list[object] = []
    worker = ScoreWorker(conn, queue, store, told.extend, emq.WorkerOptions(beat_ms=100))

    async def all_scored() -> bool:
        found = await rows(store, schema.guesses)
        return all(row.scored_at is not None for row in found)

    async with running(worker):
        await until(all_scored, "every guess has its score")
        await until(lambda: empty(conn, queue), "the queue is empty")
    assert worker.counts.scored == len(ids)
    found = await rows(store, schema.guesses)
    assert [row.id for row in found] == sorted(ids)
    notices = await store.read(lambda tx: _guess_ids(tx))
    assert sorted(notices) == sorted(ids)


async def _guess_ids(tx):
    return list(
        (
            await tx.execute(select(schema.notices.c.guess_id).where(schema.notices.c.kind == "result"))
        ).scalars()
    )


async def empty(conn: emq.Connector, queue: str) -> bool:
    counts = await emq.Admin(conn, queue).counts()
    return counts.waiting + counts.active + counts.scheduled + counts.dead == 0


async def waiting(conn: emq.Connector, queue: str) -> int:
    """How many guesses wait, in lanes and outside of them."""
    return (await emq.Admin(conn, queue).counts()).waiting


class ShortCalls(GuessLanes):
    """Ten guesses in a script call, so that a burst of sixty can be cut between calls."""

    def __init__(self, conn: emq.Connector, queue: str) -> None:
        super().__init__(conn, queue)
        self._lanes = emq.Lanes(conn, queue, chunk=10)


CUTS = {
    "before the first byte": lambda proxy: proxy.cut_before_first_byte(),
    "after k of n were applied": lambda proxy: proxy.cut_after_commands(2),
    "after k of n, their replies read": lambda proxy: proxy.cut_after_commands(2, deliver=True),
    "after all were applied, no reply read": lambda proxy: proxy.swallow_replies(),
}


@pytest.mark.parametrize("where", CUTS)
async def test_a_burst_cut_anywhere_goes_again_under_the_same_ids_and_each_guess_is_scored_once(
    store, real_server_url, queue, where
):
    # given: a group with guesses that have been admitted, and a connection that will break
    table = await group(store, limits=_many())
    items = await admitted(table, 60)
    async with FaultProxy(real_server_url) as proxy, await emq.connect(proxy.url) as conn:
        # The script is loaded and the connection made, so that the cut falls into the burst.
        await ShortCalls(conn, f"{queue}.other").enqueue_many([GuessJob(emq.mint("JOB"), 1, b"{}")])
        bursts = Bursts(ShortCalls(conn, queue), store, PATIENCE)
        CUTS[where](proxy)

        # when
        async with running(bursts):
            await until(lambda: _landed(store), "every guess is marked as queued")

        # then
        assert proxy.counts.cuts == 1
        assert bursts.counts.resent == 60
        assert bursts.counts.enqueued + bursts.counts.duplicate == 60
        assert await waiting(conn, queue) == 60

    # and then
    async with await emq.connect(real_server_url) as conn:
        await every_guess_scored_once(store, conn, queue, [item.id for item in items])


async def test_a_server_that_is_away_costs_time_and_no_guess(store, real_server_url, queue):
    # given
    table = await group(store, limits=_many())
    async with FaultProxy(real_server_url) as proxy, await emq.connect(proxy.url) as conn:
        bursts = Bursts(GuessLanes(conn, queue), store, PATIENCE)
        async with running(bursts):
            await proxy.stop()
            items = await admitted(table, 20)
            bursts.add(items)
            await until(lambda: _true(bursts.counts.resent >= 40), "the burst has gone again twice")
            assert bursts.held() == 20

            # when
            await proxy.start()

            # then
            await until(lambda: _landed(store), "every guess is marked as queued")
            assert await waiting(conn, queue) == 20


async def test_what_does_not_fit_waits_in_its_row_and_memory_stays_bounded(store, valkey_url, queue):
    # given
    table = await group(store, limits=_many())
    items = await admitted(table, 90)
    async with await emq.connect(valkey_url) as conn:
        bursts = Bursts(GuessLanes(conn, queue), store, BurstLimits(held=20, flush=7))

        # when
        for item in items:
            bursts.add([item])
            assert bursts.held() <= 20
        async with running(bursts):
            await until(lambda: _landed(store), "every guess is marked as queued")

        # then
        assert await waiting(conn, queue) == 90
        assert bursts.counts.enqueued == 90


async def test_a_job_that_finished_is_admitted_again_by_the_queue_and_the_game_counts_one_guess(
    store, server_url, queue
):
    # given
    table = await seat(store)
    [item] = await admitted(table, 1)
    async with await emq.connect(server_url) as conn:
        lanes = GuessLanes(conn, queue)
        assert await lanes.enqueue_many([item]) == [emq.ENQUEUED]
        await every_guess_scored_once(store, conn, queue, [item.id])
        before = await table.guesses()

        # when
        verdicts = await lanes.enqueue_many([item])
        worker = ScoreWorker(conn, queue, store, lambda refs: None, emq.WorkerOptions())
        async with running(worker):
            await until(lambda: empty(conn, queue), "the second job is completed")

        # then
        assert verdicts == [emq.ENQUEUED]
        assert (worker.counts.scored, worker.counts.already) == (0, 1)
        assert await table.guesses() == before
        assert len(await rows(store, schema.notices)) == 1


async def test_a_job_that_names_no_guess_is_set_aside_and_its_neighbours_go_on(store, real_server_url, queue):
    # given
    table = await seat(store)
    items = await admitted(table, 2)
    async with await emq.connect(real_server_url) as conn:
        stray = GuessJob(emq.mint("JOB"), items[0].player_id, b"\x00garbage")
        await GuessLanes(conn, queue).enqueue_many([items[0], stray, items[1]])
        worker = ScoreWorker(conn, queue, store, lambda refs: None, emq.WorkerOptions())

        async def settled() -> bool:
            counts = await emq.Admin(conn, queue).counts()
            return counts.dead == 1 and counts.waiting + counts.active == 0

        # when
        async with running(worker):
            await until(settled, "the stray job is dead and nothing waits")

        # then
        assert all(row.scored_at is not None for row in await table.guesses())
        assert worker.counts.missing == 1


async def test_the_buffer_refills_itself_from_rows_that_an_earlier_process_left(store, valkey_url, queue):
    # given: admitted, and the process died before its first flush
    table = await seat(store)
    items = await admitted(table, 5)

    # when
    async with await emq.connect(valkey_url) as conn:
        bursts = Bursts(GuessLanes(conn, queue), store, PATIENCE)
        async with running(bursts):
            await until(lambda: _landed(store), "every guess is marked as queued")

        # then
        claims = await emq.Lanes(conn, queue).claim_batch(10, lease_ms=60_000)
        lane = emq.group("PLR", table.ada.id)
        assert [(claim.id, claim.payload) for claim in claims] == [(job.id, job.payload) for job in items]
        assert {claim.group for claim in claims} == {lane}


def _many():
    from codemojex.play.guesses import Limits

    return Limits(alone=1_000, group=1_000, per_second=0)


async def _true(value: bool) -> bool:
    return value


async def _landed(store: Store) -> bool:
    return not await store.read(lambda tx: sweep.unqueued(tx, 1))


async def test_a_scoring_worker_that_failed_can_be_run_again(store, valkey_url, queue, monkeypatch):
    # given
    table = await seat(store)
    items = await admitted(table, 1)
    async with await emq.connect(valkey_url) as conn:
        await GuessLanes(conn, queue).enqueue_many(items)
        worker = ScoreWorker(conn, queue, store, lambda refs: None, emq.WorkerOptions())
        with monkeypatch.context() as patch:
            patch.setattr(worker.worker, "_claim_until_stopped", _fail)
            with pytest.raises(RuntimeError, match="a bug"):
                await worker.run()

        # when
        async with running(worker):
            await until(lambda: empty(conn, queue), "the job is completed")

        # then
        assert worker.counts.scored == 1


async def _fail() -> None:
    raise RuntimeError("a bug")
