"""A batch is one transaction: what it asks of the database and of Telegram, and what it leaves for after the commit."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager

import pytest

from codemojex.play import particulars as particulars_
from codemojex.play import updates
from codemojex.store import schema
from codemojex.store.engine import StoreDown, TryAgain
from tests.bot.desk import ADA, BO, NEAR, SECRET
from tests.play.makers import WRONG, rows
from tests.statements import sent_by


@contextmanager
def statements(store):
    """How often each kind of statement is sent, by its first words."""
    seen: Counter[str] = Counter()
    with sent_by(store) as sent:
        yield seen
    seen.update(" ".join(statement.split()[:3]) for statement, _ in sent)


async def _cost(desk, people) -> int:
    """Statements of a batch with a plain guess of each of these, each in a game of their own."""
    for who in people:
        await desk.private(who, "/new")
    batch = [desk.message(who, NEAR) for who in people]
    with statements(desk.store) as seen:
        await desk.take(*batch)
    assert await desk.outcomes(batch) == ["handled"] * len(batch)
    return seen.total()


async def test_plain_guesses_cost_as_many_statements_as_one(desk):
    # when
    few = await _cost(desk, range(ADA, ADA + 2))
    many = await _cost(desk, range(ADA + 10, ADA + 32))

    # then: seen twice, savepoint, players, rooms, games, facts, guesses, pace, marks, release
    assert many == few <= 12


async def test_an_admitted_guess_is_on_the_disk_before_telegram_may_forget_it(desk):
    # given
    await desk.private(ADA, "/new")

    # when
    with statements(desk.store) as seen:
        await desk.private(ADA, NEAR)

    # then
    assert len(await desk.guesses()) == 1
    assert not [said for said in seen if "synchronous_commit" in said]


async def test_guesses_of_one_room_look_for_its_game_once(desk):
    # given
    await desk.group(ADA, "/new")

    # when
    with statements(desk.store) as seen:
        await desk.group(BO, *WRONG[:10])

    # then
    assert len(await desk.guesses()) == 10
    assert [seen[f"INSERT INTO {table}"] for table in ("rooms", "players")] == [0, 1]


async def test_whose_guesses_are_special_is_asked_once_for_a_batch(desk, monkeypatch):
    # given: every guess is looked at by itself
    monkeypatch.setattr("codemojex.bot.intake.read_shot", lambda _: None)
    asked = []

    async def noted(tx, ids):
        asked.append(sorted(ids))
        return await particulars_.particulars(tx, ids)

    monkeypatch.setattr("codemojex.bot.turn.particulars", noted)
    await desk.private(ADA, "/new")
    await desk.private(BO, "/new")
    asked.clear()

    # when
    await desk.take(*(desk.message(who, NEAR) for who in (ADA, BO) * 5))

    # then
    assert asked == [[ADA, BO]]


async def test_what_a_command_changes_is_not_remembered_wrongly(desk):
    # when: a game, a guess, its end, another game, and pins in between, in one batch
    await desk.private(
        ADA, "/new", NEAR, "/giveup", SECRET, "/new", "/pin 1 🍌", "🍎🍇🍓🍒🍍", "/unpin", SECRET
    )

    # then
    first, second = await desk.games()
    assert [(row.game_id, row.symbols) for row in await rows(desk.store, schema.guesses)] == [
        (first.id, NEAR),
        (second.id, NEAR),
        (second.id, SECRET),
    ]


async def test_an_update_that_is_set_aside_is_forgotten_with_all_it_had_found_out(desk, monkeypatch):
    # given: a guess of Ada's fails, in company and by itself
    monkeypatch.setattr("codemojex.play.volleys.parse_guess", lambda *_: 1 / 0)
    monkeypatch.setattr("codemojex.bot.handlers.guessing.read_guess", lambda *_: 1 / 0)
    poison = desk.message(ADA, SECRET)
    await desk.private(ADA, "/new")
    await desk.take(poison)
    monkeypatch.undo()

    # when
    await desk.private(ADA, SECRET)

    # then
    assert await desk.outcomes([poison]) == ["poison"]
    assert await desk.guesses() == [SECRET]


async def test_a_player_met_in_an_update_that_is_set_aside_is_met_again(desk, monkeypatch):
    # given: every guess is looked at by itself
    monkeypatch.setattr("codemojex.bot.intake.read_shot", lambda _: None)
    await desk.group(BO, "/new")
    calls = iter([True, False])

    async def fails_once(*_):
        if next(calls):
            raise RuntimeError("a bug")
        return (None,) * 6

    monkeypatch.setattr("codemojex.bot.turn.Turn.pinned", fails_once)

    # when: Ada's first message fails after she was written down
    await desk.group(ADA, SECRET, SECRET)

    # then
    assert await desk.guesses() == [SECRET]


async def test_after_a_meeting_the_batch_starts_over_and_leaves_one_of_each(desk, monkeypatch):
    # given: the mark of the second update meets another transaction once
    record, met = updates.record, []

    async def meets_once(tx, mark, outcome, now):
        if mark.kind == "callback_query" and not met:
            met.append(mark)
            raise TryAgain("met")
        await record(tx, mark, outcome, now)

    monkeypatch.setattr(updates, "record", meets_once)
    await desk.private(ADA, "/new")
    game = await desk.game(ADA)

    # when
    await desk.take(desk.message(ADA, NEAR), desk.callback(ADA, f"g:{game.id}:1:0"))

    # then
    assert met
    assert await desk.guesses() == [NEAR]
    assert len(desk.queued) == len(desk.answers) == 1


async def test_nothing_is_answered_or_queued_before_the_commit(desk, monkeypatch):
    # given
    await desk.private(ADA, "/new")
    told = len(desk.told)

    async def down(*_, **__):
        raise StoreDown("away")

    monkeypatch.setattr(desk.store, "transact", down)

    # when
    with pytest.raises(StoreDown):
        await desk.take(desk.message(ADA, NEAR), desk.callback(ADA, "g:1:1:0"))

    # then
    assert (desk.queued, desk.answers, len(desk.told)) == ([], [], told)


async def test_the_offset_is_past_the_highest_id_and_none_where_nothing_can_be_confirmed(desk):
    # given
    first, second = desk.message(ADA, "/ping"), desk.message(ADA, "/ping")

    # then
    assert await desk.intake.take([second, first, {"update_id": "7"}]) == second["update_id"] + 1
    assert await desk.intake.take([{"update_id": 2**70}, {}]) is None
    assert await desk.intake.take([]) is None
    assert await desk.intake.take([{"update_id": -1}]) == 0


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("chat", 7),
        ("chat", {"id": [1]}),
        ("chat", {"id": "x", "type": []}),
        ("from", "me"),
        ("text", 5),
        ("text", None),
    ],
    ids=str,
)
async def test_a_malformed_message_is_set_aside_alone(desk, part, value):
    # given
    broken = desk.message(ADA, "/ping")
    broken["message"][part] = value

    # when
    await desk.take(broken, desk.message(BO, "/ping"))

    # then
    assert (await desk.outcomes([broken]))[0] in ("poison", "ignored")
    assert "I'm here" in await desk.last(BO)
