"""A scoring worker dies or sleeps with guesses in hand: another one finishes, each guess is scored once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import select, text

import emq
from codemojex.store import schema
from codemojex.store.engine import open_store
from tests.play.makers import rows
from tests.system.deployment import Deployment, Someone, until
from tests.system.test_guess_path import GUESSES, everything_told

PEOPLE, EACH = 8, 5


@pytest.fixture
async def waiting(deployment: Deployment) -> list[Someone]:
    """Forty guesses that wait in the queue; no worker runs."""
    deployment.settings |= {"WORKER_LEASE_MS": "3000", "GUESSES_PER_SECOND": "0", "SWEEP_AFTER_SECONDS": "60"}
    deployment.start("bot")
    people = [await deployment.person(f"P{n}") for n in range(PEOPLE)]
    for person in people:
        await person.send("/new")
        for guess in GUESSES[:EACH]:
            await person.send(guess)

    async def queued() -> bool:
        return (await deployment.audit()).counts["queued"] == PEOPLE * EACH

    await until(queued, "every guess is in the queue")
    return people


@asynccontextmanager
async def scores_held_up(deployment: Deployment) -> AsyncIterator[None]:
    """No transaction can write a score meanwhile: whoever claimed guesses holds them in mid-batch."""
    store = open_store(deployment.database_url)
    held, done = asyncio.Event(), asyncio.Event()

    async def hold(tx):
        if deployment.database_url.startswith("postgresql"):
            # Idle in its transaction for as long as a worker takes to start, which the store would not allow.
            await tx.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        await tx.execute(select(schema.guesses.c.id).with_for_update())
        held.set()
        await done.wait()

    holding = asyncio.create_task(store.transact(hold))
    await held.wait()
    try:
        yield
    finally:
        done.set()
        await holding
        await store.aclose()


async def in_hand(deployment: Deployment) -> int:
    async with await emq.connect(deployment.redis_url) as conn:
        return (await emq.Admin(conn, deployment.settings["GUESS_QUEUE"]).counts()).active


async def test_a_worker_killed_in_mid_batch_leaves_its_guesses_to_another(deployment, waiting):
    # given: a worker that has claimed and cannot write yet
    async with scores_held_up(deployment):
        first = deployment.start("worker")
        await until(lambda: _some(deployment), "the first worker has guesses in hand")

        # when
        first.kill()
    deployment.start("worker")

    # then
    await until(lambda: everything_told(deployment, PEOPLE * EACH), "every guess is scored and told")
    report = await deployment.audit()
    assert report.counts["scored"] == PEOPLE * EACH
    assert not report.violations


async def test_a_worker_that_slept_past_its_lease_writes_nothing_for_what_another_took(deployment, waiting):
    # given: a worker that fell asleep in mid-batch
    async with scores_held_up(deployment):
        sleeper = deployment.start("worker")
        await until(lambda: _some(deployment), "the sleeper has guesses in hand")
        sleeper.pause()
    deployment.start("worker")
    await until(lambda: everything_told(deployment, PEOPLE * EACH), "the other one scored and told all")
    before = await _scores(deployment)

    # when
    sleeper.resume()
    assert sleeper.stop() == 0, sleeper.said

    # then
    assert await _scores(deployment) == before
    assert not (await deployment.audit()).violations


async def _some(deployment: Deployment) -> bool:
    return await in_hand(deployment) > 0


async def _scores(deployment: Deployment) -> list[object]:
    store = open_store(deployment.database_url)
    try:
        return [(row.id, row.points, row.scored_at, row.told_at) for row in await rows(store, schema.guesses)]
    finally:
        await store.aclose()
