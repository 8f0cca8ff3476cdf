"""A paused player: guesses are admitted and wait, nothing counts as lost, and everything goes on afterwards."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

import emq
from codemojex.auditing import examine
from codemojex.doctor import examine as examine_all
from codemojex.guess_lanes import GuessLanes, lane_of
from codemojex.play import sweep
from codemojex.scoring import ScoreWorker
from codemojex.settings import Settings
from codemojex.store.engine import Store
from codemojex.sweeper import Sweeper, SweepPace
from tests.play.makers import ADA, BO, MISS, SECRET, T0, WRONG, Table, group, seat
from tests.system.deployment import until
from tests.system.test_cli import codemojex

LATER = T0 + timedelta(hours=1)


async def put(table: Table, lanes: GuessLanes, *people: object) -> list[str]:
    """Admit a guess of each of ``people`` and put it into the queue; the verdicts."""
    fresh = WRONG[len(await table.guesses()) :]
    items = [(await table.guess(six, person)).item for person, six in zip(people, fresh, strict=False)]  # type: ignore[arg-type]
    verdicts = await lanes.enqueue_many(items)
    await table.store.transact(lambda tx: sweep.mark_enqueued(tx, [job.id for job in items], table.at(1)))
    return [str(verdict) for verdict in verdicts]


async def scored(table: Table) -> list[int]:
    """Whose guesses have their score, in the order of admission."""
    return [row.player_id for row in await table.guesses() if row.scored_at is not None]


@asynccontextmanager
async def working(conn: emq.Connector, queue: str, store: Store) -> AsyncIterator[None]:
    worker = ScoreWorker(conn, queue, store, lambda refs: None, emq.WorkerOptions(beat_ms=100))
    running = asyncio.create_task(worker.run())
    try:
        yield
    finally:
        worker.stop()
        await asyncio.wait_for(running, 60)


async def test_guesses_of_a_paused_player_are_admitted_and_wait_while_others_go_on(
    store: Store, valkey_url: str, queue: str
) -> None:
    table = await group(store)
    async with await emq.connect(valkey_url) as conn, working(conn, queue, store):
        lanes = GuessLanes(conn, queue)
        # given
        assert await lanes.pause(ADA.id)
        assert not await lanes.pause(ADA.id)
        assert await lanes.paused() == [ADA.id]

        # when
        assert await put(table, lanes, ADA, BO, ADA, BO) == ["enqueued"] * 4

        async def others() -> bool:
            return await scored(table) == [BO.id, BO.id]

        # then
        await until(others, "Bo's guesses have their score")
        assert await lanes.waiting(ADA.id) == 2

        # and when
        assert await lanes.resume(ADA.id)

        async def everybody() -> bool:
            return await scored(table) == [ADA.id, BO.id, ADA.id, BO.id]

        # then
        await until(everybody, "Ada's guesses have their score, too")
        assert await lanes.paused() == []


async def test_the_sweep_leaves_a_paused_player_alone_and_sends_again_what_was_lost_once_they_are_resumed(
    store: Store, valkey_url: str, queue: str
) -> None:
    # given: a guess in the queue of a paused player, and a queue that then forgets its jobs
    table = await group(store)
    async with await emq.connect(valkey_url) as conn:
        lanes = GuessLanes(conn, queue)
        await lanes.pause(ADA.id)
        await put(table, lanes, ADA, BO)
        sweeper = Sweeper(store, lanes, lambda refs: None, SweepPace(), lambda: table.at(60))
        stamps = [row.enqueued_at for row in await table.guesses()]
        admin = emq.Admin(conn, queue)
        assert await admin.drain(lanes=True) == 2

        # when
        await sweeper.once()

        # then: Bo's guess is back, Ada's has not even been sent
        assert sweeper.counts.requeued == 1
        assert [row.enqueued_at for row in await table.guesses()] == [stamps[0], table.at(60)]
        assert (await lanes.waiting(ADA.id), await lanes.waiting(BO.id)) == (0, 1)

        # and when
        await lanes.resume(ADA.id)
        await sweeper.once()

        # then
        assert sweeper.counts.requeued == 2
        assert await lanes.waiting(ADA.id) == 1


class Away(GuessLanes):
    """The lanes of a queue that does not answer."""

    def __init__(self) -> None:
        pass

    async def paused(self) -> list[int]:
        raise emq.NotSent("nobody is there")


async def test_games_end_while_the_queue_does_not_answer(store: Store) -> None:
    # given: a crack that nobody settled, and a guess in another game that seems lost
    table = await group(store)
    await table.score(await table.guess(SECRET))
    lost = await seat(store, (BO,))
    await lost.guess(MISS, BO)
    sweeper = Sweeper(store, Away(), lambda refs: None, SweepPace(), lambda: LATER)

    # when
    with pytest.raises(emq.NotSent):
        await sweeper.once()

    # then
    assert sweeper.counts.settled == 1
    assert (await table.row()).winner_id == ADA.id


async def test_the_audit_and_the_doctor_tell_a_paused_player_from_a_lost_guess(
    store: Store, database_url: str, valkey_url: str, queue: str, short_folder
) -> None:
    # given: both wait for an hour, one of them on purpose
    table = await group(store)
    settings = Settings(
        database_url=database_url, redis_url=valkey_url, guess_queue=queue, codemojex_home=short_folder
    )
    async with await emq.connect(valkey_url) as conn:
        lanes = GuessLanes(conn, queue)
        await lanes.pause(ADA.id)
        await put(table, lanes, ADA, BO)

        # then
        report = await examine(store, settings, LATER)
        [late] = [bad for bad in report.violations if bad.name == "not_scored_in_time"]
        assert (late.count, late.samples) == (1, [(await table.guesses())[1].id])
        assert report.counts["waiting_paused"] == 1
        [finding] = [one for one in await examine_all(settings) if one.what == "paused players"]
        assert finding.seen == f"1 ({ADA.id}), 1 of their guesses wait"
        assert "codemojex player resume" in finding.cure

    # and nobody to be asked is nobody paused
    nowhere = settings.model_copy(update={"redis_url": "redis://127.0.0.1:1"})
    [late] = [bad for bad in (await examine(store, nowhere, LATER)).violations if "not_scored" in bad.name]
    assert late.count == 2


@pytest.mark.parametrize("player", [ADA.id, 2**52 - 1, -17])
def test_an_operator_pauses_and_resumes_a_player_from_the_shell(
    short_folder, valkey_url: str, queue: str, player: int
) -> None:
    def run(*words: str) -> str:
        done = codemojex("player", *words, home=short_folder, REDIS_URL=valkey_url, GUESS_QUEUE=queue)
        assert done.returncode == 0, done.stderr
        return done.stdout

    # when
    assert run("pause", "--", str(player)) == f"{player} is paused, 0 guesses wait\n"

    # then
    assert json.loads(run("paused", "--json")) == {"player": player, "paused": True, "waiting": 0}
    assert json.loads(run("resume", "--json", "--", str(player)))["paused"] is False
    assert run("paused") == "nobody is paused\n"


def test_a_queue_that_is_away_is_one_sentence(short_folder) -> None:
    done = codemojex("player", "pause", "5", home=short_folder, REDIS_URL="redis://127.0.0.1:1")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "REDIS_URL" in done.stderr


def test_each_telegram_id_has_a_lane_of_its_own() -> None:
    ids = [ADA.id, -ADA.id, 2**52 - 1, -(2**52), 0, -1]
    assert [emq.group_number(lane_of(id)) for id in ids] == ids
    assert lane_of(1).startswith("PLR")
