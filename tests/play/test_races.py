"""Races: real transactions at the same time, in random order, and what must hold whatever happens."""

from __future__ import annotations

import asyncio
import itertools
import random

import pytest

from codemojex.game.refusals import GameOver, NothingToGiveUp
from codemojex.game.scoring import CRACKED
from codemojex.play.audit import audit
from codemojex.play.games import Cause
from codemojex.play.rooms import ChatRef
from codemojex.store import schema
from tests.play.makers import ADA, FAR, GROUP, MISS, NEAR, SECRET, Person, circle, group, rows, seat

# SQLite lets one writer in at a time: fewer interleavings there are to find.
ROUNDS = {"PostgreSQL": 70, "SQLite": 40}
DUELS = 200
SCORERS = 3


async def _jumble(dice, *tasks):
    """Run tasks at once, each starting a little later than it might."""

    async def late(task):
        for _ in range(dice.randrange(4)):
            await asyncio.sleep(0)
        return await task

    return await asyncio.gather(*(late(task) for task in tasks), return_exceptions=True)


async def _score_and_settle(table, ids):
    """What a worker does: a batch, then the games that it may have ended."""
    batch = await table.score(*ids)
    if batch.to_settle:
        await table.settle()
    return batch.scored


async def _holds(table):
    report = await table.store.read(lambda tx: audit(tx, table.at(30)))
    assert report.violations == []


async def test_whatever_the_order_of_scoring_the_earliest_admitted_crack_wins_alone(crowd):
    for round_ in range(ROUNDS[crowd.kind]):
        # given: five guesses, one or more of them cracks, in an order that only the dice know
        dice = random.Random(round_)
        people = [Person(7_000_000_000 + 10 * round_ + n, f"P{n}") for n in range(3)]
        table = await seat(crowd, people)
        crack = SECRET, dice.choice(people)
        others = [(code, who) for code in (SECRET, NEAR, FAR, MISS) for who in people if (code, who) != crack]
        shots = dice.sample([crack, *dice.sample(others, 4)], 5)
        receipts = await table.admit(*shots)

        # when: several scorers get overlapping parts of them, each in its own order
        parts = [dice.sample(receipts, dice.randint(2, 5)) for _ in range(SCORERS)]
        scored = await _jumble(dice, *(_score_and_settle(table, part) for part in parts))
        scored.append(await _score_and_settle(table, receipts))

        # then
        assert not [outcome for outcome in scored if isinstance(outcome, BaseException)]
        row = await table.row()
        earliest = receipts[[code for code, _ in shots].index(SECRET)]
        assert (row.state, row.winning_guess_id) == ("closed", earliest.id)
        once = [id for batch in scored for id in batch]
        assert len(once) == len(set(once))
        assert all(guess.points is not None for guess in await table.guesses())
        told = await rows(crowd, schema.notices, game_id=table.game.id)
        assert sorted(n.guess_id for n in told if n.guess_id) == sorted(receipt.id for receipt in receipts)
        assert sum(n.kind == "ended" for n in told) == 1
    await _holds(table)


async def test_of_two_who_crack_in_the_same_second_the_one_admitted_first_wins(crowd):
    """Their guesses are admitted at once, then scored by two workers at once, and by a third that got both."""
    people = [Person(7_300_000_000 + n, f"P{n}") for n in range(3)]
    for round_ in range(DUELS):
        # given: in a group or among friends, with a guess of somebody else anywhere in between
        dice = random.Random(round_)
        chat = ChatRef(GROUP - round_, "supergroup", "Fruit")
        table = await (seat(crowd, people, chat=chat) if round_ % 2 else circle(crowd, people))
        duel = [(SECRET, people[0]), (SECRET, people[1]), (NEAR, people[2])]
        table.messages = itertools.count(10 * round_ + 1)
        receipts = await _jumble(dice, *(table.guess(*entry) for entry in duel))

        # when
        parts = [receipts[:1], receipts[1:], dice.sample(receipts, 3)]
        workers = [_score_and_settle(table, part) for part in dice.sample(parts, 3)]
        outcomes = await _jumble(dice, *workers)

        # then
        assert not [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        first, second = [guess for guess in await table.guesses() if guess.points == CRACKED]
        row = await table.row()
        assert (row.closed_reason, row.winner_id, row.winning_guess_id) == (
            "cracked", first.player_id, first.id,
        )  # fmt: skip
        assert (first.late, second.late) == (False, True)
        await _told_once_each(table, second, 1 if round_ % 2 else 3)
    await _holds(table)


async def _told_once_each(table, loser, chats):
    """Every guess has one notice, the second crack's says that it came too late, and every chat has one end."""
    told = await rows(table.store, schema.notices, game_id=table.game.id)
    kinds = {notice.guess_id: notice.kind for notice in told if notice.guess_id}
    assert len(kinds) == 3
    assert kinds[loser.id] == "late"
    ends = [notice.chat_id for notice in told if notice.kind == "ended"]
    assert len(ends) == len(set(ends)) == chats


@pytest.mark.parametrize("rival", ["give_up", "clock"])
async def test_a_crack_that_races_another_ending_wins_or_was_never_admitted(crowd, rival):
    for round_ in range(25):
        # given
        dice = random.Random(round_)
        person = Person(7_100_000_000 + round_, "Ada")
        table = await seat(crowd, [person], minutes=None if rival == "give_up" else 1)
        end = 6 if rival == "give_up" else 61

        async def crack(table=table, person=person):
            receipt = await table.guess(SECRET, person)
            await _score_and_settle(table, [receipt])
            return receipt

        # when
        async def ending(table=table, end=end):
            return await table.settle(Cause.GAVE_UP if rival == "give_up" else None, seconds=end)

        guessed, _ = await _jumble(dice, crack(), ending())

        # then
        row = await table.row()
        if isinstance(guessed, GameOver):
            assert (row.winner_id, await table.guesses()) == (None, [])
        else:
            assert (row.closed_reason, row.winning_guess_id) == ("cracked", guessed.id)
        told = await rows(crowd, schema.notices, game_id=table.game.id)
        assert sum(notice.kind == "ended" for notice in told) == 1
    await _holds(table)


async def test_two_who_give_up_at_once_end_the_game_once(crowd):
    table = await seat(crowd, [ADA])
    outcomes = await asyncio.gather(*(table.give_up() for _ in range(4)), return_exceptions=True)
    assert sum(isinstance(outcome, NothingToGiveUp) for outcome in outcomes) == 3
    assert len(await rows(crowd, schema.notices, kind="ended")) == 1


async def test_admission_scoring_and_endings_of_many_rooms_at_once_never_contradict_each_other(crowd):
    # given
    dice = random.Random(3)
    people = [Person(7_200_000_000 + n, f"P{n}") for n in range(6)]
    tables = [await seat(crowd, [person]) for person in people]
    tables.append(await group(crowd, people))

    async def play(table, person):
        for code in dice.sample([NEAR, FAR, MISS, SECRET], 4):
            try:
                receipt = await table.guess(code, person)
            except GameOver:
                return
            await _score_and_settle(table, [receipt])

    # when
    players = [(table, person) for table in tables for person in people if person.id in table.people]
    outcomes = await _jumble(dice, *(play(table, person) for table, person in players))

    # then
    assert not [outcome for outcome in outcomes if outcome is not None]
    await _holds(tables[0])
