"""Faults that breaking things has found: each kind has its test, so that it stays mended."""

from __future__ import annotations

import asyncio
import time

import pytest

import emq
from codemojex.bot.admins import wanted
from codemojex.bot.plain import read_shot
from codemojex.bursts import BurstLimits, Bursts
from codemojex.guess_lanes import GuessLanes
from codemojex.store import schema
from codemojex.store.engine import Store, StoreDown
from emq.hands import Hands
from emq.lease import Lease
from tests.bot.desk import ADA, Desk
from tests.play.makers import rows, seat
from tests.system.deployment import until
from tests.system.test_bursts import admitted, running

QUICK = BurstLimits(first_wait_s=0.01, longest_wait_s=0.05)


class Away:
    """A database that does not answer the first so many reads."""

    def __init__(self, store: Store, times: int) -> None:
        self._left = times
        self._store = store
        self.transact = store.transact

    async def read(self, fn, **options):
        if self._left:
            self._left -= 1
            raise StoreDown("away")
        return await self._store.read(fn, **options)


async def test_rows_that_could_not_be_read_are_read_again_though_no_guess_arrives(store, valkey_url, queue):
    # given: rows of an earlier run, and a database that is away when they are looked for
    table = await seat(store)
    items = await admitted(table, 3)

    # when
    async with await emq.connect(valkey_url) as conn:
        bursts = Bursts(GuessLanes(conn, queue), Away(store, times=2), QUICK)

        async def queued() -> bool:
            return all(row.enqueued_at for row in await rows(store, schema.guesses))

        # then
        async with running(bursts):
            await until(queued, f"{len(items)} guesses are in the queue", 5)


@pytest.mark.parametrize("odd", [{"id": {}}, [[]], None, 7], ids=str)
@pytest.mark.parametrize("text", ["🍌🍎🍇🍓🍒🍍", "/giveup"])
async def test_a_chat_of_a_strange_type_costs_its_neighbours_nothing(store, odd, text):
    # given
    desk = Desk(store)
    await desk.private(ADA, "/new")
    strange, guess = desk.message(ADA, text), desk.message(ADA, "🍌🍎🍇🍓🍒🍍")
    strange["message"]["chat"] = {"id": -5, "type": odd, "title": "Fruit"}

    # when
    await desk.take(strange, guess)

    # then
    assert len(await desk.guesses()) == 1
    assert wanted([strange]) == []
    assert read_shot(strange) is None


class _Late:
    """A keeper whose leases have lapsed by the time the claim is read, and which says so at once."""

    def track_many(self, held, leased_at):
        past, held = leased_at - 1, list(held)
        leases = [Lease(id, token, until=past, renew_at=past, on_lost=None) for id, token, _ in held]
        for lease, (_, _, on_lost) in zip(leases, held, strict=True):
            asyncio.get_running_loop().call_soon(on_lost, lease)
        return leases

    def untrack(self, *leases):
        pass


class _Idle(list):
    """A settler with nothing to do."""

    def give(self, endings):
        self += endings


async def test_a_worker_whose_claim_comes_after_its_leases_claims_again():
    """A process that stood still between a claim and its reply: the handler's call is cancelled before it began."""

    # given
    async def work(jobs):
        raise AssertionError("nothing may be worked on")

    hands = Hands(work, 10, _Late(), _Idle(), emq.WorkerOptions(concurrency=1))  # type: ignore[arg-type]
    claims = [emq.Claim(emq.mint("JOB"), b"{}", 1, None, 0) for _ in range(3)]

    # when
    hands.take(claims, time.monotonic())
    await asyncio.wait_for(hands.idle(), 60)

    # then
    assert hands.room > 0
    assert hands.lost == 3
