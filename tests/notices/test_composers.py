"""The composer of a private chat: edited tap by tap, sent again below a result, without buttons at the end."""

from __future__ import annotations

import asyncio
from typing import Any

from sqlalchemy import update

from codemojex.notices.looking import UNREADABLE
from codemojex.notices.outgoing import Unsent
from codemojex.play import drafts, keys, pins, preferences
from codemojex.play.outbox import NoticeRef
from codemojex.play.players import Person
from codemojex.store.engine import open_store
from codemojex.store.schema import games
from tests.notices.desk import Desk, until
from tests.notices.matches import EDIT, SEND, Match, solo_match
from tests.play.makers import NEAR, SECRET, WRONG

APPLE, BANANA = SECRET[0], SECRET[1]


async def shown(desk: Desk, *refs: NoticeRef | None) -> None:
    """Let a notifier tell what waits."""
    async with desk.running():
        await desk.settled(*(ref for ref in refs if ref is not None))


async def tap(match: Match, key: Any, version: int = 0) -> drafts.DraftView:
    """Ada taps a button."""
    table = match.table
    player = next(iter(table.people.values()))
    return await match.desk.store.transact(
        lambda tx: drafts.tap(tx, table.game, player, key, version, table.at(1))
    )


async def compose(match: Match, symbols: str, version: int) -> list[NoticeRef]:
    """A guess put together with buttons, submitted and scored; the notices of that."""
    chars = match.table.game.keyboard.chars
    draft = None
    for symbol in symbols:
        draft = await tap(match, chars.index(symbol), version)
    assert draft is not None
    ready = draft
    await match.desk.store.transact(lambda tx: drafts.bump(tx, ready))
    return await match.guess(symbols, match.desk.tg.people[match.chat_id], message_id=draft.message_id)


async def test_a_composer_is_the_games_first_message_with_its_buttons(desk: Desk) -> None:
    # given
    ada = await desk.person()
    match = await solo_match(desk, ada)

    # when
    await shown(desk, await match.refresh())

    # then
    [message] = [event.message for event in ada.inbox]
    assert message is not None
    assert match.table.game.commitment in message.text
    assert [len(row) for row in message.keyboard] == [6, 6, 3]
    first = keys.read_tap(message.keyboard[0][0]["callback_data"])
    assert first == keys.Tap(match.table.game.id, 0, 0)


async def test_taps_and_pins_are_shown_by_editing_the_same_message(desk: Desk) -> None:
    # given
    ada = await desk.person()
    match = await solo_match(desk, ada)
    await shown(desk, await match.refresh())
    table = match.table
    player = table.people[ada.id]

    # when
    await tap(match, table.game.keyboard.chars.index(BANANA))
    await desk.store.transact(lambda tx: pins.pin(tx, table.game, player, 1, APPLE, table.at(1)))
    await shown(desk, await match.refresh())

    # then
    [message] = [message for message in ada.messages if message.sender_id == desk.bot.id]
    assert f"{APPLE}{BANANA}" in message.text
    assert table.game.commitment in message.text


async def test_after_a_composed_guess_the_composer_comes_again_below_the_result(desk: Desk) -> None:
    # given
    ada = await desk.person()
    match = await solo_match(desk, ada)
    await shown(desk, await match.refresh())

    # when
    await shown(desk, *await compose(match, NEAR, 0))

    # then
    first, result, again = [message for message in ada.messages if message.sender_id == desk.bot.id]
    assert match.table.game.commitment in first.text
    assert "560/600" in result.text
    assert match.table.game.commitment not in again.text
    assert keys.read_tap(again.keyboard[0][0]["callback_data"]) == keys.Tap(match.table.game.id, 0, 1)
    assert (await match.card()).message_id == again.message_id

    # and the next tap changes that one
    await tap(match, match.table.game.keyboard.chars.index(APPLE), 1)
    await shown(desk, await match.refresh())
    now = [message for message in ada.messages if message.sender_id == desk.bot.id]
    assert len(now) == 3
    assert APPLE in now[-1].text
    assert match.table.game.commitment in now[0].text


async def test_a_game_that_was_dealt_keeps_its_rules_and_seal_through_taps_and_to_its_end(desk: Desk) -> None:
    # given: the way that /new sends a game
    ada = await desk.person()
    match = await solo_match(desk, ada)
    await shown(desk, await match.repost())

    # when
    await tap(match, match.table.game.keyboard.chars.index(APPLE))
    await shown(desk, await match.refresh())
    tapped = ada.messages[-1].text
    await shown(desk, *await match.end())

    # then
    first, _ending = [message for message in ada.messages if message.sender_id == desk.bot.id]
    assert match.table.game.commitment in tapped
    assert APPLE in tapped
    assert match.table.game.commitment in first.text
    assert first.keyboard == []


async def test_a_game_that_is_dealt_again_is_introduced_again(desk: Desk) -> None:
    # given
    ada = await desk.person()
    match = await solo_match(desk, ada)
    await shown(desk, await match.repost())
    await shown(desk, *await compose(match, NEAR, 0))

    # when: /daily or /join once more
    await shown(desk, await match.repost())

    # then
    first, _, below, again = [message for message in ada.messages if message.sender_id == desk.bot.id]
    said = [match.table.game.commitment in message.text for message in (first, below, again)]
    assert said == [True, False, True]


async def test_a_repost_is_sent_below_a_result_although_a_refresh_waited_before_it(desk: Desk) -> None:
    # given
    ada = await desk.person()
    match = await solo_match(desk, ada)
    await shown(desk, await match.refresh())
    await match.refresh()

    # when
    await shown(desk, *await compose(match, NEAR, 0))

    # then
    texts = match.requests(SEND)
    assert len(texts) == 3
    assert "560/600" in texts[1]
    assert match.requests(EDIT) == []


async def test_a_game_that_ends_with_a_composed_guess_keeps_its_seal_and_loses_its_buttons(
    desk: Desk,
) -> None:
    # given
    ada = await desk.person()
    match = await solo_match(desk, ada)
    await shown(desk, await match.refresh())
    await compose(match, SECRET, 0)
    settled = await match.table.settle()
    assert settled is not None

    # when
    await shown(desk, *settled.notices)

    # then
    first, *others = [message for message in ada.messages if message.sender_id == desk.bot.id]
    assert match.table.game.commitment in first.text
    assert first.keyboard == []
    assert all(message.keyboard == [] for message in others)


async def test_a_composer_that_was_to_come_again_when_the_game_ended_does_not(desk: Desk) -> None:
    # given
    ada = await desk.person()
    match = await solo_match(desk, ada)
    await shown(desk, await match.refresh())
    await compose(match, NEAR, 0)
    refs = await match.end()

    # when
    await shown(desk, *refs)

    # then
    async with desk.running() as notifier:
        await until(lambda: notifier.waiting() == 0)
    assert all(message.keyboard == [] for message in ada.messages)
    assert len(match.requests(SEND)) == 2  # the game, then its result and its ending


async def test_a_game_that_is_over_before_anybody_saw_it_still_shows_its_seal(desk: Desk) -> None:
    # given: given up before the first message went out
    ada = await desk.person()
    match = await solo_match(desk, ada)
    dealt = await match.repost()

    # when
    await shown(desk, dealt, *await match.end())

    # then
    [game] = [message for message in ada.messages if match.table.game.commitment in message.text]
    assert game.keyboard == []


async def test_a_seal_that_could_not_be_sent_at_first_is_sent_when_the_game_is_over(desk: Desk) -> None:
    # given: the first message is handed over, and does not leave
    ada = await desk.person()
    match = await solo_match(desk, ada)
    await match.repost()
    taken = await desk.ledger().take(ada.id)
    assert taken.message is not None
    await desk.ledger().settle(taken.message, Unsent(None, unreachable=True, reason="ConnectError"))

    # when
    await shown(desk, *await match.end())
    async with desk.running() as notifier:
        await until(lambda: notifier.waiting() == 0)

    # then
    assert any(match.table.game.commitment in message.text for message in ada.messages)


async def test_a_player_who_has_used_every_guess_has_no_buttons(desk: Desk) -> None:
    # given
    ada = await desk.person()
    match = await solo_match(desk, ada)
    await shown(desk, await match.refresh())
    for number in range(match.table.game.guess_limit):
        await match.table.guess(WRONG[number], Person(id=ada.id, first_name=ada.name))

    # when
    await shown(desk, await match.refresh())

    # then
    [message] = [message for message in ada.messages if message.sender_id == desk.bot.id]
    assert message.keyboard == []


async def test_a_chat_is_told_in_the_language_it_has_when_it_is_told(desk: Desk) -> None:
    # given
    ada = await desk.person()
    match = await solo_match(desk, ada)
    refs = await match.guess(NEAR, ada)
    card = await match.refresh()
    await desk.store.transact(lambda tx: preferences.set_player(tx, ada.id, locale="ru"))

    # when
    await shown(desk, *refs, card)

    # then
    texts = match.requests(SEND)
    assert any("Твоя попытка" in text for text in texts)
    assert not any("guess" in text for text in texts)


async def test_two_notifiers_never_send_a_composer_twice(desk: Desk) -> None:
    # given
    ada = await desk.person()
    match = await solo_match(desk, ada)
    await match.refresh()
    other = open_store(desk.store.url.render_as_string(hide_password=False))

    # when
    taken = [await desk.ledger().take(ada.id), await desk.ledger(other).take(ada.id)]

    # then
    assert [each.message is not None for each in taken] == [True, False]
    await other.aclose()


async def test_a_repost_in_flight_is_followed_by_the_next_one(desk: Desk) -> None:
    # given
    ada = await desk.person()
    match = await solo_match(desk, ada)
    await shown(desk, await match.refresh())
    first = await match.repost()
    taken = await desk.ledger().take(ada.id)
    assert first is not None
    assert taken.message is not None

    # when
    second = await match.repost()

    # then
    assert second is not None
    assert second.id > first.id
    assert {notice.id for notice in await desk.waiting(ada.id)} == {first.id, second.id}


async def test_a_composer_that_cannot_be_read_leaves_those_taken_with_it_alone(desk: Desk) -> None:
    # given
    ada, bo = await desk.person(), await desk.person("Bo")
    broken, whole = await solo_match(desk, ada), await solo_match(desk, bo)
    ref, other = await broken.refresh(), await whole.refresh()
    assert ref is not None
    assert other is not None
    later = update(games).where(games.c.id == broken.table.game.id).values(level="newer")
    await desk.store.transact(lambda tx: tx.execute(later))
    ledger = desk.ledger()

    # when: by one transaction
    before = desk.store.transactions
    hers, his = await asyncio.gather(ledger.take(ada.id), ledger.take(bo.id))

    # then
    assert desk.store.transactions == before + 1
    assert hers.message is None
    assert (await desk.row(ref)).failure == UNREADABLE
    assert his.message is not None
    assert his.message.ids == (other.id,)
