"""The audit: silent where every promise holds, and naming each one that is broken by hand."""

from __future__ import annotations

import json
import time
from datetime import timedelta

import pytest
from sqlalchemy import delete, insert, text, update

from codemojex.game.secret import commitment
from codemojex.play import audit as auditing
from codemojex.play import handover, outbox, updates
from codemojex.play.audit import audit, checks
from codemojex.play.audit.rules import RULES
from codemojex.play.games import Cause
from codemojex.play.updates import Mark
from codemojex.store import schema
from codemojex.store.engine import open_store
from tests.play import test_audit_together
from tests.play.makers import ADA, BO, CY, FAR, NEAR, NONCE, SECRET, T0, WRONG, group, mint, rows

games, guesses, notices = schema.games, schema.guesses, schema.notices
NOW = T0 + timedelta(minutes=1)
MUCH_LATER = T0 + timedelta(hours=2)


@pytest.fixture
async def own_store(own_database_url):
    """A database whose indexes may be dropped."""
    opened = open_store(own_database_url)
    yield opened
    await opened.aclose()


async def _audit(store, now=NOW):
    return await store.read(lambda tx: audit(tx, now))


async def _do(store, *statements):
    async def do(tx):
        for statement in statements:
            await tx.execute(text(statement) if isinstance(statement, str) else statement)

    await store.transact(do)


async def _names(store, now=NOW):
    return {violation.name for violation in (await _audit(store, now)).violations}


async def _finished(store):
    """A group's game: Ada 240, Bo cracks, Cy cracks too late; everything queued, scored and told."""
    table = await group(store)
    receipts = [
        await table.guess(code, person, update_id=n)
        for n, (code, person) in enumerate([(FAR, ADA), (SECRET, BO), (SECRET, CY)], 1)
    ]

    async def mark(tx):
        for n in (1, 2, 3):
            await updates.record(tx, Mark(n, "message", table.room.chat_id, n), "handled", table.at(1))

    await store.transact(mark)
    await table.score(*receipts)
    await table.settle()
    waiting = await store.read(lambda tx: outbox.waiting(tx, table.room.chat_id, 10))
    taken = await store.transact(lambda tx: handover.sending(tx, waiting, table.at(7)))
    await store.transact(lambda tx: handover.sent(tx, [notice.id for notice in taken], 5, table.at(8)))
    await _do(store, update(guesses).values(enqueued_at=table.at(2)))
    return table, receipts


async def test_an_empty_database_breaks_no_promise(store):
    report = await _audit(store)
    assert report.holds
    assert set(report.counts.values()) == {0}


async def test_a_finished_game_is_counted_and_breaks_no_promise(store):
    # given
    await _finished(store)

    # when
    report = await _audit(store, MUCH_LATER)

    # then
    assert report.violations == []
    counted = {name: report.counts[name] for name in ("admitted", "queued", "scored", "told", "late")}
    assert counted == {"admitted": 3, "queued": 3, "scored": 3, "told": 3, "late": 1}
    assert (report.counts["games_closed"], report.counts["games_open"]) == (1, 0)
    assert (report.counts["notices"], report.counts["notices_waiting"]) == (4, 0)


async def test_a_game_in_full_swing_breaks_no_promise(store):
    table = await group(store)
    await table.score(*await table.admit((NEAR, ADA), (SECRET, BO)))
    await table.admit((FAR, CY))
    assert (await _audit(store)).violations == []


def _guess(receipt, **values):
    return update(guesses).where(guesses.c.id == receipt.id).values(**values)


def _notice_of(receipt, **values):
    return update(notices).where(notices.c.guess_id == receipt.id).values(**values)


# Each plants one broken promise in `_finished`: its name, and statements made from the table and its receipts.
PLANTED = {
    "over_the_limit": lambda table, r: [_guess(r[0], number=99)],
    "admitted_after_the_end": lambda table, r: [_guess(r[2], admitted_at=table.at(9))],
    "guess_without_its_update": lambda table, r: [
        delete(schema.updates).where(schema.updates.c.update_id == 2)
    ],
    "poison_not_recorded": lambda table, r: [
        update(schema.updates).where(schema.updates.c.update_id == 2).values(outcome="poison")
    ],
    "half_scored": lambda table, r: [_guess(r[0], points=None)],
    "unscored_in_a_closed_game": lambda table, r: [_guess(r[0], scored_at=None, points=None)],
    "crack_without_a_winner": lambda table, r: [
        update(games).values(winner_id=None, winning_guess_id=None, closed_reason="clock"),
        update(guesses).values(late=False),
    ],
    "winner_without_a_crack": lambda table, r: [update(games).values(winner_id=ADA.id)],
    "won_by_a_later_crack": lambda table, r: [
        update(games).values(winner_id=CY.id, winning_guess_id=r[2].id),
        update(guesses).values(late=False),
    ],
    "late_flag_wrong": lambda table, r: [_guess(r[2], late=False)],
    "half_closed": lambda table, r: [update(games).values(closed_at=None)],
    "scored_without_a_notice": lambda table, r: [
        delete(notices).where(notices.c.guess_id == r[0].id),
        _guess(r[0], told_at=None),
    ],
    "told_without_a_message": lambda table, r: [_notice_of(r[0], sent_at=None, failure="lost")],
    "dropped_without_a_reason": lambda table, r: [
        _guess(r[0], told_at=None, dropped_at=table.at(9)),
        _notice_of(r[0], sent_at=None),
    ],
    "sent_but_not_told": lambda table, r: [_guess(r[0], told_at=None)],
    "sent_too_often": lambda table, r: [_notice_of(r[0], sends=3)],
    "secret_does_not_match": lambda table, r: [
        update(games).values(nonce=NONCE[::-1]),
    ],
    "malformed_guess": lambda table, r: [_guess(r[0], symbols="🍎🍎🍇🍓🍒🍍")],
    "scored_wrongly": lambda table, r: [_guess(r[0], points=260)],
}


# What players have gathered is made of guesses and winners, so it is wrong together with them.
FOLLOW = {"finish_wrong", "finish_missing"}


@pytest.mark.parametrize("name", PLANTED)
async def test_a_broken_promise_is_named_alone_with_a_sample(store, name):
    # given
    table, receipts = await _finished(store)
    await _do(store, *PLANTED[name](table, receipts))

    # when
    report = await _audit(store, MUCH_LATER if name == "scored_without_a_notice" else NOW)

    # then
    violations = [violation for violation in report.violations if violation.name not in FOLLOW]
    assert [violation.name for violation in violations] == [name]
    [found] = violations
    assert (found.count, len(found.samples)) == (1, 1)
    assert found.promise.endswith(".")


async def test_a_guess_that_nobody_queues_or_scores_is_named_once_it_takes_too_long(store):
    table = await group(store)
    await table.admit((NEAR, ADA))
    assert await _names(store) == set()
    assert await _names(store, T0 + timedelta(minutes=11)) == {"not_queued_in_time", "not_scored_in_time"}


async def test_who_is_passed_over_is_named_and_who_only_has_much_to_wait_for_is_not(store):
    # given: Ada and Bo have guessed, and long after them Cy
    table = await group(store)
    await table.guess(NEAR, ADA, seconds=1)
    await table.guess(FAR, BO, seconds=1)
    late = await table.guess(NEAR, CY, seconds=220)
    assert await _names(store, table.at(230)) == set()

    # when Cy is served, and Bo has been meanwhile
    await table.score(late, seconds=221)
    await table.score((await table.guesses())[1].id, seconds=200)
    await table.guess(NEAR, BO, seconds=2)
    await _do(store, update(guesses).values(enqueued_at=T0))

    # then
    [found] = (await _audit(store, table.at(230))).violations
    assert (found.name, found.samples) == ("passed_over", [(await table.guesses())[0].id])
    assert (await store.read(lambda tx: audit(tx, table.at(230), [ADA.id]))).holds


async def test_a_send_that_began_in_the_future_is_named(store):
    table = await group(store, minutes=1_440)
    await table.score(*await table.admit((NEAR, ADA)))
    await _do(store, update(guesses).values(enqueued_at=T0), update(notices).values(sends=1))
    await _do(store, update(notices).values(sending_at=NOW + timedelta(minutes=9)))
    assert await _names(store) == set()
    await _do(store, update(notices).values(sending_at=NOW + timedelta(minutes=11)))
    assert await _names(store) == {"sending_since_the_future"}


async def test_a_notice_that_waits_for_an_hour_is_named(store):
    table = await group(store, minutes=1_440)
    await table.score(*await table.admit((NEAR, ADA)))
    await _do(store, update(guesses).values(enqueued_at=T0))
    assert await _names(store, T0 + timedelta(minutes=59)) == set()
    assert await _names(store, T0 + timedelta(minutes=61)) == {"not_told_in_time"}


@pytest.mark.parametrize("why", ["clock", "crack"])
async def test_a_game_that_should_have_ended_is_named(store, why):
    table = await group(store, minutes=1 if why == "clock" else 1_440)
    if why == "crack":
        await table.score(*await table.admit((SECRET, ADA)))
        await _do(store, update(guesses).values(enqueued_at=T0))
    assert await _names(store, T0 + timedelta(minutes=9)) == set()
    names = await _names(store, T0 + timedelta(minutes=12))
    assert names - {"scored_without_a_notice"} == {"not_settled_in_time"}


async def test_an_open_game_with_an_end_is_named(store):
    table = await group(store)
    await _do(store, update(games).values(closed_at=table.at(1)))
    assert await _names(store) == {"half_closed"}


EARLY = {
    "an ending": {"kind": "ended", "data": "{}"},
    "the nonce": {"kind": "text", "data": json.dumps({"text": f"psst: {NONCE}"})},
}


@pytest.mark.parametrize("told", EARLY)
async def test_a_notice_that_tells_an_open_game_too_much_is_named(store, told):
    table = await group(store)
    row = {"id": mint("JOB"), "chat_id": 1, "game_id": table.game.id, "created_at": T0, **EARLY[told]}
    await _do(store, insert(notices).values(**row))
    assert await _names(store) == {"told_too_early"}


async def test_a_crack_that_is_told_before_its_game_is_settled_is_named(store):
    table = await group(store)
    [receipt] = await table.admit((SECRET, ADA))
    await table.score(receipt)
    early = {"id": mint("JOB"), "chat_id": 1, "game_id": table.game.id, "kind": "result", "data": "{}"}
    await _do(store, insert(notices).values(**early, guess_id=receipt.id, created_at=T0))
    assert await _names(store) == {"told_too_early"}


async def _loosen(store, table, rule):
    """Take a unique rule away, as a database restored without it would be."""
    if store.kind == "PostgreSQL":
        await _do(store, f"ALTER TABLE {table} DROP CONSTRAINT {rule}")
        return
    async with store._engine.connect() as connection:
        raw = (await connection.get_raw_connection()).driver_connection
        for statement in (
            "PRAGMA foreign_keys = OFF",
            f"CREATE TABLE loose AS SELECT * FROM {table}",  # noqa: S608  # a name from this file
            f"DROP TABLE {table}",
            f"ALTER TABLE loose RENAME TO {table}",
            "PRAGMA foreign_keys = ON",
        ):
            await raw.execute(statement)


@pytest.mark.parametrize(
    ("name", "table", "constraint", "values"),
    [
        ("message_admitted_twice", "guesses", "uq_guesses_chat_id_message_id", {"message_id": 1}),
        ("number_given_twice", "guesses", "uq_guesses_game_id_player_id_number", {"number": 1}),
        ("order_unclear", "guesses", "uq_guesses_game_id_ordinal", {"ordinal": 1}),
        ("told_by_two_notices", "notices", "uq_notices_guess_id", {}),
    ],
)
async def test_what_the_tables_refuse_is_named_where_their_rules_are_gone(
    own_store, name, table, constraint, values
):
    # given
    played = await group(own_store)
    first, second = await played.admit((NEAR, ADA), (FAR, ADA))
    await played.score(first, second)
    await _loosen(own_store, table, constraint)
    if table == "guesses":
        await _do(own_store, _guess(second, **values))
    else:
        await _do(own_store, _notice_of(second, guess_id=first.id))

    # when
    report = await _audit(own_store)

    # then
    assert [(violation.name, violation.count) for violation in report.violations] == [(name, 2)]


async def test_two_open_games_in_a_room_are_named(own_store):
    # given
    first = await group(own_store)
    await _do(own_store, "DROP INDEX uq_games_open_room")
    copied = dict((await first.row())._mapping)
    del copied["id"]

    # when
    await _do(own_store, insert(games).values(**copied))

    # then
    assert await _names(own_store) == {"two_games_in_a_room"}


async def test_every_check_is_planted_by_a_test():
    planted = set(PLANTED) | {
        "message_admitted_twice", "number_given_twice", "order_unclear", "told_by_two_notices",
        "two_games_in_a_room", "told_too_early", "not_settled_in_time", "not_told_in_time",
        "not_queued_in_time", "not_scored_in_time", "passed_over", "sending_since_the_future",
    }  # fmt: skip
    assert {check.name for check in checks(NOW)} | set(RULES) == planted | test_audit_together.NAMED


async def test_the_report_is_plain_json_without_any_secret(store):
    # given: everything that can be wrong with a game is
    table, receipts = await _finished(store)
    for plant in PLANTED.values():
        await _do(store, *plant(table, receipts))

    # when
    told = json.dumps((await _audit(store, MUCH_LATER)).as_dict(), ensure_ascii=False)

    # then
    assert json.loads(told)["holds"] is False
    for symbol in SECRET:
        assert symbol not in told
    for word in (NONCE, NONCE[::-1], commitment(tuple(SECRET), NONCE), "Ada", "Lovelace"):
        assert word not in told


async def test_samples_are_at_most_five(store):
    table = await group(store)
    receipts = await table.admit(*((wrong, ADA) for wrong in WRONG[:9]))
    await table.score(*receipts)
    await _do(store, update(guesses).values(points=20))
    [found] = (await _audit(store)).violations
    assert (found.name, found.count, found.samples) == ("scored_wrongly", 9, [r.id for r in receipts[:5]])


async def test_the_audit_of_a_give_up_and_of_the_clock_finds_nothing(store):
    table = await group(store)
    await table.admit((NEAR, ADA), (SECRET, BO), (FAR, CY))
    await table.settle(Cause.CLOCK)
    assert (await _audit(store)).violations == []
    assert len(await rows(store, notices)) == 4


async def test_an_audit_may_think_longer_than_a_transaction_may_lie_idle(store, monkeypatch):
    # given: longer than a statement has to wait for its turn
    async def think(_tx):
        time.sleep(2.5)  # computes
        return []

    async def impatient(tx):
        if tx.dialect.name == "postgresql":
            await tx.execute(text("SET LOCAL idle_in_transaction_session_timeout = 2000"))
        return await auditing.audit(tx, T0)

    monkeypatch.setattr(auditing, "by_the_rules", think)

    # when
    report = await store.read(impatient)

    # then
    assert report.counts["players"] >= 0
