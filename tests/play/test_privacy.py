"""Privacy: people may have forgotten what is stored about them; games of several stay whole."""

from __future__ import annotations

import json
import random
from datetime import timedelta

import pytest
from sqlalchemy import insert, select, update

from codemojex.game.keyboards import Mode
from codemojex.play import (
    daily,
    drafts,
    handover,
    members,
    outbox,
    players,
    preferences,
    privacy,
    rooms,
    streaks,
    told_once,
    updates,
)
from codemojex.play.audit import audit
from codemojex.play.games import Cause
from codemojex.play.guesses import Guesses, Source
from codemojex.play.outbox import Draft
from codemojex.play.players import Person
from codemojex.play.pseudonyms import is_pseudonym, pseudonym
from codemojex.play.rooms import ChatRef
from codemojex.play.updates import Mark
from codemojex.store import schema
from tests.play.makers import (
    BO,
    CY,
    EASY_GOING,
    FAR,
    GROUP,
    MISS,
    NEAR,
    NONCE,
    SECRET,
    T0,
    group,
    mint,
    rows,
    seat,
)  # fmt: skip

ZED = Person(5_000_000_777, "Zed & Zo", "Quux<3", "zedquux", "en")
LATER = T0 + timedelta(minutes=5)
WORDS = ("5000000777", "Zed", "Quux", "zedquux")


async def _forget(store, person=ZED):
    async def forget(tx):
        player = await players.seen(tx, person, LATER)
        return await privacy.forget(tx, player, LATER, mint)

    return await store.transact(forget)


async def _everything(store):
    """Every value of every table, as one text for each row."""
    found = []
    for table in schema.metadata.sorted_tables:
        query = select(table)
        for row in await store.read(lambda tx, q=query: _all(tx, q)):
            found.append(f"{table.name}: {tuple(row)}")
    return found


async def _all(tx, query):
    return list(await tx.execute(query))


async def live(store):
    """Zed plays alone, in a group, with friends and the daily, pins, asks for hints, drafts, votes and talks."""
    crowd = await group(store, (ZED, BO, CY))
    await crowd.score(*await crowd.admit((NEAR, ZED), (FAR, BO)))
    await crowd.settle(Cause.GAVE_UP)
    solo = await seat(store, [ZED])
    await solo.score(*await solo.admit((NEAR, ZED), (FAR, ZED)))
    await solo.admit((MISS, ZED))
    zed = solo.people[ZED.id]

    async def leave_traces(tx):
        mine = {"game_id": solo.game.id, "player_id": ZED.id}
        await tx.execute(insert(schema.pins).values(**mine, position=1, symbol="🍎", pinned_at=T0))
        await tx.execute(insert(schema.hints).values(**mine, number=1, symbol="🍎", asked_at=T0))
        await tx.execute(insert(schema.drafts).values(**mine, symbols="🍎", changed_at=T0))
        await tx.execute(insert(schema.votes).values(**mine, voted_at=T0))
        card = insert(schema.cards).values(**mine, kind="composer", chat_id=ZED.id, message_id=9)
        [card_id] = (await tx.execute(card)).inserted_primary_key
        told = Draft(ZED.id, "text", {"text": "Hello Zed"}, reply_to=3)
        [ref] = await outbox.write_many(tx, mint, T0, [told])
        await tx.execute(update(schema.notices).where(schema.notices.c.id == ref.id).values(card_id=card_id))
        await handover.sent(tx, [ref.id], 10, T0)
        reply = Draft(GROUP, "text", {"text": "1. Zed"}, reply_to=4)
        voted = Draft(BO.id, "vote", {"name": zed.name, "votes": 1}, player_id=ZED.id)
        refs = await outbox.write_many(tx, mint, T0, [reply, voted])
        await handover.sent(tx, [ref.id for ref in refs], 11, T0)
        await outbox.write_many(tx, mint, T0, [Draft(BO.id, "joined", {"name": zed.name, "id": ZED.id})])
        await members.open_link(tx, zed, T0, random.Random(1))
        await preferences.set_player(tx, ZED.id, locale="ru", mode=Mode.PEGS)
        await daily.begin(tx, zed, "2026-12-01")
        await streaks.finished(tx, ZED.id, "2026-12-01")
        await told_once.first(tx, ZED.id, "edited", T0)
        await told_once.first(tx, GROUP, told_once.about("edited", ZED.id), T0)
        await updates.record(tx, Mark(1, "message", ZED.id, 1), "handled", T0)
        await updates.poisoned(tx, 2, "ValueError", f'{{"from": {{"id": {ZED.id}}}}}', T0)

    await store.transact(leave_traces)
    return crowd, solo


async def test_nothing_in_any_table_holds_who_was_forgotten(store):
    # given
    await live(store)
    assert any(word in row for row in await _everything(store) for word in WORDS)

    # when
    await _forget(store)

    # then
    assert [row for row in await _everything(store) if any(word in row for word in WORDS)] == []


async def test_a_finished_game_keeps_the_guesses_of_somebody_without_a_name(store):
    # given
    crowd, _ = await live(store)

    # when
    await _forget(store)

    # then
    guessed = await crowd.guesses()
    assert [row.symbols for row in guessed] == [NEAR, FAR]
    assert is_pseudonym(guessed[0].player_id)
    assert guessed[1].player_id == BO.id
    [nobody] = [row for row in await rows(store, schema.players) if is_pseudonym(row.id)]
    assert (nobody.id, nobody.first_name, nobody.username) == (guessed[0].player_id, "", None)


async def test_their_own_game_is_given_up(store):
    _, solo = await live(store)
    await _forget(store)
    row = await solo.row()
    assert (row.state, row.closed_reason) == ("closed", "gave_up")


async def test_their_points_are_gone_from_the_boards_and_others_keep_theirs(store):
    await live(store)
    await _forget(store)
    assert {row.player_id for row in await rows(store, schema.seasons)} == {BO.id}


async def test_a_game_of_a_group_goes_on_and_can_be_won_by_others(store):
    # given: an unscored guess of Zed's among others
    crowd = await group(store, (ZED, BO, CY))
    await crowd.admit((NEAR, ZED), (FAR, BO))

    # when
    await _forget(store)
    await crowd.score(await crowd.guess(SECRET, BO))
    await crowd.settle()

    # then
    row = await crowd.row()
    assert (row.closed_reason, row.winner_id) == ("cracked", BO.id)
    assert [guess.symbols for guess in await crowd.guesses()] == [NEAR, FAR, SECRET]
    assert {row.player_id for row in await rows(store, schema.finishes)} == {BO.id}


async def test_a_crack_that_waited_for_its_score_ends_the_game_as_nobodys(store):
    # given
    crowd = await group(store, (ZED, BO))
    await crowd.admit((SECRET, ZED))

    # when
    forgotten = await _forget(store)

    # then
    row = await crowd.row()
    assert (row.state, row.closed_reason, is_pseudonym(row.winner_id)) == ("closed", "cracked", True)
    assert {ref.chat_id for ref in forgotten.notices} == {GROUP}
    ended = [notice for notice in await rows(store, schema.notices) if notice.kind == "ended"]
    told = json.loads(ended[0].data)
    assert (told["winner"], told["winner_id"]) == ("", row.winner_id)


async def test_guesses_with_friends_and_of_the_day_stay_and_nothing_waits_for_nobody(store):
    # given: two friends in a link room, and the puzzle of the day
    async def open_both(tx):
        zed, bo = [await players.seen(tx, person, T0) for person in (ZED, BO)]
        room = await members.open_link(tx, zed, T0, random.Random(1))
        await members.join(tx, bo, room.code, T0)
        puzzle = await daily.today(tx, T0, "UTC", T0, random.Random(1), NONCE, zed)
        admission = Guesses(tx, T0, mint, EASY_GOING)
        for n, player in enumerate((zed, bo), 1):
            source = Source(player.id, n, T0)
            await admission.submit(puzzle, player, list(puzzle.keyboard.chars[:6]), source)
        return puzzle

    puzzle = await store.transact(open_both)

    # when
    await _forget(store)

    # then
    assert len(await rows(store, schema.guesses, game_id=puzzle.id)) == 2
    assert [row.player_id for row in await rows(store, schema.members)] == [BO.id]
    for row in await rows(store, schema.notices):
        assert row.chat_id == BO.id or row.failure == "forgotten"


async def test_the_audit_finds_nothing_wrong_after_somebody_was_forgotten(store):
    await live(store)
    await _forget(store)
    report = await store.read(lambda tx: audit(tx, LATER))
    assert {violation.name for violation in report.violations} <= {"poison_not_recorded"}


async def test_who_comes_back_is_somebody_new(store):
    await live(store)
    await _forget(store)
    again = await store.transact(lambda tx: players.seen(tx, ZED, LATER))
    assert again.created_at == LATER
    room = await store.transact(lambda tx: rooms.enter(tx, ChatRef(ZED.id, "private", "Zed"), LATER))
    assert len(await rows(store, schema.rooms, id=room.id)) == 1
    assert (await store.read(lambda tx: preferences.of_player(tx, ZED.id))).locale is None


async def test_a_guess_composed_after_somebody_was_forgotten_is_not_taken_for_theirs(store):
    """A composed guess is known by its draft's number, so that number must never be given again."""
    # given
    crowd = await group(store, (ZED, BO))
    zeds = await crowd.store.transact(
        lambda tx: drafts.tap(tx, crowd.game, crowd.people[ZED.id], 0, None, T0)
    )
    await crowd.guess(NEAR, ZED, message_id=zeds.message_id)
    await _forget(store)

    # when
    bos = await crowd.store.transact(lambda tx: drafts.tap(tx, crowd.game, crowd.people[BO.id], 0, None, T0))

    # then
    assert bos.message_id != zeds.message_id
    assert not (await crowd.guess(FAR, BO, message_id=bos.message_id)).duplicate


async def test_two_who_are_forgotten_are_two_nobodies(store):
    crowd = await group(store, (ZED, BO, CY))
    await crowd.score(*await crowd.admit((NEAR, ZED), (FAR, BO), (MISS, CY)))
    await _forget(store)
    await _forget(store, BO)
    ids = [row.player_id for row in await crowd.guesses()]
    assert [is_pseudonym(id) for id in ids] == [True, True, False]
    assert len(set(ids)) == 3


def test_a_pseudonym_is_no_id_that_telegram_gives():
    drawn = {pseudonym() for _ in range(1_000)}
    assert len(drawn) == 1_000
    assert all(-(1 << 63) < id < -(1 << 52) for id in drawn)
    assert not any(is_pseudonym(id) for id in (GROUP, -(1 << 52), 0, ZED.id))


@pytest.mark.parametrize("name", ["a", "%", "_", '"', "&amp;", "🍌", "classic"])
async def test_a_strange_name_is_forgotten_without_harm_to_what_others_wait_for(store, name):
    # given
    strange = Person(ZED.id, name)
    crowd = await group(store, (strange, BO))
    await crowd.score(*await crowd.admit((NEAR, strange), (FAR, BO)))
    hello = Draft(BO.id, "text", {"text": "a null & a % of _"})
    await store.transact(lambda tx: outbox.write_many(tx, mint, T0, [hello]))

    # when
    await _forget(store, strange)

    # then
    waiting = [json.loads(row.data) for row in await rows(store, schema.notices)]
    assert [told.get("symbols") for told in waiting] == [list(NEAR), list(FAR), None]
    assert waiting[2]["text"] == "a null & a % of _"
    assert (waiting[0]["name"], waiting[1]["name"]) == ("", "Bo")
