"""Plain guesses admitted together come to exactly what they come to one by one."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from codemojex.bot.plain import in_the_way, read_shot
from codemojex.play.limits import Limits
from codemojex.play.volleys import Volleys
from codemojex.store import schema
from tests.bot.desk import ADA, BO, CY, FRUIT, MISS, NEAR, SECRET, Desk, Raw, person
from tests.play.makers import FAR, NEAR_TOO, WRONG, rows

PEOPLE = (ADA, BO, CY)
# Whom nobody has met; what they say first may be anything.
STRANGERS = tuple(range(CY + 1, CY + 9))
WORDS = (
    NEAR,
    FAR,
    *WRONG[:6],
    NEAR_TOO,
    SECRET,
    "hello",
    "🍎🍎🍇🍓🍒🍍",
    "🐶🍌🍇🍓🍒🍍",
    "🍎",
    "🍌🍎 🍇🍓 🍒🍍",
)
COMMANDS = (
    "/new",
    "/new",
    "/giveup",
    "/daily",
    "/pin 1 🍌",
    "/unpin",
    "/invite",
    "/leave",
    "/hint",
    f"/guess {NEAR}",
)


def _script(seed: int, desk: Desk) -> list[list[Raw]]:
    """Batches in which everything happens that may happen between guesses."""
    dice = random.Random(seed)
    batches: list[list[Raw]] = [
        [desk.message(who, "/new") for who in PEOPLE] + [desk.message(ADA, "/new", FRUIT)]
    ]
    for _ in range(6):
        batch: list[Raw] = []
        for _ in range(dice.randint(1, 25)):
            who = dice.choice(PEOPLE)
            said = dice.choice(COMMANDS) if dice.random() < 0.15 else dice.choice(WORDS)
            update = desk.message(who, said, FRUIT if dice.random() < 0.3 else None)
            if dice.random() < 0.05:
                update["message"]["from"] = person(who) | {"first_name": "Renamed"}
            if dice.random() < 0.1:
                update = desk.message(dice.choice(STRANGERS), said, dice.choice((FRUIT, FRUIT, None)))
            if dice.random() < 0.05:
                update["message"]["is_topic_message"] = False
            batch.append(dice.choice(batch) if batch and dice.random() < 0.08 else update)
        batches.append(batch)
        desk.now += timedelta(seconds=dice.choice((0, 1, 30)))
    return batches


async def _played(store: Any, seed: int) -> dict[str, list[Any]]:
    """What a script leaves in an empty database, without what is drawn or minted."""
    desk = Desk(store, limits=Limits(alone=6, group=5, per_second=0.5, burst=4))
    for batch in _script(seed, desk):
        await desk.take(*batch)
        await desk.score()
    games = {row.id: place for place, row in enumerate(sorted(await desk.games(), key=lambda row: row.id))}
    columns = (
        "ordinal",
        "number",
        "player_id",
        "chat_id",
        "message_id",
        "symbols",
        "points",
        "late",
        "update_id",
    )
    guesses = [
        (games[row.game_id], *(getattr(row, name) for name in columns))
        for row in await rows(store, schema.guesses)
    ]
    people = [tuple(row)[:11] for row in await rows(store, schema.players)]
    marks = [tuple(row) for row in await rows(store, schema.updates)]
    told = [(row.chat_id, row.kind, row.reply_to) for row in await desk.notices()]
    queued = [job.player_id for job in desk.queued]
    found = {"guesses": guesses, "people": people, "marks": marks, "told": told, "queued": queued}
    return {name: sorted(each, key=repr) for name, each in found.items()} | {
        "order": [j.player_id for j in desk.queued]
    }


async def _emptied(store: Any) -> None:
    async def empty(tx: Any) -> None:
        for table in reversed(schema.metadata.sorted_tables):
            await tx.execute(table.delete())

    await store.transact(empty)


@pytest.mark.parametrize("seed", range(8))
async def test_a_volley_comes_to_what_its_guesses_come_to_one_by_one(store, monkeypatch, seed):
    # given
    with monkeypatch.context() as alone:
        alone.setattr("codemojex.bot.intake.read_shot", lambda _: None)
        wanted = await _played(store, seed)
    await _emptied(store)

    # when
    found = await _played(store, seed)

    # then
    assert wanted["guesses"]
    assert found == wanted


async def test_a_guess_that_another_bot_admits_meanwhile_is_a_duplicate_and_its_neighbours_stand(
    desk, monkeypatch
):
    # given: Bo's message was admitted by somebody whose mark cannot be seen yet
    for who in PEOPLE:
        await desk.private(who, "/new")
    batch = [desk.message(who, NEAR) for who in PEOPLE]
    admit, failures = Volleys.admit, []

    async def meets(self, shots):
        if not failures:
            failures.append(shots)
            raise IntegrityError("INSERT", {}, Exception("unique"))
        return await admit(self, shots)

    monkeypatch.setattr(Volleys, "admit", meets)

    # when
    await desk.take(*batch)

    # then: one by one
    assert len(failures) == 1
    assert await desk.guesses() == [NEAR] * 3
    assert await desk.outcomes(batch) == ["handled"] * 3


async def test_two_bots_that_get_the_same_updates_admit_each_once(store):
    # given
    one, two = Desk(store), Desk(store)
    for who in PEOPLE:
        await one.private(who, "/new")
    batch = [one.message(who, six) for six in WRONG[:3] for who in PEOPLE]

    # when
    await asyncio.gather(one.take(*batch), two.take(*batch))

    # then
    assert sorted(await one.guesses()) == sorted(3 * WRONG[:3])
    assert len(one.queued) + len(two.queued) == 9


async def test_each_game_counts_its_guesses_in_the_order_of_the_batch(desk):
    # given
    await desk.group(ADA, "/new")
    await desk.group(BO, MISS)

    # when
    await desk.take(*(desk.message(who, six, FRUIT) for six in (NEAR, WRONG[1]) for who in (BO, ADA)))

    # then
    found = sorted(await rows(desk.store, schema.guesses), key=lambda row: row.ordinal)
    assert [(row.ordinal, row.player_id, row.number) for row in found] == [
        (1, BO, 1),
        (2, BO, 2),
        (3, ADA, 1),
        (4, BO, 3),
        (5, ADA, 2),
    ]
    assert [row.id for row in found] == sorted(row.id for row in found)


async def test_whoever_guesses_for_the_first_time_in_a_group_is_admitted_with_the_others(desk, monkeypatch):
    # given
    await desk.group(ADA, "/new")
    alone = []
    monkeypatch.setattr(
        "codemojex.bot.intake.Intake._handle", lambda self, work, raw, mark: alone.append(raw)
    )
    shots = ((BO, NEAR), (ADA, NEAR), (STRANGERS[0], NEAR), (BO, FAR))
    batch = [desk.message(who, six, FRUIT) for who, six in shots]

    # when
    await desk.take(*batch)

    # then
    assert not alone
    assert [job.player_id for job in desk.queued] == [BO, ADA, STRANGERS[0], BO]
    assert {row.id for row in await rows(desk.store, schema.players)} == {ADA, BO, STRANGERS[0]}


async def test_whoever_says_something_else_in_a_group_is_not_made_a_player(desk):
    # given
    await desk.group(ADA, "/new")

    # when
    await desk.take(desk.message(BO, NEAR, FRUIT), desk.message(STRANGERS[0], "hello", FRUIT))

    # then
    assert {row.id for row in await rows(desk.store, schema.players)} == {ADA, BO}


@pytest.mark.parametrize(
    "change",
    [
        {"text": "/new"},
        {"text": ""},
        {"text": "🍎" * 300},
        {"text": 7},
        {"date": -1},
        {"date": "now"},
        {"message_id": 0},
        {"message_id": 2**63},
        {"message_id": True},
        {"reply_to_message": {}},
        {"forward_origin": {}},
        {"sender_chat": {"id": -1}},
        {"via_bot": {}},
        {"from": {"id": ADA, "is_bot": True, "first_name": "Ada"}},
        {"from": {"id": BO, "is_bot": False, "first_name": "Bo"}},
        {"from": {"id": ADA, "is_bot": False, "first_name": None}},
        {"from": {"id": ADA, "is_bot": False, "first_name": "Ada", "last_name": 7}},
        {"from": None},
        {"chat": {"id": ADA, "type": "channel", "title": "Ada"}},
        {"chat": {"id": -5, "type": "private", "first_name": "Ada"}},
        {"chat": {"id": ADA, "type": "group", "title": "Ada"}},
    ],
    ids=repr,
)
def test_whatever_is_not_plain_in_every_part_is_left_to_the_handlers(desk_free, change):
    # given
    plain = desk_free.message(ADA, NEAR)

    # then
    assert read_shot(plain) is not None
    assert read_shot({**plain, "message": plain["message"] | change}) is None
    assert read_shot({**plain, "edited_message": {}}) is None


def test_a_command_of_somebody_else_elsewhere_need_not_wait_for_guesses_before_it(desk_free):
    # given
    shot = read_shot(desk_free.message(ADA, NEAR, FRUIT))
    assert shot is not None

    # then
    assert not in_the_way(desk_free.message(BO, "/new"), [shot])
    assert not in_the_way(desk_free.message(BO, "/new"), [])
    for other in (
        desk_free.message(ADA, "/privacy forget yes"),
        desk_free.message(BO, "/giveup", FRUIT),
        desk_free.message(BO, f"/guess {NEAR}"),
        desk_free.message(BO, NEAR, reply_to_message={}),
        desk_free.callback(BO, "g:1:submit:0"),
        desk_free.member(FRUIT, BO, "member", "left"),
        {"update_id": 1},
    ):
        assert in_the_way(other, [shot])
