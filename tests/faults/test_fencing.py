"""A worker that stands still for longer than its lease writes nothing for jobs that another took meanwhile."""

from __future__ import annotations

import asyncio
import random

import pytest

from codemojex.store import schema
from tests.faults.crowd import Player, together
from tests.faults.harms import wake
from tests.faults.lengths import SEED
from tests.faults.reckoning import all_told, at_rest
from tests.faults.stage import LEASE_MS, Stage
from tests.play.makers import rows

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def written(stage: Stage) -> list[object]:
    """Every score, winner and notice."""
    guesses = await rows(stage.store, schema.guesses)
    games = await rows(stage.store, schema.games)
    notices = await rows(stage.store, schema.notices)
    return [
        sorted((row.id, row.points, row.scored_at, row.told_at) for row in guesses),
        sorted((row.id, row.state, row.winner_id or 0, str(row.closed_at)) for row in games),
        sorted((row.id, row.sends, row.sent_at) for row in notices),
    ]


@pytest.mark.timeout(300)
async def test_a_worker_that_slept_past_its_lease_writes_no_score_no_winner_and_no_notice(stage):
    """At each step that holds no lock of the database; who sleeps with one is waited for, or cut off by the server."""
    dice = random.Random(SEED)
    players = [await Player.meet(stage, dice) for _ in range(3)]
    first, second = stage.worker, stage.actors["worker2"]
    for step in ("claimed", "settling", "scores_committed"):
        # given: both workers run, and the first stands still in mid-work
        await together(*(player.play() for player in players))
        await at_rest(stage)
        await second.now.stop()
        first.order(step, "stop")
        sent = [*await together(*(player.guess() for player in players for _ in range(3)))]
        sent += [await player.guess_exactly(await player.secret()) for player in players]
        await asyncio.wait_for(first.now.stopped.wait(), 45)

        # when: its leases lapse, and the other does all of it
        await stage.start(second)
        await asyncio.sleep(LEASE_MS / 1000)
        await all_told(stage, sent)
        await at_rest(stage)
        before = await written(stage)
        wake(first)
        await asyncio.sleep(1.0)

        # then
        assert await written(stage) == before, step
        assert first.now.runs
        report = await stage.examine()
        assert report.holds, (step, report.violations)


@pytest.mark.timeout(300)
async def test_a_sleeper_that_holds_rows_is_cut_off_by_the_server_and_its_scores_are_not_written(stage):
    if not stage.on_postgres:
        pytest.skip("a SQLite file has one lock for all: who sleeps with it is waited for")
    # given
    player = await Player.meet(stage, random.Random(SEED))
    await player.play()
    await stage.actors["worker2"].now.stop()
    stage.worker.order("scored", "stop")
    sent = [await player.guess() for _ in range(3)]
    await asyncio.wait_for(stage.worker.now.stopped.wait(), 45)

    # when
    await stage.start(stage.actors["worker2"])
    await all_told(stage, sent)
    before = await written(stage)
    wake(stage.worker)
    await asyncio.sleep(1.0)

    # then
    assert await written(stage) == before
    assert (await stage.examine()).holds
