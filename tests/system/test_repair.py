"""The repair: damage made by hand is named by the audit, told without being touched, put right, and gone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import delete, select, update

import emq
from codemojex.auditing import examine
from codemojex.guess_lanes import GuessLanes
from codemojex.notices.intake import NoticeIntake
from codemojex.notices.settling import ANSWER_LOST
from codemojex.play import handover, sweep
from codemojex.repair import repair
from codemojex.settings import Settings
from codemojex.store import schema
from codemojex.store.engine import Store
from codemojex.testing import queues
from tests.play.makers import ADA, BO, CY, FAR, MISS, NEAR, SECRET, T0, Table, group, rows, seat
from tests.system.deployment import until
from tests.system.test_cli import codemojex
from tests.system.test_pausing import working

guesses, notices, games = schema.guesses, schema.notices, schema.games
LATER = T0 + timedelta(hours=3)


@dataclass
class Bench:
    """A game in a group, and the queue beside it."""

    table: Table
    store: Store
    conn: emq.Connector
    settings: Settings

    @property
    def lanes(self) -> GuessLanes:
        return GuessLanes(self.conn, self.settings.guess_queue)

    @property
    def admin(self) -> emq.Admin:
        return emq.Admin(self.conn, self.settings.guess_queue)

    async def audit(self, now: datetime = LATER) -> set[str]:
        """The lines of the audit that say what is broken."""
        report = await examine(self.store, self.settings, now)
        assert report.unasked is None
        return {bad.name for bad in report.violations}

    async def mend(self, *, apply: bool, now: datetime = LATER) -> dict[str, int]:
        """What a repair finds: line -> how many."""
        found = await repair(self.store, self.settings, now, apply=apply)
        return {each.line: len(each.ids) for each in found}

    async def everything(self) -> tuple[object, ...]:
        """All rows, and all keys of the queues."""
        tables = [await rows(self.store, table) for table in schema.metadata.sorted_tables]
        held = [pair async for pair in queues.contents(self.settings)]
        return str(tables), sorted(held)

    async def do(self, *statements: object) -> None:
        """Change rows by hand."""

        async def do(tx):
            for statement in statements:
                await tx.execute(statement)

        await self.store.transact(do)

    async def guess(self, *entries: tuple[str, object], queued: bool = True) -> list[str]:
        """Admit guesses and put them into the queue; their ids."""
        items = [receipt.item for receipt in await self.table.admit(*entries)]  # type: ignore[arg-type]
        if queued:
            await self.lanes.enqueue_many(items)
            await self.mark([job.id for job in items])
        return [job.id for job in items]

    async def mark(self, ids: list[str]) -> None:
        await self.store.transact(lambda tx: sweep.mark_enqueued(tx, ids, self.table.at(1)))

    async def tell(self) -> None:
        """Everything that waits is sent, as by a notifier."""

        async def tell(tx):
            ids = list((await tx.execute(select(notices.c.id).where(notices.c.sent_at.is_(None)))).scalars())
            await handover.sent(tx, ids, 5, self.table.at(9))

        await self.store.transact(tell)

    async def bury(self, id: str) -> None:
        """Have a job set aside."""
        lanes = emq.Lanes(self.conn, self.settings.guess_queue)
        [claim] = [claim for claim in await lanes.claim_batch(100) if claim.id == id]
        assert await lanes.retry(claim.id, claim.token, max_attempts=1, error="planted") == "dead"

    async def score(self) -> None:
        """A worker scores what it finds, until every guess has its score."""

        async def scored() -> bool:
            return all(row.scored_at is not None for row in await self.table.guesses())

        async with working(self.conn, self.settings.guess_queue, self.store):
            await until(scored, "every guess has its score")


@pytest.fixture
async def bench(
    store: Store, database_url: str, valkey_url: str, queue: str, short_folder
) -> AsyncIterator[Bench]:
    settings = Settings(
        database_url=database_url,
        redis_url=valkey_url,
        guess_queue=queue,
        notify_queue=f"{queue}.notify",
        codemojex_home=short_folder,
    )
    async with await emq.connect(valkey_url) as conn:
        yield Bench(await group(store, minutes=1_440), store, conn, settings)


# -- damage ------------------------------------------------------------------------------------


async def _lost(bench: Bench) -> None:
    await bench.guess((NEAR, ADA), (FAR, BO))
    assert await bench.admin.drain(lanes=True) == 2


async def _never_sent(bench: Bench) -> None:
    await bench.guess((NEAR, ADA), queued=False)


async def _unmarked(bench: Bench) -> None:
    await bench.guess((NEAR, ADA))
    await bench.do(update(guesses).values(enqueued_at=None))


async def _set_aside(bench: Bench) -> None:
    [id] = await bench.guess((NEAR, ADA))
    await bench.bury(id)


async def _astray(bench: Bench) -> None:
    [id] = await bench.guess((NEAR, ADA))
    row = await bench.admin.job(id)
    assert row is not None
    await bench.admin.remove(id)
    key = emq.Keyspace(bench.settings.guess_queue).job(id)
    await bench.conn.command("HSET", key, *[word for pair in row.items() for word in pair])


async def _stranger(bench: Bench) -> None:
    job = emq.mint("JOB")
    await emq.Lanes(bench.conn, bench.settings.guess_queue).enqueue(emq.group("PLR", 1), job, b"{}")
    await bench.bury(job)


async def _lapsed(bench: Bench) -> None:
    [id] = await bench.guess((NEAR, ADA))
    await emq.Lanes(bench.conn, bench.settings.guess_queue).claim_batch(9)
    await bench.conn.command("ZADD", emq.Keyspace(bench.settings.guess_queue).active, "1", id)


async def _overdue(bench: Bench) -> None:
    lane, job = emq.group("CHT", ADA.id), emq.mint("JOB")
    await emq.Lanes(bench.conn, bench.settings.notify_queue).enqueue_at(lane, job, b"{}", 1)


async def _game_of_the_past(bench: Bench) -> None:
    await bench.do(update(games).values(closes_at=bench.table.at(60)))


async def _crack_unsettled(bench: Bench) -> None:
    [id] = await bench.guess((SECRET, ADA), queued=False)
    await bench.table.score(id)
    await bench.mark([id])


async def _no_notice(bench: Bench) -> None:
    ids = await bench.guess((NEAR, ADA), (FAR, BO), queued=False)
    await bench.table.score(*ids)
    await bench.mark(ids)
    await bench.tell()
    await bench.do(
        delete(notices).where(notices.c.guess_id == ids[0]),
        update(guesses).where(guesses.c.id == ids[0]).values(told_at=None),
    )


async def _not_counted(bench: Bench) -> None:
    [id] = await bench.guess((NEAR, ADA), queued=False)
    await bench.table.score(id)
    await bench.mark([id])
    await bench.tell()
    await bench.do(update(guesses).values(told_at=None))


async def _waiting(bench: Bench) -> None:
    [id] = await bench.guess((NEAR, ADA), queued=False)
    await bench.table.score(id)
    await bench.mark([id])


async def _from_the_future(bench: Bench) -> None:
    await _waiting(bench)
    await bench.do(update(notices).values(sends=1, sending_at=LATER + timedelta(days=1)))


async def _for_nobody(bench: Bench) -> None:
    await _waiting(bench)
    await bench.tell()
    nobody = {"id": emq.mint("JOB"), "chat_id": -(2**61), "kind": "text", "data": "{}", "created_at": LATER}
    await bench.do(notices.insert().values(**nobody))


# How the damage is done, what the audit calls it, and what the repair answers.
DAMAGE: dict[str, tuple[Callable[[Bench], Awaitable[None]], set[str], dict[str, int]]] = {
    "lost": (_lost, {"lost_by_the_queue", "not_scored_in_time"}, {"lost_by_the_queue": 2}),
    "never sent": (
        _never_sent,
        {"lost_by_the_queue", "not_queued_in_time", "not_scored_in_time"},
        {"lost_by_the_queue": 1},
    ),
    "unmarked": (_unmarked, {"not_queued_in_time", "not_scored_in_time"}, {"not_queued_in_time": 1}),
    "set aside": (_set_aside, {"set_aside_unscored", "not_scored_in_time"}, {"set_aside_unscored": 1}),
    "astray": (_astray, {"astray_in_the_queue", "not_scored_in_time"}, {"astray_in_the_queue": 1}),
    "stranger": (_stranger, {"job_without_a_guess"}, {"job_without_a_guess": 1}),
    "lapsed": (_lapsed, {"lease_not_returned", "not_scored_in_time"}, {"lease_not_returned": 1}),
    "overdue": (_overdue, {"due_job_not_moved"}, {"due_job_not_moved": 1}),
    "game of the past": (_game_of_the_past, {"not_settled_in_time"}, {"not_settled_in_time": 1}),
    "crack unsettled": (
        _crack_unsettled,
        {"not_settled_in_time", "scored_without_a_notice"},
        # What ended with the game was told with it.
        {"not_settled_in_time": 1, "scored_without_a_notice": 1},
    ),
    "no notice": (_no_notice, {"scored_without_a_notice"}, {"scored_without_a_notice": 1}),
    "not counted": (_not_counted, {"sent_but_not_told"}, {"sent_but_not_told": 1}),
    "waiting": (_waiting, {"not_told_in_time"}, {"not_told_in_time": 1}),
    "from the future": (
        _from_the_future,
        {"sending_since_the_future", "not_told_in_time"},
        {"sending_since_the_future": 1, "not_told_in_time": 1},
    ),
    "for nobody": (_for_nobody, {"waits_for_nobody"}, {"waits_for_nobody": 1}),
}


@pytest.mark.parametrize("damage", DAMAGE)
async def test_damage_is_named_told_untouched_put_right_and_gone(bench: Bench, damage: str) -> None:
    do, named, found = DAMAGE[damage]
    assert await bench.audit() == set()
    # given
    await do(bench)
    assert await bench.audit() == named
    before = await bench.everything()

    # when nothing is applied
    assert await bench.mend(apply=False) == found

    # then nothing has changed
    assert await bench.everything() == before

    # and when it is applied
    done = await bench.mend(apply=True)
    assert done.items() <= found.items()
    assert done

    # then the queue and the rows are in order, and what waits is scored and told
    await bench.score()
    await bench.tell()
    assert await bench.audit() == set()
    assert await bench.mend(apply=True) == {}


async def test_who_is_in_order_is_left_alone(bench: Bench) -> None:
    # given: one guess waits, one is in hand, one belongs to a paused player, all for long
    await bench.lanes.pause(CY.id)
    await bench.guess((NEAR, ADA), (FAR, BO), (MISS, CY))
    await emq.Lanes(bench.conn, bench.settings.guess_queue).claim(lease_ms=3_600_000)
    before = await bench.everything()

    # when
    assert await bench.mend(apply=True) == {}

    # then
    assert await bench.everything() == before
    report = await examine(bench.store, bench.settings, LATER)
    assert (report.counts["in_queue"], report.counts["in_hand"], report.counts["set_aside"]) == (2, 1, 0)


async def test_two_repairs_at_once_are_one(bench: Bench) -> None:
    # given
    await _lost(bench)
    other = await seat(bench.store, (CY,), minutes=1)

    # when
    await asyncio.gather(*(bench.mend(apply=True) for _ in range(3)))

    # then
    assert (await bench.admin.counts()).in_lanes == 2
    assert (await other.row()).state == "closed"
    ended = await rows(bench.store, notices, game_id=other.game.id, kind="ended")
    assert len(ended) == 1


async def test_a_chat_is_woken_even_where_its_wake_up_was_set_aside(bench: Bench) -> None:
    # given: a result that waits, and whose wake-up is dead
    await _waiting(bench)
    [notice] = await rows(bench.store, notices)
    lanes = emq.Lanes(bench.conn, bench.settings.notify_queue)
    await lanes.enqueue(emq.group("CHT", notice.chat_id), notice.id, b'{"v":1,"chat":%d}' % notice.chat_id)
    claim = await lanes.claim()
    assert claim is not None
    await lanes.retry(claim.id, claim.token, max_attempts=1, error="planted")

    # when
    await bench.mend(apply=True)

    # then
    woken: list[int] = []
    intake = NoticeIntake(bench.conn, bench.settings.notify_queue, woken.extend)
    running = asyncio.create_task(intake.run())

    async def heard() -> bool:
        return woken == [notice.chat_id]

    await until(heard, "the chat is woken")
    intake.stop()
    await running


async def test_a_message_sent_twice_and_never_answered_counts_as_told(bench: Bench) -> None:
    # given
    await _waiting(bench)
    await bench.do(update(notices).values(sends=2, sending_at=T0))

    # when
    await bench.mend(apply=True)

    # then
    [notice] = await rows(bench.store, notices)
    assert (notice.failure, notice.sent_at) == (ANSWER_LOST, LATER)
    assert await bench.audit() == set()


async def test_a_queue_that_is_away_breaks_no_promise_and_is_told(bench: Bench) -> None:
    nowhere = bench.settings.model_copy(update={"redis_url": "redis://127.0.0.1:1"})
    report = await examine(bench.store, nowhere, LATER)
    assert report.holds
    assert "127.0.0.1:1" in (report.unasked or "")


async def test_the_command_says_first_and_does_when_told(bench: Bench, short_folder) -> None:
    # given: a game whose time was up long ago, by the clock of this machine
    await bench.do(update(games).values(closes_at=datetime.now(UTC) - timedelta(hours=1)))
    settings = {
        "DATABASE_URL": bench.store.url.render_as_string(hide_password=False),
        "REDIS_URL": bench.settings.redis_url or "",
        "GUESS_QUEUE": bench.settings.guess_queue,
        "NOTIFY_QUEUE": bench.settings.notify_queue,
    }

    def run(*words: str) -> str:
        done = codemojex(*words, home=short_folder, **settings)
        assert done.stderr == ""
        return done.stdout

    # then
    found = {
        "line": "not_settled_in_time",
        "deed": "end the game",
        "ids": [str(bench.table.game.id)],
    }
    assert json.loads(run("repair", "--json")) == {"applied": False, "repairs": [found]}
    assert (await bench.table.row()).state == "open"

    # and when
    assert f"end the game: {bench.table.game.id}" in run("repair", "--apply")

    # then
    assert (await bench.table.row()).closed_reason == "clock"
