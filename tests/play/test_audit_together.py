"""The audit of playing together: rooms, days, pins, hints, and what players have gathered."""

from __future__ import annotations

import json
import random
from datetime import timedelta

import pytest
from sqlalchemy import delete, insert, text, update

from codemojex.play import daily, hints, members, pins, scores, settlement
from codemojex.play.audit import audit
from codemojex.play.guesses import Guesses, Source
from codemojex.play.players import seen
from codemojex.play.pseudonyms import pseudonym
from codemojex.play.streaks import finished
from codemojex.store import schema
from codemojex.store.engine import open_store
from tests.play.makers import ADA, BO, CY, EASY_GOING, GROUP, NEAR, NONCE, SECRET, T0, group, mint, rows

NOW = T0 + timedelta(minutes=1)
DAY = "2026-12-01"
finishes, seasons = schema.finishes, schema.seasons


async def _violations(store, now=NOW):
    report = await store.read(lambda tx: audit(tx, now))
    # Nobody queues or sends anything here, which is not what these tests are about.
    return [
        found for found in report.violations if not found.name.endswith("_in_time") or "day" in found.name
    ]


async def _do(store, *statements):
    async def do(tx):
        for statement in statements:
            await tx.execute(text(statement) if isinstance(statement, str) else statement)

    await store.transact(do)


async def _lived(store):
    """A group's game with pins and hints that Ada won, a link room with both, and a puzzle Ada has solved."""
    table = await group(store, (ADA, BO))
    bo = table.people[BO.id]

    async def help_them(tx):
        await pins.pin(tx, table.game, bo, 3, "🍇", T0)
        for _ in range(2):
            await hints.ask(tx, table.game, bo, T0, random.Random(1))

    await store.transact(help_them)
    await table.score(*await table.admit((NEAR, BO), (SECRET, ADA)))
    await table.settle()

    async def gather(tx):
        room = await members.open_link(tx, table.ada, T0, random.Random(1))
        await members.join(tx, bo, room.code, T0)
        return await daily.today(tx, T0, "UTC", T0, random.Random(1), NONCE, table.ada)

    puzzle = await store.transact(gather)
    [row] = await rows(store, schema.games, id=puzzle.id)
    await _guess(store, puzzle, row.secret, 1)
    return table, puzzle


async def _guess(store, game, symbols, message_id):
    async def guess(tx):
        source = Source(ADA.id, message_id, T0)
        admission = Guesses(tx, T0, mint, EASY_GOING)
        receipt = await admission.submit(game, await seen(tx, ADA, T0), list(symbols), source)
        await scores.score(tx, [receipt.id], T0, mint)

    await store.transact(guess)


async def test_a_lively_evening_breaks_no_promise(store):
    await _lived(store)
    assert await _violations(store) == []


async def test_a_puzzle_that_is_over_breaks_no_promise(store):
    # given
    _, puzzle = await _lived(store)
    due = T0 + timedelta(days=1)

    # when
    await store.transact(lambda tx: settlement.settle(tx, puzzle.id, due, mint))

    # then
    assert await _violations(store, due) == []
    assert (await rows(store, finishes, game_id=puzzle.id))[0].won


def _member(room_id, player_id):
    return insert(schema.members).values(room_id=room_id, player_id=player_id, joined_at=T0)


def _season(**values):
    everybody = {"scope": 0, "period": "all", "player_id": ADA.id}
    found = seasons.c.player_id == ADA.id, seasons.c.scope == everybody["scope"], seasons.c.period == "all"
    return update(seasons).where(*found).values(**values)


def _first(table, **values):
    return update(table).where(table.c.game_id == 1).values(**values)


# Each breaks one promise of `_lived`: its name, and statements made from the group's game and the puzzle.
PLANTED = {
    "room_misshapen": lambda game, puzzle: [
        update(schema.rooms).where(schema.rooms.c.day == DAY).values(code="X")
    ],
    "left_behind": lambda game, puzzle: [update(schema.chats).values(moved_to=-1)],
    "member_of_no_link_room": lambda game, puzzle: [_member(game.room_id, ADA.id).values(left_at=T0)],
    "streak_impossible": lambda game, puzzle: [
        update(schema.players).where(schema.players.c.id == ADA.id).values(streak=9)
    ],
    "guessed_on_after_solving": lambda game, puzzle: [
        insert(schema.guesses).values(
            id=mint("JOB"),
            game_id=puzzle.id,
            player_id=ADA.id,
            chat_id=ADA.id,
            message_id=99,
            ordinal=2,
            number=2,
            symbols="".join(puzzle.keyboard.chars[:6]),
            admitted_at=T0,
        )
    ],
    "pin_impossible": lambda game, puzzle: [update(schema.pins).values(symbol="🐶")],
    "too_many_hints": lambda game, puzzle: [
        update(schema.hints).where(schema.hints.c.number == 2).values(number=3)
    ],
    "hint_untrue": lambda game, puzzle: [
        update(schema.hints).where(schema.hints.c.number == 1).values(symbol="🥝")
    ],
    "finish_missing": lambda game, puzzle: [delete(finishes).where(finishes.c.player_id == ADA.id)],
    "finish_wrong": lambda game, puzzle: [
        update(finishes).where(finishes.c.player_id == BO.id).values(guesses=7)
    ],
    "season_not_the_sum": lambda game, puzzle: [_season(wins=5)],
    "season_missing": lambda game, puzzle: [
        delete(seasons).where(seasons.c.scope == GROUP, seasons.c.player_id == BO.id)
    ],
    "season_not_its_parts": lambda game, puzzle: [
        update(seasons)
        .where(seasons.c.player_id == ADA.id, seasons.c.period == DAY, seasons.c.scope == 0)
        .values(points=1)
    ],
    "waits_for_nobody": lambda game, puzzle: [
        insert(schema.notices).values(
            id=mint("JOB"), chat_id=pseudonym(), kind="text", data="{}", created_at=T0
        )
    ],
}

# Without the game's end no sum is right either.
_FOLLOW = {"finish_missing": {"season_not_the_sum"}}


@pytest.mark.parametrize("name", PLANTED)
async def test_a_broken_promise_is_named_alone(store, name):
    # given
    table, puzzle = await _lived(store)
    await _do(store, *PLANTED[name](table.game, puzzle))

    # when
    violations = await _violations(store)

    # then
    assert {found.name for found in violations} - _FOLLOW.get(name, set()) == {name}
    [found] = [found for found in violations if found.name == name]
    assert (found.count, len(found.samples)) == (1, 1)
    assert found.promise.endswith(".")


@pytest.mark.parametrize(
    ("values", "who"),
    [
        ({"points": 600}, BO),
        ({"points": 0, "rank": None}, BO),
        ({"hints": 1}, BO),
        ({"won": True}, BO),
        ({"won": False}, ADA),
        ({"rank": None}, ADA),
    ],
)
async def test_whatever_is_wrong_about_a_finish_is_found(store, values, who):
    await _lived(store)
    await _do(store, update(finishes).where(finishes.c.player_id == who.id).values(**values))
    assert "finish_wrong" in {found.name for found in await _violations(store)}


async def test_a_finish_in_an_open_game_is_found(store):
    table = await group(store)
    await table.score(*await table.admit((NEAR, ADA)))
    early = {"game_id": table.game.id, "player_id": ADA.id, "points": 560, "rank": 1, "guesses": 1}
    await _do(store, insert(finishes).values(**early, hints=0, won=False, closed_at=T0))
    assert "finish_wrong" in {found.name for found in await _violations(store)}


async def test_a_puzzle_that_stays_open_long_after_its_day_is_named(store):
    # given
    _, puzzle = await _lived(store)

    # then
    late = [found.name for found in await _violations(store, T0 + timedelta(days=2))]
    assert late == []
    [found] = await _violations(store, T0 + timedelta(days=3, hours=3))
    assert (found.name, found.samples) == ("day_not_closed_in_time", [str(puzzle.id)])


async def test_a_real_streak_is_no_violation(store):
    await _lived(store)
    await store.transact(lambda tx: finished(tx, ADA.id, "2026-12-02"))
    assert await _violations(store) == []


async def test_a_person_in_two_rooms_is_named_where_the_rule_is_gone(own_database_url):
    # given: a database that was restored without its index
    store = open_store(own_database_url)
    await _lived(store)
    other = await store.transact(_second_room)
    await _do(store, "DROP INDEX uq_members_present")

    # when
    await _do(store, _member(other.id, ADA.id))

    # then
    [found] = await _violations(store)
    assert (found.name, found.samples) == ("in_two_rooms", [str(ADA.id)])
    await store.aclose()


async def _second_room(tx):
    return await members.open_link(tx, await seen(tx, CY, T0), T0, random.Random(2))


async def test_a_symbol_hinted_or_pinned_twice_is_named_where_the_rule_is_gone(own_database_url):
    # given
    store = open_store(own_database_url)
    table, _ = await _lived(store)
    if store.kind == "PostgreSQL":
        for name in ("pins", "hints"):
            await _do(store, f"ALTER TABLE {name} DROP CONSTRAINT uq_{name}_game_id_player_id_symbol")
    else:
        for name in ("pins", "hints"):
            await _do(store, f"CREATE TABLE loose AS SELECT * FROM {name}", f"DROP TABLE {name}")  # noqa: S608
            await _do(store, f"ALTER TABLE loose RENAME TO {name}")

    # when
    [first, _] = await rows(store, schema.hints)
    pin = {"game_id": table.game.id, "player_id": BO.id, "position": 4, "symbol": "🍇", "pinned_at": T0}
    await _do(store, update(schema.hints).values(symbol=first.symbol), insert(schema.pins).values(**pin))

    # then
    assert {found.name for found in await _violations(store)} == {"pin_impossible", "hint_untrue"}
    await store.aclose()


async def test_nothing_that_is_found_tells_a_secret_or_a_name(store):
    # given: everything that can be wrong is, in open games too
    table, puzzle = await _lived(store)
    [row] = await rows(store, schema.games, id=puzzle.id)
    for plant in PLANTED.values():
        await _do(store, *plant(table.game, puzzle))

    # when
    report = await store.read(lambda tx: audit(tx, NOW))

    # then
    told = json.dumps(report.as_dict(), ensure_ascii=False)
    assert len(report.violations) >= len(PLANTED)
    for word in (*SECRET, *row.secret, NONCE, "Ada", "Lovelace"):
        assert word not in told


NAMED = set(PLANTED) | {"day_not_closed_in_time", "in_two_rooms"}
