"""What waits in the database, counted and dated, and found through small indexes on either database."""

from __future__ import annotations

from codemojex.play import sweep
from codemojex.play.backlog import Backlog, backlog
from codemojex.store.engine import open_store
from codemojex.store.schema import notices
from tests.play.makers import ADA, NEAR, WRONG, rows, seat
from tests.statements import sent_by


async def test_an_empty_database_has_no_backlog(store):
    assert await store.read(backlog) == Backlog(0, 0, 0, None, 0, None)


async def test_what_waits_is_counted_and_the_oldest_of_it_dated(store):
    # given: three guesses, the first of them queued, the second scored as well and to be told
    table = await seat(store)
    first, second, third = await table.admit(*((wrong, ADA) for wrong in WRONG[:3]))
    await store.transact(lambda tx: sweep.mark_enqueued(tx, [first.id, second.id], table.at(5)))
    await table.score(second)

    # when
    found = await store.read(backlog)

    # then
    admitted = {row.id: row.admitted_at for row in await rows(store, sweep.guesses)}
    waiting = [row for row in await rows(store, notices) if row.sent_at is None]
    assert (found.games_open, found.unqueued, found.unscored) == (1, 1, 2)
    assert found.unscored_since == min(admitted[first.id], admitted[third.id])
    assert found.untold == len(waiting) > 0
    assert found.untold_since == min(row.created_at for row in waiting)


async def test_no_query_of_it_walks_the_history(own_postgres_url):
    """A planner that knows of many told guesses and few that wait takes the index of those that wait."""
    # given
    store = open_store(own_postgres_url)
    table = await seat(store)
    [receipt] = await table.admit((NEAR, ADA))
    await table.score(receipt)
    await store.transact(_with_history, long=True)

    # when
    with sent_by(store) as sent:
        await store.read(backlog)

    # then
    async def explain(tx):
        return [
            "\n".join((await tx.exec_driver_sql(f"EXPLAIN {statement}", parameters)).scalars())
            for statement, parameters in sent
            if statement.startswith("SELECT")
        ]

    plans = await store.read(explain)
    await store.aclose()
    assert len(plans) == 4
    walked = ("Seq Scan on guesses", "Seq Scan on notices", "pk_guesses", "pk_notices")
    assert not [plan for plan in plans if any(words in plan for words in walked)]


async def _with_history(tx):
    """Fifty thousand notices that were told, and as many guesses."""
    await tx.exec_driver_sql(
        "INSERT INTO notices (id, chat_id, thread_id, kind, data, created_at, sends, sent_at) "
        "SELECT 'JOB' || lpad(n::text, 11, '0'), n, 0, 'text', '{}', now(), 1, now() "
        "FROM generate_series(1000001, 1050000) AS n"
    )
    await tx.exec_driver_sql(
        "INSERT INTO guesses SELECT (jsonb_populate_record(g, jsonb_build_object("
        "'id', 'JOB' || lpad(n::text, 11, '0'), 'message_id', n, 'ordinal', n, 'number', n, "
        "'enqueued_at', now(), 'scored_at', now(), 'told_at', now()))).* "
        "FROM guesses AS g, generate_series(1000001, 1050000) AS n"
    )
    for table in ("notices", "guesses"):
        await tx.exec_driver_sql(f"ANALYZE {table}")
