"""A PostgreSQL that takes every byte and never answers: each wait ends, nothing is kept, and the next one is served."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest
from sqlalchemy import insert, make_url, text

from codemojex.store import postgres, schema
from codemojex.store.engine import Store, StoreDown, open_store
from tests.play.makers import T0, rows
from tests.proxy import FaultProxy
from tests.system.deployment import until

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "ANSWER_S", 2.0)


@pytest.fixture
async def line(postgres_url: str) -> AsyncIterator[FaultProxy]:
    async with FaultProxy(postgres_url, resp=False) as proxy:
        yield proxy


@pytest.fixture
async def far(line: FaultProxy) -> AsyncIterator[Store]:
    """A store behind the line."""
    store = open_store(line.url)
    yield store
    await store.aclose()


def player(number: int) -> dict[str, object]:
    return {"id": number, "first_name": f"P{number}", "created_at": T0, "seen_at": T0}


async def one(tx):
    return (await tx.execute(text("SELECT 1"))).scalar_one()


async def test_a_line_that_dies_in_a_pause_costs_nobody_a_transaction(far, line):
    # given: connections in the pool
    await asyncio.gather(*(far.transact(one) for _ in range(3)))

    # when
    line.freeze()

    # then
    assert await asyncio.gather(*(far.transact(one) for _ in range(8))) == [1] * 8


@pytest.mark.parametrize("many", [1, 3], ids=["a statement", "a pipeline"])
async def test_a_line_that_dies_inside_a_transaction_is_an_outage_and_nothing_is_kept(far, line, many):
    async def break_off(tx):
        await tx.execute(insert(schema.players), [player(1)])
        line.freeze()
        await tx.execute(insert(schema.players), [player(2 + n) for n in range(many)])

    # when, then
    with pytest.raises(StoreDown, match="no answer within 2 s"):
        await far.transact(break_off)
    assert await rows(far, schema.players) == []


async def test_a_line_that_dies_before_the_commit_is_an_outage(far, line):
    async def break_off(tx):
        await tx.execute(insert(schema.players), [player(1)])
        line.freeze()

    # when, then
    with pytest.raises(StoreDown):
        await far.transact(break_off)
    assert await rows(far, schema.players) == []


async def test_a_refusal_behind_a_dead_line_is_still_that_refusal_and_holds_no_connection(line):
    store = open_store(line.url, connections=1)

    async def refuse(tx):
        await one(tx)
        line.freeze()
        raise KeyError("mine")

    # when: what fails is the rollback
    with pytest.raises((KeyError, StoreDown)):
        await store.transact(refuse)

    # then
    assert await store.transact(one) == 1
    await store.aclose()


async def test_a_server_that_answers_nobody_is_an_outage_until_it_answers(far, line):
    await far.transact(one)

    # when
    line.half_open()
    with pytest.raises(StoreDown):
        await far.transact(one)
    line.heal()

    # then
    assert await far.transact(one) == 1


async def test_a_statement_that_takes_too_long_is_ended_at_the_server(far, postgres_url):
    async def slow(tx):
        await tx.execute(text("SELECT pg_sleep(600)"))

    # when
    with pytest.raises(StoreDown):
        await far.transact(slow)

    # then
    conninfo = make_url(postgres_url).set(drivername="postgresql").render_as_string(hide_password=False)
    async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as connection:

        async def ended() -> bool:
            found = await connection.execute(
                "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE %s "
                "AND state = 'active' AND pid <> pg_backend_pid()",
                ["%pg_sleep(600)%"],
            )
            return await found.fetchone() is None

        await until(ended, "nobody sleeps")


@pytest.mark.parametrize("verb", ["transact", "read"])
async def test_what_looks_at_many_rows_is_waited_for(far, verb):
    async def slow(tx):
        return (await tx.execute(text("SELECT 1 FROM pg_sleep(4)"))).scalar_one()

    assert await getattr(far, verb)(slow, long=True) == 1
    with pytest.raises(StoreDown):
        await getattr(far, verb)(slow)
